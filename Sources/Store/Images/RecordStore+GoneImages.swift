public import Base

/// Images of records that are in no list any more.
extension RecordStore {
  /// The reason of an image that is no longer requested; the record's return makes it due again.
  static let inNoList = "in no list"

  /// Stops requests for images that are due or did not come, and that no present record or favorite has. Stored files
  /// stay. Returns how many images are idle from now on.
  @discardableResult
  public func restGoneImages(of job: Job) throws(StoreError) -> Int {
    // A run lasts for hours, and images that become due by then count too.
    let stamp = (now + .seconds(86_400)).description
    let values: [SQLValue] = [.text(job.name), .text(Self.inNoList), .text(stamp)]
    let condition =
      "job = ?1 AND (next_attempt_at <= ?3 OR digest IS NULL AND reason IS NOT ?2)"
    return try write {
      guard try connection.has("trawl_media_urls WHERE \(condition)", values) else { return 0 }
      let shown = Self.shown(by: job)
      guard !shown.isEmpty else { return 0 }
      // Records of other jobs may show the same URL.
      var live = try SharedImages(besides: job.name, connection).identities()
      for identities in shown { try connection.each(identities) { _ = live.insert($0.bits(0)) } }
      probe.keys = live
      defer { probe.keys = KeySet() }
      return try connection.update(
        Book.mediaURLs, [("next_attempt_at", "NULL"), ("reason", "?2")],
        where: "\(condition) AND NOT trawl_seen(identity)", values)
    }
  }

  /// Queries for the digests of image identities of rows that have not vanished or are favorites.
  private static func shown(by job: Job) -> [String] {
    var found: [String] = []
    for stream in job.streams {
      let table = "\(job.tablePrefix)_\(stream.table)"
      for role in stream.media {
        let identity = MediaPlan.identitySQL(role, table: table)
        let favorites =
          "SELECT record_key FROM trawl_favorites WHERE table_name = \(SQLName.literal(table))"
        let rows =
          "SELECT trawl_hash(\(identity)) FROM \(SQLName.quoted(table)) t WHERE \(identity) IS NOT NULL AND "
          + "(t.vanished_at IS NULL OR \(ViewDesign.keyText(stream.key)) IN (\(favorites)))"
        if !found.contains(rows) { found.append(rows) }
      }
    }
    return found
  }
}
