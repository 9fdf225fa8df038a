internal import Base

/// What records held before they changed: `trawl report --changes` shows it beside what they hold now.
extension Book {
  static let earlier = BookTable(
    "trawl_earlier", of: .table, on: [.resetRecords: .deletes],
    """
    table_name TEXT NOT NULL,
    record_key TEXT NOT NULL, -- of several columns a JSON list
    column_name TEXT NOT NULL,
    at TEXT NOT NULL, -- when the column got another value; the last \(EarlierValues.most) are kept
    value ANY, -- what it held until then
    """, ["PRIMARY KEY (table_name, record_key, column_name, at)"], isWithoutRowid: true)
}

/// Keeps the values that one table's records had before a change. Volatile columns have a history of their
/// own, of all their values.
struct EarlierValues {
  /// Of each column of each record: a week of nights. One that changes each night is to be volatile.
  static let most = 8

  private let table: String
  private let insert: Statement
  private let prune: Statement

  init(of table: String, _ connection: Connection) throws(SQLiteError) {
    self.table = table
    // Twice in one second: what it held before the first of the two.
    insert = try connection.prepare(
      "INSERT INTO trawl_earlier (table_name, record_key, column_name, at, value) "
        + "VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING")
    prune = try connection.prepare(
      "DELETE FROM trawl_earlier WHERE table_name = ?1 AND record_key = ?2 AND column_name = ?3 "
        // cut: the column says how many are kept
        + "AND at <= (SELECT at FROM trawl_earlier WHERE table_name = ?1 AND record_key = ?2 "
        + "AND column_name = ?3 ORDER BY at DESC LIMIT 1 OFFSET \(Self.most))")
  }

  func note(
    _ values: [(slot: Int, value: SQLValue)], of key: String, at now: String, _ fields: [Field]
  ) throws(SQLiteError) {
    for (slot, value) in values {
      let row: [SQLValue] = [.text(table), .text(key), .text(fields[slot].name)]
      try insert.bind(row + [.text(now), value])
      try insert.run()
      try prune.bind(row)
      try prune.run()
    }
  }
}
