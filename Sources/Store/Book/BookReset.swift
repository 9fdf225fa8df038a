internal import Base

/// Applies a reset or a refill: each table declares what it does to its rows.
struct BookReset {
  let job: String
  /// The lists that were chosen.
  let lists: [Int64]
  /// Streams whose rows are affected; empty: all. Nil: no rows of streams.
  let streams: [String]?
  let connection: Connection

  func perform(_ occasion: BookTable.Occasion) throws(SQLiteError) {
    // Rows are deleted before those that they refer to, and before those that name their owner.
    for table in Book.tables.reversed() {
      guard let effect = table.effects[occasion], let condition = condition(table) else { continue }
      switch effect {
      case .deletes: try connection.delete(table, where: condition)
      case .deletesWhere(let which):
        try connection.delete(table, where: "\(which) AND \(condition)")
      case .sets(let columns, let value, let which):
        try connection.update(
          table, columns.map { ($0, value) }, where: "\(which) AND \(condition)")
      }
    }
    try forgetFacts(occasion)
  }

  /// Facts of single lists go with the lists, the others with their streams.
  private func forgetFacts(_ occasion: BookTable.Occasion) throws(SQLiteError) {
    let kinds = FactKind.allCases.filter { $0.goes(on: occasion) }
    guard !kinds.isEmpty else { return }
    let names = kinds.map { SQLName.literal($0.rawValue) }.joined(separator: ", ")
    var those = ["list_number <> 0 AND \(isOfLists)"]
    if let isOfStreams { those.append("list_number = 0\(isOfStreams)") }
    try connection.delete(
      Book.facts,
      where: "kind IN (\(names)) AND job = \(SQLName.literal(job)) AND ("
        + those.joined(separator: " OR ") + ")")
  }

  var isOfLists: String {
    "list_number IN (\(lists.map { "\($0)" }.joined(separator: ", ")))"
  }

  /// Selects the affected rows of a table; nil: none.
  func condition(_ table: BookTable) -> String? {
    let job = SQLName.literal(self.job)
    switch table.owner {
    // They are of no single stream.
    case .job: return streams == [] ? "job = \(job)" : nil
    case .stream: return isOfStreams.map { "job = \(job)\($0)" }
    case .list: return isOfLists
    case .window: return "window IN (SELECT window FROM trawl_windows WHERE \(isOfLists))"
    case .table:
      return "table_name IN (SELECT table_name FROM trawl_tables WHERE job = \(job))"
    case .tableNumber:
      return "table_number IN (SELECT table_number FROM trawl_tables WHERE job = \(job))"
    case .nobody: return nil
    }
  }

  /// A row without a stream is about all of them.
  private var isOfStreams: String? {
    guard let streams else { return nil }
    let names = ([""] + streams).map { SQLName.literal($0) }.joined(separator: ", ")
    return streams.isEmpty ? "" : " AND stream IN (\(names))"
  }
}
