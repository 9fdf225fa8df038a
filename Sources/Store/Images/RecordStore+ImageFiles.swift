internal import Base

/// Questions about files that are stored.
extension RecordStore {
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
      "SELECT \(StoredImageRow.columns) FROM trawl_media m WHERE m.digest >= ?1 AND m.digest < ?2 "
        + "AND (?3 IS NULL OR EXISTS (SELECT 1 FROM trawl_media_urls u "
        + "WHERE u.digest = m.digest AND u.job = ?3)) ORDER BY m.digest",
      [.text(prefix(byte)), .text(end(of: byte)), SQLValue(job)]
    ) { (image: StoredImageRow) in image }
  }

  /// Where a stored file came from.
  public struct ImageSource: Sendable, Equatable {
    var identity: String
    public var url: String
    public var job: String
    /// Of the job's API: `https://api.example.com`.
    public var origin: String
  }

  /// Every URL that led to a file, the one that was fetched last first.
  public func imageSources(of digest: String) throws(StoreError) -> [ImageSource] {
    try guarded {
      try connection.rows(
        "SELECT u.identity, u.url, u.job, j.origin FROM trawl_media_urls u "
          + "JOIN trawl_jobs j USING (job) WHERE u.digest = ? "
          + "ORDER BY u.fetched_at DESC, u.identity", [.text(digest)], as: ImageSource.init)
    }
  }

  /// Missing files: their rows are deleted, and their images are due again. Returns how many images
  /// the pages of this run have counted as found on disk although they are missing.
  @discardableResult
  public func forgetFiles(_ digests: [String]) throws(StoreError) -> Int {
    guard !digests.isEmpty else { return 0 }
    let stamp = now.description
    return try write {
      var miscounted = 0
      for digest in digests {
        miscounted += try connection.texts(
          "SELECT identity FROM trawl_media_urls WHERE digest = ?1 "
            + "AND (next_attempt_at IS NULL OR next_attempt_at > ?2)",
          [.text(digest), .text(stamp)]
        ).count(where: wanted.contains)
        try connection.set(
          Book.mediaURLs,
          [
            ("digest", nil), ("etag", nil), ("last_modified", nil), ("attempts", 0),
            ("next_attempt_at", .text(stamp)), ("reason", "its file was gone"),
          ], where: "digest = ?", [.text(digest)])
        try Self.forget(digest, connection)
      }
      return miscounted
    }
  }

  /// A file that no URL leads to.
  static func forget(_ digest: String, _ connection: Connection) throws(SQLiteError) {
    let size = try connection.integer(
      "SELECT size FROM trawl_media WHERE digest = ?", [.text(digest)])
    try connection.delete(Book.media, where: "digest = ?", [.text(digest)])
    try connection.add(-Int(size ?? 0), to: FactKey(.bytes))
  }

  private static func prefix(_ byte: UInt8) -> String {
    Hexadecimal.text(CollectionOfOne(byte))
  }

  /// After every text that begins with the folder's digits, before those of the next.
  private static func end(of byte: UInt8) -> String { byte == .max ? "fg" : prefix(byte + 1) }
}
