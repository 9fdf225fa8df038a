internal import Base

/// What the transaction in hand has to write of itself before it is committed: how many rows its tables have,
/// the last change number, and what its run has brought.
final class PendingBook: PendingWrites {
  private var rows: [String: Int] = [:]
  private var runs: [Int64: RunCounts] = [:]
  /// The change number in hand, and whether a row has it.
  private var number: Int64?
  private var isUsed = false
  /// The last that was used in this transaction.
  private var last: Int64?

  /// Statements of the book by what they are made of.
  private var texts: [[String]: String] = [:]
  private static let textsMax = 256

  /// The text of a statement, made once of its parts: those of a page have forty columns, each of them twice.
  func text(_ parts: [String], _ make: () -> String) -> String {
    if let known = texts[parts] { return known }
    if texts.count >= Self.textsMax { texts = [:] }
    let made = make()
    texts[parts] = made
    return made
  }

  // MARK: Counts

  /// Rows of the table came, or went.
  func count(_ number: Int, of table: String) {
    if number != 0 { rows[table, default: 0] += number }
  }

  /// Records of the table came, changed or went in a run.
  func count(_ counts: RunCounts.Table, of table: String, in run: Int64) {
    var all = runs[run] ?? RunCounts()
    if counts != RunCounts.Table() { all.add(counts, of: table) }
    runs[run] = all
  }

  // MARK: The change number

  /// What is written from here on belongs to another page, or another mark.
  func beginChange() {
    if isUsed { last = number }
    number = nil
    isUsed = false
  }

  /// Of what is written now.
  func change(_ connection: Connection) throws(SQLiteError) -> Int64 {
    if let number { return number }
    let before = try latest(connection)
    number = before + 1
    return before + 1
  }

  func useChange() { isUsed = true }

  /// The last that a row has by now.
  func latest(_ connection: Connection) throws(SQLiteError) -> Int64 {
    if isUsed, let number { return number }
    if let last { return last }
    return try Self.last(connection)
  }

  /// The last of the file.
  static func last(_ connection: Connection) throws(SQLiteError) -> Int64 {
    guard case .integer(let number)? = try connection.fact(FactKey(.change)) else { return 0 }
    return number
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
