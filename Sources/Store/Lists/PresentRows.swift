internal import Base

/// How many rows of a table are not marked as gone. The number is kept with the table, by the
/// transactions that write its rows. A run counts each table once, when it begins: fewer rows mean that
/// another program removed some. Every caller that needs the number of rows asks here.
struct PresentRows {
  let table: String
  /// The condition for the stream's own rows, as SQL over the table `p`.
  let condition: String?
  /// Not kept for nested lists, whose entries are written with their records.
  let isKept: Bool
  /// A single stream fills the table, and its rows are the list.
  let isOfOneStream: Bool

  /// The number kept for the table; nil: none is kept, and the caller counts.
  static func kept(_ table: String, _ connection: Connection) throws(SQLiteError) -> Int? {
    try connection.fact(FactKey(.present, table))?.integer.map(Statement.count)
  }

  /// For any table of records.
  static func rows(of table: String, _ connection: Connection) throws(SQLiteError) -> Int {
    if let kept = try kept(table, connection) { return kept }
    return try connection.count(of: "\(SQLName.quoted(table)) WHERE vanished_at IS NULL")
  }

  /// The number of the stream's rows; nil: they must be counted.
  func known(_ connection: Connection) throws(SQLiteError) -> Int? {
    isOfOneStream ? try Self.kept(table, connection) : nil
  }

  /// Counts the table, and stores the number.
  @discardableResult
  func count(_ connection: Connection) throws(SQLiteError) -> Int {
    let rows = try connection.count(
      of: "\(SQLName.quoted(table)) p WHERE p.vanished_at IS NULL AND \(condition ?? "1")")
    if isKept, condition == nil {
      try connection.note(FactKey(.present, table), .integer(Int64(rows)))
    }
    return rows
  }

  /// Call it in the transaction that adds rows.
  func add(_ rows: Int, _ connection: Connection) throws(SQLiteError) {
    guard isKept, rows != 0 else { return }
    try connection.add(rows, to: FactKey(.present, table))
  }

  /// How many rows of a table another program has removed, and the count that still has them; nil: none.
  static func removed(
    from table: TableDesign, _ connection: Connection
  ) throws(SQLiteError) -> (count: FactKey, rows: Int)? {
    let isNested = table.kind == .child
    let count = FactKey(isNested ? .rows : .present, table.name)
    guard let kept = try connection.fact(count)?.integer else { return nil }
    let there = try connection.count(
      of: SQLName.quoted(table.name) + (isNested ? "" : " WHERE vanished_at IS NULL"))
    return there < kept ? (count, Int(kept) - there) : nil
  }

  /// Call it where a table may have been made or changed: from here on its number is kept.
  static func begin(_ table: TableDesign, _ connection: Connection) throws(SQLiteError) {
    guard table.kind == .records, try kept(table.name, connection) == nil else { return }
    let rows = try rows(of: table.name, connection)
    try connection.note(FactKey(.present, table.name), .integer(Int64(rows)))
  }
}
