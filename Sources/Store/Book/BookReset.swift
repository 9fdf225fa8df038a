internal import Base

/// Which rows of the book an occasion is about.
struct BookScope {
  var job: String
  /// The lists that were chosen.
  var lists: [Int64]
  /// For rows that belong to a stream; empty: all streams. Nil: none of these rows.
  var streams: [String]?
}

/// What a reset or a refill does to each table, as the tables themselves say it.
struct BookReset {
  let scope: BookScope
  let connection: Connection

  func perform(_ occasion: BookTable.Occasion) throws(SQLiteError) {
    // Rows are deleted before those that they refer to, and before those that name their owner.
    for table in Book.tables.reversed() {
      guard let effect = table.effects[occasion], let condition = condition(table) else { continue }
      switch effect {
      case .deletes: try connection.delete(table, where: condition)
      case .deletesWhere(let which):
        try connection.delete(table, where: "\(which) AND \(condition)")
      case .sets(let column, let value, let which):
        try connection.update(table, [(column, value)], where: "\(which) AND \(condition)")
      }
    }
    try forgetFacts(occasion)
  }

  /// Facts of single lists go with the lists, the others with their streams.
  private func forgetFacts(_ occasion: BookTable.Occasion) throws(SQLiteError) {
    let kinds = FactKind.allCases.filter { $0.goes(on: occasion) }
    guard !kinds.isEmpty else { return }
    let names = kinds.map { SQLName.literal($0.rawValue) }.joined(separator: ", ")
    var those = ["list_number <> 0 AND \(lists)"]
    if let streams { those.append("list_number = 0\(streams)") }
    try connection.delete(
      Book.facts,
      where: "kind IN (\(names)) AND job = \(SQLName.literal(scope.job)) AND ("
        + those.joined(separator: " OR ") + ")")
  }

  private var lists: String {
    "list_number IN (\(scope.lists.map { "\($0)" }.joined(separator: ", ")))"
  }

  /// Selects the table's rows that the scope is about; nil: none of them.
  private func condition(_ table: BookTable) -> String? {
    let job = SQLName.literal(scope.job)
    switch table.owner {
    case .job: return "job = \(job)"
    case .stream: return streams.map { "job = \(job)\($0)" }
    case .list: return lists
    case .window: return "window IN (SELECT window FROM trawl_windows WHERE \(lists))"
    case .table:
      return "table_name IN (SELECT table_name FROM trawl_tables WHERE job = \(job))"
    case .tableNumber:
      return "table_number IN (SELECT table_number FROM trawl_tables WHERE job = \(job))"
    case .nobody: return nil
    }
  }

  /// A reset that names no stream is about all of them.
  private var streams: String? {
    guard let streams = scope.streams else { return nil }
    let names = ([""] + streams).map { SQLName.literal($0) }.joined(separator: ", ")
    return streams.isEmpty ? "" : " AND stream IN (\(names))"
  }
}
