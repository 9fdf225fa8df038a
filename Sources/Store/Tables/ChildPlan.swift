internal import Base

/// A nested list of a record, with its own table.
final class ChildPlan {
  /// As the job calls it.
  let name: String
  /// Its name among those of columns, none of which ends so: `tags[]`.
  let part: String
  let records: JSONPath
  let table: TableDesign
  let fields: [Field]
  let row: RowBuffer
  let writer: RowWriter
  let keySlots: [Int]
  let names: [String]
  let hasParent: Bool
  /// A column has the position: the same entry has another value at another position.
  let hasPosition: Bool
  /// Whether this stream may mark entries as gone. A list may return fewer entries than a record's details do, so the
  /// details decide; of two kinds of details, neither does.
  let mayMarkGone: Bool
  let changes: ChangeLog
  /// Selects the present entries of a parent.
  private let own: String
  private let present: Statement?

  init(
    _ child: ChildTable, of stream: Stream, _ design: JobDesign, keySlots parentSlots: [Int],
    _ connection: Connection
  ) throws {
    (name, part) = (child.table, "\(child.table)[]")
    records = child.records
    table = try design.designed(child.table)
    hasParent = !child.parentKeyNames.isEmpty
    func hasSame(_ other: Stream) -> Bool { other.children.contains { $0.table == child.table } }
    let details = design.job.streams.filter { other in
      hasSame(other) && other.parent.flatMap { design.job.stream($0.stream) }.map(hasSame) == true
    }
    mayMarkGone = details.isEmpty || details.map(\.name) == [stream.name]
    hasPosition = child.columns.contains { $0.source == .position }
    var fields = zip(child.parentKeyNames, parentSlots).map { Field($0, ofParent: $1) }
    fields += child.columns.map { Field($0, isKey: child.key.contains($0.name)) }
    self.fields = fields
    let names = fields.map(\.name)
    self.names = names
    keySlots = table.key.compactMap { names.firstIndex(of: $0) }
    row = RowBuffer(columns: fields.count)
    writer = try RowWriter(connection, table, columns: names)
    changes = try ChangeLog(of: table.name, connection)
    own =
      (child.parentKeyNames.enumerated().map { "\(SQLName.quoted($1)) = ?\($0 + 1)" }
      + ["vanished_at IS NULL"]).joined(separator: " AND ")
    present =
      hasParent
      ? try connection.prepare(
        "SELECT count(*) FROM \(SQLName.quoted(table.name)) WHERE \(own)") : nil
  }

  /// How many entries of a record are stored and present.
  func count(of parent: RowBuffer, _ parentSlots: [Int]) throws(SQLiteError) -> Int {
    guard let present else { return 0 }
    for (index, slot) in parentSlots.enumerated() {
      try parent.bind(slot, to: present, at: index + 1)
    }
    defer { present.reset() }
    return try present.step() ? present.int(0) : 0
  }

  /// Entries that the record no longer has are marked, not deleted.
  func markGone(
    of parent: RowBuffer, _ parentSlots: [Int], seen: Int, at now: String,
    _ connection: Connection
  ) throws(SQLiteError) {
    guard mayMarkGone, try count(of: parent, parentSlots) > seen else { return }
    let gone = "\(own) AND NOT trawl_seen(\(TableDesign.list(table.key)))"
    try Leavers(table: table, condition: gone)
      .mark(parentSlots.map { parent.value($0) }, at: now, connection)
  }
}
