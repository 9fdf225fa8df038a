internal import SQLite

/// Makes every table, index and view of the book exactly as `Book` has it: in a new file, and at
/// the end of an upgrade. So an upgraded file cannot differ from a new one.
struct Shapes {
  let connection: Connection
  /// The version of the file that is upgraded; 0: it is new.
  let version: Int64

  /// A table under this name waits to be copied into its successor.
  private static let before = "trawl_before"

  /// Inside a transaction, with `Seals.mark` done, foreign keys not enforced, and without our views.
  func adopt() throws {
    for table in Book.tables {
      try adopt(table)
      try adoptIndexes(of: table)
    }
    let counts = RowCounts(connection: connection)
    try counts.begin(RowCounts.ofBook + counts.histories(), seal: "1")
    try Seals.renew(connection)
    try connection.execute(Book.trust)
    try ViewDesign.makeAll(connection)
    try connection.execute("PRAGMA user_version = \(Book.version)")
  }

  private func adopt(_ table: BookTable) throws {
    let found = try connection.text(
      "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", [.text(table.name)])
    guard let found else {
      // An empty one in its place would hide that its rows are lost.
      guard version < table.since else { throw DatabaseFile.missing([table.name], connection.path) }
      try connection.execute(table.sql)
      return try fill(table)
    }
    // Its rows are the program's own, and not those of an older one.
    if table.firstRows != nil {
      try connection.execute("DROP TABLE \(table.name); \(table.sql)")
      return try fill(table)
    }
    guard found != table.sql else { return }
    let names = TableDesign.list(try connection.columns(of: table.name))
    try replace(table.name, by: table.name) {
      "\(table.sql); INSERT INTO \(table.name) (\(names)) SELECT \(names) FROM \($0)"
    }
  }

  private func fill(_ table: BookTable) throws {
    if let rows = table.firstRows { try connection.execute(rows) }
    try connection.execute("UPDATE \(table.name) SET \(Seals.column) = 1")
  }

  private func adoptIndexes(of table: BookTable) throws {
    let found = try connection.rows(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? "
        + "AND sql IS NOT NULL", [.text(table.name)]
    ) { ($0.text(0) ?? "", $0.text(1) ?? "") }
    for (name, sql) in found where !table.indexes.contains(where: { $0 == (name, sql) }) {
      try connection.execute("DROP INDEX \(SQLName.quoted(name))")
    }
    for index in table.indexes where !found.contains(where: { $0 == index }) {
      try connection.execute(index.sql)
    }
  }

  /// Puts the table aside, has its successor made from it, and drops it. Numbers that it gave are
  /// never given again.
  func replace(_ table: String, by next: String, _ statements: (String) -> String) throws {
    let highest = try highestNumber(of: table)
    try connection.execute("ALTER TABLE \(table) RENAME TO \(Self.before)")
    try connection.execute(statements(Self.before))
    try connection.execute("DROP TABLE \(Self.before)")
    guard let highest else { return }
    try connection.run("DELETE FROM sqlite_sequence WHERE name = ?", [.text(next)])
    try connection.run(
      "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [.text(next), .integer(highest)])
  }

  private func highestNumber(of table: String) throws(SQLiteError) -> Int64? {
    let isKept = try connection.integer(
      "SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'")
    guard isKept != nil else { return nil }
    return try connection.integer(
      "SELECT seq FROM sqlite_sequence WHERE name = ?", [.text(table)])
  }
}
