internal import SQLite

/// What an upsert saw of the row that was there: filled by the function `trawl_moved`, which the
/// statements of streams with volatile columns call once for each row they change.
final class MoveWatch {
  private(set) var isSteadyChanged = false
  /// Which of the volatile columns have another value now.
  private(set) var moved: [Int] = []

  func reset() {
    isSteadyChanged = false
    moved.removeAll(keepingCapacity: true)
  }

  /// `trawl_moved(steady columns differ, old, new, old, new, …)` gives its first argument back.
  func define(on connection: Connection) throws(SQLiteError) {
    try connection.define("trawl_moved", arguments: -1, isDeterministic: false) { [self] call in
      isSteadyChanged = call.integer(0) != 0
      moved.removeAll(keepingCapacity: true)
      for index in 0..<(call.count - 1) / 2
      where !Self.isEqual(call, 1 + 2 * index, 2 + 2 * index) {
        moved.append(index)
      }
      call.result(isSteadyChanged ? 1 : 0)
    }
  }

  private static func isEqual(_ call: FunctionCall, _ left: Int, _ right: Int) -> Bool {
    let kind = call.kind(left)
    guard kind == call.kind(right) else { return false }
    switch kind {
    case .null: return true
    case .integer: return call.integer(left) == call.integer(right)
    case .real: return call.real(left) == call.real(right)
    case .text, .blob:
      return call.withBytes(left) { one in
        call.withBytes(right) { other in one.elementsEqual(other) }
      }
    }
  }
}

/// Writes rows of one table for one stream with one prepared statement, which touches nothing
/// when the row is as it was.
final class RowWriter {
  enum Outcome {
    case new, changed, unchanged
    /// A change of a record that this run brought itself.
    case filled
    /// Only volatile columns have other values: no change, but a piece of history.
    case moved
    /// The stream fills rows that are there, and this one is not.
    case orphan
  }

  private let statement: Statement
  private let existence: Statement?
  private let changes: RowChanges
  private let watch: MoveWatch
  /// The slots behind each digest.
  private let hashed: [[Int]]
  private let keySlots: [Int]
  private let columnCount: Int
  /// Slots of the volatile columns, in the order in which `MoveWatch` counts them.
  let volatile: [Int]

  /// The columns are those of the row, slot by slot.
  init(
    _ connection: Connection, _ design: TableDesign, columns: [String], volatile: [Int],
    inserts: Bool, _ watch: MoveWatch
  ) throws(SQLiteError) {
    let text = UpsertText(design, columns: columns, volatile: volatile)
    statement = try connection.prepare(inserts ? text.upsert : text.update)
    existence = inserts ? nil : try connection.prepare(text.existence)
    changes = connection.changes
    self.watch = watch
    self.volatile = volatile
    columnCount = columns.count
    keySlots = design.key.map { key in columns.firstIndex(of: key) ?? 0 }
    hashed = text.hashes.map { hash in hash.columns.compactMap { columns.firstIndex(of: $0) } }
  }

  /// Volatile slots whose value the last write changed.
  var movedSlots: [Int] { watch.moved.map { volatile[$0] } }

  func write(_ row: RowBuffer, at now: String) throws(SQLiteError) -> Outcome {
    for index in 0..<columnCount { try row.bind(index, to: statement, at: index + 1) }
    try statement.bind(columnCount + 1, now)
    for (index, slots) in hashed.enumerated() {
      try statement.bind(
        columnCount + 2 + index, Int64(bitPattern: row.digest(of: slots)))
    }
    let inserted = changes.inserted
    let updated = changes.updated
    if !volatile.isEmpty { watch.reset() }
    try statement.run()
    if changes.inserted != inserted { return .new }
    if changes.updated != updated {
      return volatile.isEmpty || watch.isSteadyChanged ? .changed : .moved
    }
    guard let existence else { return .unchanged }
    for (index, slot) in keySlots.enumerated() {
      try row.bind(slot, to: existence, at: index + 1)
    }
    let exists = try existence.step()
    existence.reset()
    return exists ? .unchanged : .orphan
  }
}

/// The SQL of a `RowWriter`. Parameters: the columns, then the instant, then the digests.
struct UpsertText {
  let design: TableDesign
  let columns: [String]
  let volatile: [Int]
  /// The digests that this stream's columns fill.
  let hashes: [TableDesign.Hash]
  private let steady: [TableDesign.Hash]

  init(_ design: TableDesign, columns: [String], volatile: [Int]) {
    self.design = design
    self.columns = columns
    self.volatile = volatile
    hashes = design.hashes.filter { hash in hash.columns.allSatisfy(columns.contains) }
    let moving = Set(volatile.map { columns[$0] })
    steady = hashes.filter { hash in !hash.columns.contains(where: moving.contains) }
  }

  private var table: String { SQLName.quoted(design.name) }
  private var now: String { "?\(columns.count + 1)" }
  private func hash(_ index: Int) -> String { "?\(columns.count + 2 + index)" }
  private var others: [Int] {
    columns.indices.filter { !design.key.contains(columns[$0]) }
  }

  var upsert: String {
    let names =
      columns.map { SQLName.quoted($0) } + ["first_seen_at"] + hashes.map(\.column)
      + [TableDesign.seal]
    var sealed = ["first_seen_at": now]
    for index in hashes.indices { sealed[hashes[index].column] = hash(index) }
    let values =
      columns.indices.map { "?\($0 + 1)" } + [now] + hashes.indices.map { hash($0) }
      + [design.sealOfNew(sealed)]
    let guards = hashes.map { different($0.column, "excluded.\($0.column)") }
    let changed = changedAt(
      steady.map { different($0.column, "excluded.\($0.column)") }, "excluded.")
    sealed["first_seen_at"] = nil
    sealed["changed_at"] = changed
    sealed["vanished_at"] = "NULL"
    let sets =
      others.map { index in
        "\(SQLName.quoted(columns[index])) = excluded.\(SQLName.quoted(columns[index]))"
      } + hashes.map { "\($0.column) = excluded.\($0.column)" }
      + ["vanished_at = NULL", "changed_at = \(changed)", design.sealing(sealed)]
    return "INSERT INTO \(table) (\(names.joined(separator: ", "))) "
      + "VALUES (\(values.joined(separator: ", "))) "
      + "ON CONFLICT (\(TableDesign.list(design.key))) DO UPDATE SET "
      + sets.joined(separator: ", ") + " WHERE "
      + (guards + ["\(table).vanished_at IS NOT NULL"]).joined(separator: " OR ")
  }

  var update: String {
    let sets =
      others.map { "\(SQLName.quoted(columns[$0])) = ?\($0 + 1)" }
      + hashes.indices.map { "\(hashes[$0].column) = \(hash($0))" }
    let steadyGuards = hashes.indices.filter { steady.contains(hashes[$0]) }
      .map { different(hashes[$0].column, hash($0)) }
    let guards = hashes.indices.map { different(hashes[$0].column, hash($0)) }
    let keys = design.key.map { key in
      "\(SQLName.quoted(key)) = ?\((columns.firstIndex(of: key) ?? 0) + 1)"
    }
    let changed = changedAt(steadyGuards, nil)
    var sealed = ["changed_at": changed]
    for index in hashes.indices { sealed[hashes[index].column] = hash(index) }
    return "UPDATE \(table) SET "
      + (sets + ["changed_at = \(changed)", design.sealing(sealed)]).joined(separator: ", ")
      + " WHERE " + keys.joined(separator: " AND ")
      + " AND (" + (guards.isEmpty ? ["0"] : guards).joined(separator: " OR ") + ")"
  }

  var existence: String {
    let keys = design.key.enumerated().map { "\(SQLName.quoted($1)) = ?\($0 + 1)" }
    return "SELECT 1 FROM \(table) WHERE \(keys.joined(separator: " AND "))"
  }

  private func different(_ column: String, _ value: String) -> String {
    "\(table).\(column) IS NOT \(value)"
  }

  /// The value of `changed_at`: volatile columns leave it alone. It stands in the statement twice,
  /// once within the seal, and gives the same both times.
  private func changedAt(_ guards: [String], _ source: String?) -> String {
    guard !volatile.isEmpty else { return now }
    var isSteady = guards.isEmpty ? "0" : "(" + guards.joined(separator: " OR ") + ")"
    if source != nil { isSteady += " OR \(table).vanished_at IS NOT NULL" }
    let pairs = volatile.map { index in
      let name = SQLName.quoted(columns[index])
      return "\(table).\(name), " + (source.map { $0 + name } ?? "?\(index + 1)")
    }
    return "CASE WHEN trawl_moved(\(isSteady), \(pairs.joined(separator: ", "))) "
      + "THEN \(now) ELSE \(table).changed_at END"
  }
}
