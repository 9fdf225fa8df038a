internal import SQLite

extension Bookkeeping {
  /// Tables that a database lacks which was made before there were such, and what makes them.
  private static let later = [
    (table: "trawl_fills", statements: fills), (table: "trawl_misses", statements: misses),
    (table: "trawl_unneeded", statements: unneeded),
  ]

  static func has(_ table: String, _ connection: Connection) throws(SQLiteError) -> Bool {
    try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = ?", [.text(table)]) != nil
  }

  static func addLater(_ connection: Connection) throws {
    if try later.allSatisfy({ try has($0.table, connection) }) { return }
    try connection.transaction {
      // Another process may have been quicker.
      for (table, statements) in later where try !has(table, connection) {
        try connection.execute(statements)
      }
    }
  }
}
