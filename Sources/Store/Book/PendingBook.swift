internal import Base

/// What the current transaction must still write before its commit: the row counts of its tables,
/// the last change number, and the counts of its run.
final class PendingBook: PendingWrites {
  private var rows: [String: Int] = [:]
  private var runs: [Int64: RunCounts] = [:]
  /// The current change number, and whether a row has it.
  private var number: Int64?
  private var isUsed = false
  /// The last number that was used in this transaction.
  private var last: Int64?

  /// SQL of the book's statements, by its parts.
  private var texts: [StatementParts: String] = [:]
  private static let textsMax = 256

  /// The SQL of a statement, built once from its parts: a page's has forty columns, each twice.
  func text(_ parts: [String], _ make: () -> String) -> String {
    let parts = StatementParts(parts: parts.map(ExactText.init))
    if let known = texts[parts] { return known }
    if texts.count >= Self.textsMax { texts = [:] }
    let made = make()
    texts[parts] = made
    return made
  }

  // MARK: Counts

  /// Counts rows that were inserted or deleted.
  func count(_ number: Int, of table: String) {
    if number != 0 { rows[table, default: 0] += number }
  }

  /// Counts records that a run inserted, changed or removed.
  func count(_ counts: RunCounts.Table, of table: String, in run: Int64) {
    var all = runs[run] ?? RunCounts()
    if counts != RunCounts.Table() { all.add(counts, of: table) }
    runs[run] = all
  }

  // MARK: The change number

  /// Later writes belong to another page or mark.
  func beginChange() {
    if isUsed { last = number }
    number = nil
    isUsed = false
  }

  /// The number of the current change.
  func change(_ connection: Connection) throws(SQLiteError) -> Int64 {
    if let number { return number }
    let next = try latest(connection).nextStored()
    number = next
    return next
  }

  func useChange() { isUsed = true }

  /// The highest number that a row has by now.
  func latest(_ connection: Connection) throws(SQLiteError) -> Int64 {
    if isUsed, let number { return number }
    if let last { return last }
    return try Self.last(connection)
  }

  /// The last number in the file.
  static func last(_ connection: Connection) throws(SQLiteError) -> Int64 {
    try connection.fact(FactKey(.change))?.integer ?? 0
  }

  // MARK: Writing

  func flush(_ connection: Connection) throws(SQLiteError) {
    beginChange()
    if let last {
      let first = try Self.last(connection) + 1
      try connection.note(FactKey(.change), .integer(last))
      for (run, counts) in runs.sorted(by: { $0.key < $1.key }) {
        try counts.save(first...last, of: run, connection)
      }
    }
    (last, runs) = (nil, [:])
    let due = rows.filter { $0.value != 0 }.sorted { $0.key < $1.key }
    rows = [:]
    for (name, number) in due { try connection.add(number, to: FactKey(.rows, name)) }
  }
}

extension Connection {
  var pendingBook: PendingBook {
    if let book = pending as? PendingBook { return book }
    let book = PendingBook()
    pending = book
    return book
  }
}

/// Compared by all parts, but hashed by a few: hashing forty columns costs more.
private struct StatementParts: Hashable {
  let parts: [ExactText]

  func hash(into hasher: inout Hasher) {
    hasher.combine(parts.count)
    hasher.combine(parts.first)
    hasher.combine(parts.last)
  }
}
