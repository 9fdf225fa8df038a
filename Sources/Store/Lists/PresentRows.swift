internal import Base

/// How many rows of a table are there and not marked as gone. Where one stream alone fills the table the
/// number is kept with it, by the transactions that write the rows: a night that brings little does not
/// count a table of millions.
struct PresentRows {
  let table: String
  /// What tells the stream's rows from those of others, as SQL over the table `p`.
  let condition: String?
  let isKept: Bool

  /// What is kept; nil: nothing is, and who asks counts.
  func known(_ connection: Connection) throws(SQLiteError) -> Int? {
    guard isKept, case .integer(let rows)? = try connection.fact(FactKey(.present, table)) else {
      return nil
    }
    return Int(rows)
  }

  /// Reads the table, and keeps what was found.
  @discardableResult
  func count(_ connection: Connection) throws(SQLiteError) -> Int {
    let rows =
      try connection.integer(
        "SELECT count(*) FROM \(SQLName.quoted(table)) p "
          + "WHERE p.vanished_at IS NULL AND \(condition ?? "1")") ?? 0
    if isKept {
      try connection.note(FactKey(.present, table), .integer(rows))
    }
    return Int(rows)
  }

  /// In the transaction that brings rows, or marks them as gone.
  func add(_ rows: Int, _ connection: Connection) throws(SQLiteError) {
    guard isKept, rows != 0 else { return }
    try connection.add(rows, to: FactKey(.present, table))
  }

  /// Of a table that was empty as long as this number is kept, nothing need ever be counted.
  func begin(_ connection: Connection) throws(SQLiteError) {
    guard isKept, try known(connection) == nil else { return }
    // cut: one is enough
    let isEmpty =
      try connection.integer("SELECT 1 FROM \(SQLName.quoted(table)) LIMIT 1") == nil
    if isEmpty { try count(connection) }
  }
}
