internal import SQLite

/// How many rows of a table are there and not gone, where that is known without reading the table: it was
/// empty, or counted once in this run, and what came since is added.
struct KnownRows {
  /// By table; nil: nobody knows before they are counted.
  private var counts: [String: Int?] = [:]

  func hasBegun(_ table: String) -> Bool { counts[table] != nil }

  subscript(table: String) -> Int? {
    get { counts[table] ?? nil }
    set { counts[table] = .some(newValue) }
  }

  mutating func add(_ rows: Int, to table: String) {
    if let known = self[table] { self[table] = known + rows }
  }

  /// After a transaction that was rolled back, and where rows were marked as gone.
  mutating func lose(_ table: String) { self[table] = nil }
}

extension StreamPlan {
  /// Before the first page of the run. What an earlier run has left may have been stored by another job
  /// file, so that only an empty table is known.
  func rowsAtFirst(_ connection: Connection) throws(SQLiteError) -> Int? {
    guard isAlone else { return nil }
    let isEmpty =
      try connection.integer("SELECT 1 FROM \(SQLName.quoted(table.name)) LIMIT 1") == nil
    return isEmpty ? 0 : nil
  }
}
