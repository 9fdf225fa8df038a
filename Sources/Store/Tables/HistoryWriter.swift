internal import Base

/// Writes down the values of one table's volatile columns, as one stream finds them.
final class HistoryWriter {
  private let statement: Statement
  private let keySlots: [Int]
  /// The number of each volatile column, by its slot.
  private let numbers: [Int: Int64]
  private let connection: Connection

  /// Nil: no column is volatile.
  init?(
    of table: TableDesign, keySlots: [Int], volatile: [(slot: Int, name: String)],
    _ design: JobDesign, _ connection: Connection
  ) throws {
    if volatile.isEmpty { return nil }
    guard let rows = design.table(table.name + HistoryDesign.rowsEnd) else {
      throw StoreError(.bug, table.name, "its history was not designed")
    }
    let known = try connection.rows(
      "SELECT column_name, column_number FROM trawl_history_columns WHERE table_name = ?",
      [.text(rows.name)]
    ) { ($0.text(0) ?? "", $0.integer(1)) }
    let byName = Dictionary(known) { one, _ in one }
    var numbers: [Int: Int64] = [:]
    for (slot, name) in volatile {
      guard let number = byName[name] else {
        throw StoreError(.bug, rows.name, "its column \(name) has no number")
      }
      numbers[slot] = number
    }
    let names = rows.key + ["value"]
    let values = names.indices.map { "?\($0 + 1)" }
    let seal = rows.sealOfNew(Dictionary(zip(names, values)) { first, _ in first })
    // One value for each instant: `note` finds one that is free.
    statement = try connection.prepare(
      "INSERT INTO \(SQLName.quoted(rows.name)) (\(TableDesign.list(names)), "
        + "\(TableDesign.seal)) VALUES (\(values.joined(separator: ", ")), \(seal)) "
        + "ON CONFLICT (\(TableDesign.list(rows.key))) DO NOTHING")
    self.keySlots = keySlots
    self.numbers = numbers
    self.connection = connection
  }

  /// Values of one counter in one second. cut: a clock that stands still for so long tells no times
  private static let sameSecondMax: Int64 = 1_000

  /// - Parameter slots: those whose value is another one than before.
  func note(_ slots: [Int], of row: RowBuffer, at now: String) throws(SQLiteError) {
    guard !slots.isEmpty, let instant = Instant(stored: now) else { return }
    for slot in slots {
      // Twice in one second, or a clock that shows a second for the second time: no value takes the
      // place of an earlier one.
      for later in Int64(0)...Self.sameSecondMax
      where try note(slot, of: row, at: instant.seconds + later) {
        break
      }
    }
  }

  /// False: there is a value of that second.
  private func note(
    _ slot: Int, of row: RowBuffer, at seconds: Int64
  ) throws(SQLiteError) -> Bool {
    for (index, key) in keySlots.enumerated() {
      try row.bind(key, to: statement, at: index + 1)
    }
    let next = keySlots.count + 1
    try statement.bind(next, numbers[slot] ?? 0)
    try statement.bind(next + 1, seconds)
    try row.bind(slot, to: statement, at: next + 2)
    try statement.run()
    return connection.changedRows > 0
  }
}
