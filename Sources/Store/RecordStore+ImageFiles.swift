internal import SQLite

/// Questions about files that are stored.
extension RecordStore {
  private static let columns = "m.digest, m.path, m.size, m.type, m.width, m.height"

  /// The file behind an identity (a URL, or what the job says identifies the image).
  public func image(_ identity: String) throws(StoreError) -> StoredImageRow? {
    try guarded { connection in
      try connection.row(
        "SELECT \(Self.columns) FROM trawl_media_urls u "
          + "JOIN trawl_media m ON m.digest = u.digest WHERE u.identity = ?", [.text(identity)],
        Self.image)
    }
  }

  /// Every file that the database names, in order of digest: at most `limit` behind `after`.
  public func storedImages(
    after digest: String = "", limit: Int = 10_000
  ) throws(StoreError) -> [StoredImageRow] {
    try guarded { connection in
      try connection.rows(
        "SELECT \(Self.columns) FROM trawl_media m WHERE m.digest > ? ORDER BY m.digest LIMIT ?",
        [.text(digest), SQLValue(limit)], Self.image)
    }
  }

  private static func image(_ row: Statement) -> StoredImageRow {
    StoredImageRow(
      digest: row.text(0) ?? "", path: row.text(1) ?? "", size: row.int(2),
      type: row.text(3) ?? "", width: row.int(4), height: row.int(5))
  }
}
