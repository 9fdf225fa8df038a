internal import Base

/// Makes every table, index and view of the book exactly as `Book` has it, in a new file and at the
/// end of an upgrade. So an upgraded file cannot differ from a new one.
struct Shapes {
  let connection: Connection
  /// The file has no tables yet; otherwise it has all of them.
  var isNew = false

  /// The old table's name while it is copied into its successor.
  private static let before = "trawl_before"

  /// Inside a transaction, after `Seals.mark`, with foreign keys off and without our views.
  func adopt() throws {
    for table in Book.tables {
      try adopt(table)
      try connection.makeIndexes(of: table.name, table.indexes)
    }
    try Seals.renew(connection)
    try RowCounts(connection: connection).begin(Book.tables.map(\.name))
    try connection.execute(Book.trust)
    try ViewDesign.makeAll(connection)
  }

  private func adopt(_ table: BookTable) throws {
    guard let found = try connection.definitions(of: "table", named: table.name)[table.name] else {
      // An empty table would hide that its rows are lost.
      guard isNew else { throw DatabaseFile.missing([table.name], connection.path) }
      return try connection.execute(table.sql)
    }
    if found != table.sql { try replace(table) }
  }

  /// Renames the table, copies it into its successor, and drops it with any columns that `Book` does not have. Numbers
  /// that it gave out are never reused.
  private func replace(_ table: BookTable) throws {
    let name = table.name
    let old = try connection.columns(of: name)
    let isNumbered = try !connection.columns(of: "sqlite_sequence").isEmpty
    let highest =
      isNumbered
      ? try connection.integer("SELECT seq FROM sqlite_sequence WHERE name = ?", [.text(name)])
      : nil
    try connection.execute("ALTER TABLE \(name) RENAME TO \(Self.before); \(table.sql)")
    let columns = TableDesign.list(try connection.columns(of: name).filter(old.contains))
    try connection.execute(
      "INSERT INTO \(name) (\(columns)) SELECT \(columns) FROM \(Self.before); "
        + "DROP TABLE \(Self.before)")
    guard let highest else { return }
    try connection.run("DELETE FROM sqlite_sequence WHERE name = ?", [.text(name)])
    try connection.run(
      "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [.text(name), .integer(highest)])
  }
}

extension Connection {
  /// Makes the indexes of a table as they are designed; a user's own stay.
  func makeIndexes(
    of table: String, _ designed: [(name: String, sql: String)]
  ) throws(SQLiteError) {
    let found: [(String, String)] = try rows(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? "
        + "AND sql IS NOT NULL", [.text(table)])
    for (name, sql) in found
    where (sql.holds(TableDesign.indexMark) || designed.contains(where: { $0.name == name }))
      && !designed.contains(where: { $0 == (name, sql) })
    {
      try execute("DROP INDEX \(SQLName.quoted(name))")
    }
    for index in designed where !found.contains(where: { $0 == index }) { try execute(index.sql) }
  }
}
