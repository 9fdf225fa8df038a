/// The schema as the file has it.
extension Connection {
  /// The columns of a table or view, in order; none if it is missing.
  public func columns(of table: String) throws(SQLiteError) -> [String] {
    try texts("SELECT name FROM pragma_table_info(?)", [.text(table)])
  }

  /// The SQL of all objects of a type (`table`, `index`, `view`, `trigger`), by name. SQLite's automatic indexes have
  /// none.
  /// - Parameter pattern: a GLOB pattern of the names.
  public func definitions(
    of type: String, named pattern: String = "*"
  ) throws(SQLiteError) -> [String: String] {
    try dictionary(
      "SELECT name, sql FROM sqlite_schema WHERE type = ? AND name GLOB ?",
      [.text(type), .text(pattern)]
    ) { ($0.text(0) ?? "", $0.text(1) ?? "") }
  }
}
