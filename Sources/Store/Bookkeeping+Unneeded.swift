internal import SQLite

extension Bookkeeping {
  /// A table of its own: a further column of `trawl_media` would be one more value under the seals
  /// of rows that are there.
  static let unneeded = """
    CREATE TABLE trawl_unneeded (
      digest TEXT PRIMARY KEY NOT NULL REFERENCES trawl_media ON DELETE CASCADE,
      since TEXT NOT NULL, -- first seen then: neither a live record nor a favourite points to it
      \(BookkeepingSeal.columnSQL)
    ) STRICT, WITHOUT ROWID;

    """

  static func hasUnneeded(_ connection: Connection) throws(SQLiteError) -> Bool {
    try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = 'trawl_unneeded'") != nil
  }

  /// A database that was made before the grace of files was counted from there lacks this table.
  static func addUnneeded(_ connection: Connection) throws {
    if try hasUnneeded(connection) { return }
    try connection.transaction {
      // Another process may have been quicker.
      if try !hasUnneeded(connection) { try connection.execute(unneeded) }
    }
  }
}
