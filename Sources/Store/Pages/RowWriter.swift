internal import Base

/// What an upsert saw of the row that was there: filled by the function `trawl_moved`, which the
/// statements call for each row they change.
final class MoveWatch {
  private(set) var isSteadyChanged = false
  /// The row came back, or a column is filled that it could not have before.
  private(set) var isRestored = false
  /// It was marked as gone.
  private(set) var wasGone = false
  /// Which of the watched columns have another value now, and which they had before.
  private(set) var moved: [(index: Int, earlier: SQLValue)] = []

  func reset() {
    isSteadyChanged = false
    isRestored = false
    wasGone = false
    moved.removeAll(keepingCapacity: true)
  }

  /// `trawl_moved(steady columns differ, the row is touched, it was gone, old, new, old, new, …)` gives its first
  /// argument back.
  func define(on connection: Connection) throws(SQLiteError) {
    try connection.define("trawl_moved", arguments: -1, isDeterministic: false) { [self] call in
      isSteadyChanged = call.integer(0) != 0
      isRestored = !isSteadyChanged && call.integer(1) != 0
      wasGone = call.integer(2) != 0
      moved.removeAll(keepingCapacity: true)
      for index in 0..<(call.count - 3) / 2
      where !Self.isEqual(call, 3 + 2 * index, 4 + 2 * index) {
        moved.append((index, call.value(3 + 2 * index)))
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
    /// The record is as it was: its row came back, or a column that is new in the job is filled.
    case restored
    /// The stream fills rows that are there, and this one is not.
    case orphan
  }

  /// What is done with a row, as SQL: it names all that a row is made of.
  let text: String
  private let statement: Statement
  private let existence: Statement?
  /// Whether a row is as it is written; nil where it need not be there.
  private let sameness: Statement?
  /// Nil: the stream only fills rows that are there.
  private let seal: NewRowSeal?
  /// The row before was there: so is the next one, as a rule, and then most often as it was.
  private var expectsRow = false
  private let changes: RowChanges
  private let watch: MoveWatch
  let hashes: RowHashes
  private let keySlots: [Int]
  private let columnCount: Int
  /// Slots of the volatile columns.
  let volatile: [Int]
  /// Slots in the order in which `MoveWatch` counts them.
  private let watched: [Int]

  /// The columns are those of the row, slot by slot.
  init(
    _ connection: Connection, _ design: TableDesign, columns: [String], volatile: [Int],
    inserts: Bool, _ watch: MoveWatch
  ) throws(SQLiteError) {
    let text = UpsertText(
      design, columns: columns, volatile: volatile,
      added: try AddedColumns.of(design.name, connection))
    self.text = inserts ? text.upsert : text.update
    statement = try connection.prepare(self.text)
    existence = inserts ? nil : try connection.prepare(text.existence)
    sameness = inserts && !text.hashes.isEmpty ? try connection.prepare(text.sameness) : nil
    seal = inserts ? NewRowSeal(design, hashes: text.hashes) : nil
    changes = connection.changes
    self.watch = watch
    self.volatile = volatile
    watched = text.watched
    columnCount = columns.count
    keySlots = design.key.map { key in columns.firstIndex(of: key) ?? 0 }
    hashes = RowHashes(
      slots: text.hashes.map { hash in hash.columns.compactMap { columns.firstIndex(of: $0) } })
  }

  /// Volatile slots whose value the last write changed.
  var movedSlots: [Int] { watch.moved.map { watched[$0.index] }.filter(volatile.contains) }

  /// What other slots held before the last write changed them.
  var earlierValues: [(slot: Int, value: SQLValue)] {
    watch.moved.map { (watched[$0.index], $0.earlier) }.filter { !volatile.contains($0.0) }
  }

  /// The last write brought back a row that was marked as gone.
  var wasGone: Bool { watch.wasGone }

  /// - Parameter digests: where they are known already.
  func write(
    _ row: RowBuffer, digests: [Int64]? = nil, at now: String
  ) throws(SQLiteError) -> Outcome {
    let digests = digests ?? hashes.digests(of: row)
    watch.reset()
    if expectsRow, try isThere(row, digests) { return .unchanged }
    let outcome = try offer(row, digests, at: now)
    expectsRow = outcome != .new
    return outcome
  }

  /// What most rows of most nights are, at half the price of offering them to the table.
  private func isThere(_ row: RowBuffer, _ digests: [Int64]) throws(SQLiteError) -> Bool {
    guard let sameness else { return false }
    for (index, slot) in keySlots.enumerated() {
      try row.bind(slot, to: sameness, at: index + 1, lent: true)
    }
    for (index, digest) in digests.enumerated() {
      try sameness.bind(keySlots.count + 1 + index, digest)
    }
    let isSame = try sameness.step()
    sameness.reset()
    return isSame
  }

  private func offer(
    _ row: RowBuffer, _ digests: [Int64], at now: String
  ) throws(SQLiteError) -> Outcome {
    for index in 0..<columnCount {
      try row.bind(index, to: statement, at: index + 1, lent: true)
    }
    try statement.bind(columnCount + 1, now)
    for (index, digest) in digests.enumerated() {
      try statement.bind(columnCount + 2 + index, digest)
    }
    if let seal {
      try statement.bind(columnCount + 2 + digests.count, seal.value(digests, at: now))
    }
    let inserted = changes.inserted
    let updated = changes.updated
    try statement.run()
    if changes.inserted != inserted { return .new }
    if changes.updated != updated {
      if watch.isSteadyChanged { return .changed }
      return watch.isRestored ? .restored : .moved
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
