/// What the file says of its own shape.
extension Connection {
  /// The columns of a table or view, in order; none where it is not there.
  public func columns(of table: String) throws(SQLiteError) -> [String] {
    try texts("SELECT name FROM pragma_table_info(?)", [.text(table)])
  }

  /// The statements that made everything of a type (`table`, `index`, `view`, `trigger`), by name.
  /// Indexes that SQLite makes by itself have none.
  /// - Parameter pattern: what the names are like, as GLOB has it.
  public func definitions(
    of type: String, named pattern: String = "*"
  ) throws(SQLiteError) -> [String: String] {
    try dictionary(
      "SELECT name, sql FROM sqlite_schema WHERE type = ? AND name GLOB ?",
      [.text(type), .text(pattern)]
    ) { ($0.text(0) ?? "", $0.text(1) ?? "") }
  }
}
