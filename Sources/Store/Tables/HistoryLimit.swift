public import Base

/// Changes of a table that are no longer kept: what its records held before is unknown.
struct HistoryLimit {
  /// The last of them, and its time.
  var change: Int64
  var at: Instant

  /// - Parameter table: its number.
  static func of(_ table: Int64, _ connection: Connection) throws(SQLiteError) -> HistoryLimit? {
    try connection.row(
      "SELECT forgotten, forgotten_at FROM trawl_tables WHERE table_number = ? "
        + "AND forgotten IS NOT NULL", [.integer(table)]
    ) { HistoryLimit(change: $0.integer(0), at: Instant(seconds: $0.integer(1))) }
  }
}

extension RecordStore {
  private static let forgottenAtOnce = 500

  /// Deletes what records of the job held before a time, some changes in each transaction.
  public func forgetChanges(of job: String, before time: Instant) throws(StoreError) {
    let tables = try guarded {
      try connection.rows("SELECT table_number FROM trawl_tables WHERE job = ?", [.text(job)]) {
        $0.integer(0)
      }
    }
    for table in tables { while try forgetSome(of: table, before: time) {} }
  }

  /// Returns false if none is left.
  private func forgetSome(of table: Int64, before time: Instant) throws(StoreError) -> Bool {
    try write {
      let last = try HistoryLimit.of(table, connection)?.change ?? 0
      // Numbers rise with time: from the first recent one on all stay.
      let first = try connection.integer(
        "SELECT change FROM trawl_changes WHERE change > ? AND at >= ? "
          + "ORDER BY change LIMIT 1", [.integer(last), .integer(time.seconds)])
      // By change number: without the plus SQLite would search by table and read all of its
      // changes.
      let due = try connection.rows(
        "SELECT change, at FROM trawl_changes WHERE change > ? AND change < ? "
          // cut: the rest goes in the next transaction
          + "AND +table_number = ? ORDER BY change LIMIT \(Self.forgottenAtOnce)",
        [.integer(last), .integer(first ?? .max), .integer(table)]
      ) { HistoryLimit(change: $0.integer(0), at: Instant(seconds: $0.integer(1))) }
      guard let end = due.last else { return false }
      try connection.delete(
        Book.changes, where: "change > ? AND change <= ? AND +table_number = ?",
        [.integer(last), .integer(end.change), .integer(table)])
      try connection.set(
        Book.jobTables,
        [("forgotten", .integer(end.change)), ("forgotten_at", .integer(end.at.seconds))],
        where: "table_number = ?", [.integer(table)])
      return true
    }
  }
}
