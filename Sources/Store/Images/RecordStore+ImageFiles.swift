internal import Base

/// Queries about stored files.
extension RecordStore {
  /// The condition for a URL whose file was found missing. It has no validator.
  static let lacksFile =
    "EXISTS (SELECT 1 FROM trawl_media m WHERE m.digest = trawl_media_urls.digest "
    + "AND m.missing_since IS NOT NULL)"

  static let fileGone = "its file was gone"

  static let missingDigests =
    "SELECT digest FROM trawl_media WHERE missing_since IS NOT NULL"

  /// The digests of the files that are known to be missing.
  public func missingFiles() throws(StoreError) -> [String] {
    try guarded { try connection.texts(Self.missingDigests) }
  }

  /// The files in one of the 256 folders of the content store, in order of digest; with a job only
  /// those that its URLs led to.
  public func storedImages(
    inFolder byte: UInt8, of job: String? = nil
  ) throws(StoreError) -> [StoredImageRow] {
    try guarded { try Self.images(inFolder: byte, of: job, connection) }
  }

  static func images(
    inFolder byte: UInt8, of job: String? = nil, _ connection: Connection
  ) throws(SQLiteError) -> [StoredImageRow] {
    try connection.rows(
      // No digit of a digest comes behind the tilde.
      "SELECT \(StoredImageRow.columns) FROM trawl_media m WHERE m.digest >= ?1 "
        + "AND m.digest < ?1 || '~' AND (?2 IS NULL OR EXISTS (SELECT 1 FROM trawl_media_urls u "
        + "WHERE u.digest = m.digest AND u.job = ?2)) ORDER BY m.digest",
      [.text(Hexadecimal.text(CollectionOfOne(byte))), SQLValue(job)])
  }

  /// Where a stored file came from.
  public struct ImageSource: Sendable, Equatable {
    var identity: String
    public var url: String
    public var job: String
    /// Of the job's API: `https://api.example.com`.
    public var origin: String
  }

  /// Every URL that led to a file, the latest fetch first.
  public func imageSources(of digest: String) throws(StoreError) -> [ImageSource] {
    try guarded {
      try connection.rows(
        "SELECT u.identity, u.url, u.job, j.origin FROM trawl_media_urls u "
          + "JOIN trawl_jobs j USING (job) WHERE u.digest = ? "
          + "ORDER BY u.fetched_at DESC, u.identity", [.text(digest)], as: ImageSource.init)
    }
  }

  /// Missing files: no view shows them, and their images are due again, and requested as if for the first time. Rows and
  /// digests stay until new bytes have come: the files may be back. Returns how many pages of this run counted as found
  /// on disk.
  @discardableResult
  public func wantFiles(_ digests: [String]) throws(StoreError) -> Int {
    guard !digests.isEmpty else { return 0 }
    let stamp = now.description
    return try write {
      var miscounted = 0
      for digest in digests {
        let values: [SQLValue] = [.text(digest), .text(stamp)]
        guard
          try connection.update(
            Book.media, [("missing_since", "?2")],
            where: "digest = ?1 AND missing_since IS NULL", values) > 0
        else { continue }
        miscounted += try connection.texts(
          "SELECT identity FROM trawl_media_urls WHERE digest = ?1 "
            + "AND (next_attempt_at IS NULL OR next_attempt_at > ?2)", values
        ).count(where: wanted.contains)
        try connection.update(
          Book.mediaURLs, [("etag", "NULL"), ("last_modified", "NULL")], where: "digest = ?1",
          [.text(digest)])
        // One that was refused meanwhile waits as it did.
        try connection.update(
          Book.mediaURLs, [("next_attempt_at", "?2"), ("reason", SQLName.literal(Self.fileGone))],
          where: "digest = ?1 AND attempts = 0 AND reason IS NOT \(SQLName.literal(Self.inNoList))",
          values)
      }
      return miscounted
    }
  }

  /// Files that are there again.
  public func noteFound(_ digests: [String]) throws(StoreError) {
    guard !digests.isEmpty else { return }
    try write {
      for digest in digests {
        try connection.update(
          Book.media, [("missing_since", "NULL")],
          where: "digest = ? AND missing_since IS NOT NULL", [.text(digest)])
      }
    }
  }

  /// Deletes the row of a file with wrong bytes or without a URL, and makes its images due again.
  public func forgetFile(_ digest: String) throws(StoreError) {
    try write {
      try connection.set(
        Book.mediaURLs,
        [
          ("digest", nil), ("etag", nil), ("last_modified", nil), ("attempts", 0),
          ("next_attempt_at", .text(now.description)), ("reason", .text(Self.fileGone)),
        ], where: "digest = ?", [.text(digest)])
      try Self.forget(digest, connection)
    }
  }

  /// Deletes the row of a file that no URL leads to.
  static func forget(_ digest: String, _ connection: Connection) throws(SQLiteError) {
    let size = try connection.count(
      "SELECT size FROM trawl_media WHERE digest = ?", [.text(digest)])
    try connection.delete(Book.media, where: "digest = ?", [.text(digest)])
    try connection.add(-size, to: FactKey(.bytes))
  }
}
