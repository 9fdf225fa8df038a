internal import Base

/// Records what the records of one table held before they changed.
final class ChangeLog {
  private let table: Int64
  private let connection: Connection
  private let insert: Statement

  private static let columns = ["change", "table_number", "record_key", "at", "kind", "old"]

  init(of table: String, _ connection: Connection) throws(SQLiteError) {
    self.table = try Self.number(of: table, connection)
    self.connection = connection
    insert = try connection.prepare(
      Book.changes.insertion(Self.columns) + " ON CONFLICT DO NOTHING")
  }

  /// The table's number in the log.
  static func number(of table: String, _ connection: Connection) throws(SQLiteError) -> Int64 {
    try connection.integer(
      "SELECT table_number FROM trawl_tables WHERE table_name = ?", [.text(table)]) ?? 0
  }

  /// - Parameter key: as text.
  func note(
    _ change: RowWriter.Change, of key: String, at now: String, _ names: [String]
  ) throws(SQLiteError) {
    let number = try connection.pendingBook.change(connection)
    let old = Self.json(change.earlier.map { (names[$0.slot], $0.value) })
    try insert.bind([
      .integer(number), .integer(table), .text(key),
      .integer(Instant(stored: now)?.seconds ?? 0),
      change.kind == .moved ? .null : .text(change.kind.rawValue),
      SQLValue(old),
    ])
    try insert.run()
    guard connection.changedRows == 0 else {
      return connection.pendingBook.count(1, of: Book.changes.name)
    }
    try merge(old, into: number, key)
  }

  /// What a record held before this change, as JSON.
  func old(of key: String, at number: Int64) throws(SQLiteError) -> String? {
    try connection.text(
      "SELECT old FROM trawl_changes WHERE change = ? AND table_number = ? AND record_key = ?",
      [.integer(number), .integer(table), .text(key)])
  }

  /// Two records of a page have one key: what the first of them replaced is the earlier value.
  private func merge(
    _ old: String?, into number: Int64, _ key: String
  ) throws(SQLiteError) {
    let this = "change = ? AND table_number = ? AND record_key = ?"
    let row: [SQLValue] = [.integer(number), .integer(table), .text(key)]
    let first = try connection.text("SELECT old FROM trawl_changes WHERE \(this)", row)
    var values = KeptRow.read(first)
    for (name, value) in KeptRow.read(old) where !values.contains(where: { $0.name == name }) {
      values.append((name, value))
    }
    try connection.set(Book.changes, [("old", SQLValue(Self.json(values)))], where: this, row)
  }

  private static func json(_ values: NamedRow) -> String? {
    values.isEmpty ? nil : KeptRow.text(values)
  }
}

extension RowWriter.Change {
  /// It replaces nothing: columns are filled for the first time.
  var isFirst: Bool { kind != .back && earlier.allSatisfy { $0.value == .null } }
}
