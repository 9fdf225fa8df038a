internal import Base

/// How many rows of a table are there and not marked as gone. The number is kept with the table, by the
/// transactions that write its rows: a night that brings little does not count a table of millions. It is the
/// one answer to how many rows there are, for whoever asks.
struct PresentRows {
  let table: String
  /// What tells the stream's rows from those of others, as SQL over the table `p`.
  let condition: String?
  /// Of no nested list too, whose entries are written with their records.
  let isKept: Bool
  /// One stream alone fills the table, and its rows are the list.
  let isOfOneStream: Bool

  /// What is kept of the table; nil: nothing is, and who asks counts.
  static func kept(_ table: String, _ connection: Connection) throws(SQLiteError) -> Int? {
    guard case .integer(let rows)? = try connection.fact(FactKey(.present, table)) else {
      return nil
    }
    return Int(rows)
  }

  /// Of any table of records.
  static func rows(of table: String, _ connection: Connection) throws(SQLiteError) -> Int {
    if let kept = try kept(table, connection) { return kept }
    return try connection.count(
      "SELECT count(*) FROM \(SQLName.quoted(table)) WHERE vanished_at IS NULL")
  }

  /// The rows of the stream; nil: they are to be counted.
  func known(_ connection: Connection) throws(SQLiteError) -> Int? {
    isOfOneStream ? try Self.kept(table, connection) : nil
  }

  /// Reads the table, and keeps what was found.
  @discardableResult
  func count(_ connection: Connection) throws(SQLiteError) -> Int {
    let rows = try connection.count(
      "SELECT count(*) FROM \(SQLName.quoted(table)) p "
        + "WHERE p.vanished_at IS NULL AND \(condition ?? "1")")
    if isKept, condition == nil {
      try connection.note(FactKey(.present, table), .integer(Int64(rows)))
    }
    return rows
  }

  /// In the transaction that brings rows.
  func add(_ rows: Int, _ connection: Connection) throws(SQLiteError) {
    guard isKept, rows != 0 else { return }
    try connection.add(rows, to: FactKey(.present, table))
  }

  /// Of a table that was empty as long as this number is kept, nothing need ever be counted.
  static func begin(_ table: TableDesign, _ connection: Connection) throws(SQLiteError) {
    guard table.kind == .records, try kept(table.name, connection) == nil else { return }
    if try connection.has(SQLName.quoted(table.name)) { return }
    try connection.note(FactKey(.present, table.name), .integer(0))
  }
}
