internal import Base

/// Which rows of the book an occasion is about.
struct BookScope {
  var job: String
  /// The lists that were chosen.
  var lists: [Int64]
  /// Of rows that belong to a stream; empty: all streams. Nil: not these rows.
  var streams: [String]?
}

/// What a reset or a refill does to each table, as the tables themselves say it.
struct BookReset {
  let scope: BookScope
  let connection: Connection

  func perform(_ occasion: BookTable.Occasion) throws(SQLiteError) {
    // Rows go before those that they refer to, and before those that say whose they are.
    for table in Book.tables.reversed() {
      guard let effect = table.effects[occasion], let condition = condition(table) else { continue }
      switch effect {
      case .deletes: try connection.run("DELETE FROM \(table.name) WHERE \(condition)")
      case .deletesWhere(let which):
        try connection.run("DELETE FROM \(table.name) WHERE \(which) AND \(condition)")
      case .sets(let values, let which):
        try connection.run("UPDATE \(table.name) SET \(values) WHERE \(which) AND \(condition)")
      }
    }
  }

  /// Selects the table's rows that the scope is about; nil: none of them.
  private func condition(_ table: BookTable) -> String? {
    let job = SQLName.literal(scope.job)
    let lists = "list_number IN (\(scope.lists.map { "\($0)" }.joined(separator: ", ")))"
    switch table.owner {
    case .job: return "job = \(job)"
    case .stream: return streams.map { "job = \(job)\($0)" }
    case .list: return lists
    case .window: return "window IN (SELECT window FROM trawl_windows WHERE \(lists))"
    case .table:
      return "table_name IN (SELECT table_name FROM trawl_tables WHERE job = \(job))"
    case .nobody: return nil
    }
  }

  /// What names no stream is about all of them.
  private var streams: String? {
    guard let streams = scope.streams else { return nil }
    let names = ([""] + streams).map { SQLName.literal($0) }.joined(separator: ", ")
    return streams.isEmpty ? "" : " AND stream IN (\(names))"
  }
}
