internal import Model
internal import SQLite

/// Marks what a walk of the whole list did not bring. Never deletes; never believes that a large
/// part of a list went at once unless a person says so.
struct Vanishing {
  private let unit: OpenUnit
  private let connection: Connection
  private let probe: SeenProbe
  private let now: String
  private(set) var marked = 0
  private(set) var withheld = 0
  /// What to call the first few that are gone.
  private(set) var samples: [String] = []

  init(_ unit: OpenUnit, _ connection: Connection, _ probe: SeenProbe, now: String) {
    self.unit = unit
    self.connection = connection
    self.probe = probe
    self.now = now
  }

  mutating func mark(accepting accepted: Int) throws(SQLiteError) {
    probe.keys = unit.seen
    defer { probe.keys = KeySet() }
    if let list = unit.plan.list {
      let (condition, values) = list.condition(unit)
      let isGone = try markRows(
        of: list.table, keys: list.keyNames, condition, values, accepting: accepted)
      if isGone { try markRecords(list, condition, values) }
    } else if unit.unit.values.isEmpty, isOnlyOwner {
      _ = try markRows(
        of: unit.plan.table, keys: unit.plan.table.key, "1", [], accepting: accepted)
    }
  }

  /// Without a membership table only a list that is the whole table can tell who left it.
  private var isOnlyOwner: Bool {
    unit.plan.table.columns.allSatisfy { column in
      column.writers.isEmpty || column.writers.contains(unit.plan.stream.name)
    } && unit.plan.table.columns.contains { $0.writers == [unit.plan.stream.name] }
  }

  private mutating func markRows(
    of table: TableDesign, keys: [String], _ condition: String, _ values: [SQLValue],
    accepting accepted: Int
  ) throws(SQLiteError) -> Bool {
    let name = SQLName.quoted(table.name)
    let gone = "vanished_at IS NULL AND \(condition) AND NOT trawl_seen(\(TableDesign.list(keys)))"
    let present = Int(
      try connection.integer(
        "SELECT count(*) FROM \(name) WHERE vanished_at IS NULL AND \(condition)", values) ?? 0)
    let count = Int(
      try connection.integer("SELECT count(*) FROM \(name) WHERE \(gone)", values) ?? 0)
    if count == 0 { return false }
    let isMany =
      count > RecordStore.vanishingRowsMax
      && count * 100 > present * RecordStore.vanishingPercentMax
    // A list that is empty at once is likelier an API that has lost its way, however short it was.
    if isMany || unit.seen.count == 0, count > accepted {
      withheld = count
      return false
    }
    samples = try names(of: table, keys: keys, where: gone, values)
    // The instant comes last: the values of the condition are numbered by their places.
    try connection.run(
      "UPDATE \(name) SET vanished_at = ?\(values.count + 1), "
        + table.sealing(["vanished_at": "?\(values.count + 1)"]) + " WHERE \(gone)",
      values + [.text(now)])
    marked = count
    return true
  }

  /// The record's title if the job names one, else its key.
  private func names(
    of table: TableDesign, keys: [String], where gone: String, _ values: [SQLValue]
  ) throws(SQLiteError) -> [String] {
    let key = keys.map { "CAST(\(SQLName.quoted($0)) AS TEXT)" }.joined(separator: " || ' ' || ")
    let record = unit.plan.table
    var name = key
    if let title = unit.plan.stream.roles["title"], record.column(title) != nil {
      name =
        "coalesce((SELECT r.\(SQLName.quoted(title)) FROM \(SQLName.quoted(record.name)) r "
        + "WHERE (\(record.key.map { "r.\(SQLName.quoted($0))" }.joined(separator: ", "))) = "
        + "(\(keys.map { "m.\(SQLName.quoted($0))" }.joined(separator: ", ")))), \(key))"
    }
    return try connection.rows(
      "SELECT \(name) FROM \(SQLName.quoted(table.name)) m WHERE \(gone) "
        // cut: samples beside their count
        + "LIMIT \(PageReceipt.samplesMax)", values
    ) { $0.text(0) ?? "" }
  }

  /// A record is gone when no list has it any more, and no other stream vouches for it.
  private func markRecords(
    _ list: ListPlan, _ condition: String, _ values: [SQLValue]
  ) throws(SQLiteError) {
    let table = unit.plan.table
    guard let vouching else { return }
    let key = TableDesign.list(table.key)
    let others = unit.plan.otherLists.map { list in
      "(\(key)) NOT IN (SELECT \(TableDesign.list(list.keyNames)) FROM "
        + "\(SQLName.quoted(list.table)) WHERE vanished_at IS NULL)"
    }
    let left =
      "SELECT \(TableDesign.list(list.keyNames)) FROM \(SQLName.quoted(list.table.name)) "
      + "WHERE vanished_at = ?\(values.count + 1) AND \(condition)"
    try connection.run(
      "UPDATE \(SQLName.quoted(table.name)) SET vanished_at = ?\(values.count + 1), "
        + table.sealing(["vanished_at": "?\(values.count + 1)"])
        + " WHERE vanished_at IS NULL AND (\(key)) IN (\(left)) "
        + (others + vouching.map { "\($0) IS NULL" }).map { "AND \($0)" }.joined(separator: " "),
      values + [.text(now)])
  }

  /// Digest columns of streams that bring records without a list: where one is filled, the record
  /// was asked for by itself. Nil when such a stream shares all its columns: then none is marked.
  private var vouching: [String]? {
    let lone = unit.plan.loneStreams
    if lone.isEmpty { return [] }
    let table = unit.plan.table
    var columns: [String] = []
    for stream in lone {
      let own = table.hashes.filter { hash in
        hash.columns.contains { name in table.column(name)?.writers == [stream] }
      }
      if own.isEmpty { return nil }
      columns += own.map(\.column)
    }
    return columns
  }
}
