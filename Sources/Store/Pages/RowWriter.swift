internal import Base

/// Writes rows of one table for one stream. An existing row is read first: its values decide what
/// is written, and an unchanged row is not touched.
final class RowWriter {
  enum Outcome {
    case new, changed, unchanged
    /// This run stored the record and now fills more of it.
    case filled
    /// Only volatile columns changed.
    case moved
    /// The record is unchanged: its row came back, or a column that is new in the table is filled.
    case restored
    /// The stream fills existing rows, and this one does not exist.
    case orphan
  }

  /// What the last write changed in an existing row.
  struct Change {
    var kind = ChangeKind.changed
    /// The slots with a new value, and their earlier values.
    var earlier: [(slot: Int, value: SQLValue)] = []
    /// The change that had written the row.
    var number: Int64 = 0
    /// When a record was last changed there.
    var writtenAt = ""
    /// At least half of the record's values outside the key differ.
    var isAnother = false
  }

  let parts: RowParts
  private(set) var change = Change()
  private let connection: Connection
  private let table: String
  private let digests: RowDigests
  private let look: Statement
  private let detail: Statement
  private let update: Statement
  /// Nil: the stream only fills existing rows.
  private let insert: Statement?
  /// The last row existed, so the next one probably does too.
  private var expectsRow = false
  private let keySlots: [Int]
  private let columnCount: Int
  /// Slots of the columns outside the key, in the order in which they are read and updated.
  private let others: [Int]
  private let volatile: Set<Int>
  private let sealed: [String]
  /// By slot, since when the table has a column that was added later.
  private let added: [Int: String]
  /// The slots of found columns that earlier runs found.
  private let foundBefore: Range<Int>

  /// The columns are those of the row, slot by slot.
  /// - Parameters:
  ///   - stream: nil: a nested list, whose entries are all its own.
  ///   - foundBefore: the slots of found columns that earlier runs found.
  init(
    _ connection: Connection, _ design: TableDesign, columns: [String], _ stream: Stream? = nil,
    volatile: [Int] = [], foundBefore: Range<Int> = 0..<0
  ) throws(SQLiteError) {
    self.connection = connection
    table = design.name
    self.volatile = Set(volatile)
    self.foundBefore = foundBefore
    let parts = RowParts(design, columns: columns, takesAll: stream?.takesAll == true)
    self.parts = parts
    digests = RowDigests(design, parts)
    sealed = design.sealed
    columnCount = columns.count
    keySlots = design.key.map { key in columns.firstIndex(of: key) ?? 0 }
    others = columns.indices.filter { !design.key.contains(columns[$0]) }
    let since: [String: String] = try connection.dictionary(
      "SELECT column_name, added_at FROM trawl_columns "
        + "WHERE table_name = ? AND added_at IS NOT NULL", [.text(design.name)])
    added = Dictionary(
      columns.enumerated().compactMap { slot, name in since[name].map { (slot, $0) } }
    ) { one, _ in one }
    look = try connection.prepare(design.look)
    detail = try connection.prepare(design.detail(columns))
    update = try connection.prepare(design.update(columns))
    insert = stream?.ownsTable != false ? try connection.prepare(design.insert(columns)) : nil
  }

  /// - Parameters:
  ///   - known: its digests, if they were already taken.
  ///   - began: when the walk began.
  ///   - readsAll: an unchanged row is compared value by value: its digests do not show what another program changed.
  func write(
    _ row: RowBuffer, digests known: [UInt64]? = nil, of began: String = "", at now: String,
    readsAll: Bool = false
  ) throws(SQLiteError) -> Outcome {
    let own = known ?? parts.digests(of: row)
    if !expectsRow, try add(row, own, at: now) { return .new }
    for (index, slot) in keySlots.enumerated() {
      try row.bind(slot, to: look, at: index + 1, lent: true)
    }
    guard try look.step() else {
      look.reset()
      expectsRow = false
      if try add(row, own, at: now) { return .new }
      if insert != nil { throw SQLiteError(passedOver: table) }
      return .orphan
    }
    expectsRow = true
    let number = look.integer(0)
    let isGone = insert != nil && look.boolean(2)
    let isSame = look.withBytes(1) { stored in
      parts.groups.indices.allSatisfy { parts.holds(own[$0], at: $0, of: stored) }
    }
    look.reset()
    guard isGone || !isSame || readsAll else { return .unchanged }
    return try change(row, number, own, isGone: isGone, isSame: isSame, of: began, at: now)
  }

  /// Returns false if a row with its key exists, or none may be added.
  private func add(
    _ row: RowBuffer, _ own: [UInt64], at now: String
  ) throws(SQLiteError) -> Bool {
    guard let insert else { return false }
    let number = try connection.pendingBook.change(connection)
    for slot in 0..<columnCount { try row.bind(slot, to: insert, at: slot + 1, lent: true) }
    try insert.bind(columnCount + 1, now)
    try insert.bind(columnCount + 2, number)
    try insert.bind(columnCount + 3, .blob(digests.ofNew(own, at: now, number)))
    try insert.run()
    guard connection.changedRows > 0 else { return false }
    connection.pendingBook.useChange()
    change = Change()
    return true
  }

  private func change(
    _ row: RowBuffer, _ number: Int64, _ own: [UInt64], isGone: Bool, isSame: Bool,
    of began: String, at now: String
  ) throws(SQLiteError) -> Outcome {
    try detail.bind(1, number)
    guard try detail.step() else {
      // It existed a moment ago, in this transaction.
      throw SQLiteError(code: 2, message: "the row \(number) is not there any more")
    }
    let stored = detail.withBytes(0) { Array($0 ?? .init(start: nil, count: 0)) }
    var values = sealed.indices.map { detail.value($0 + 1) }
    var earlier: [(slot: Int, value: SQLValue)] = []
    for (index, slot) in others.enumerated()
    where !row.isEqual(slot, to: detail, column: 1 + sealed.count + index) {
      earlier.append((slot, detail.value(1 + sealed.count + index)))
    }
    detail.reset()
    if isSame, !isGone, earlier.isEmpty { return .unchanged }
    let seen = sealed.firstIndex(of: "first_seen_at").map { values[$0] } ?? .null
    let isSteady = stored.withUnsafeBytes { stored in
      parts.groups.indices.contains { index in
        !parts.holds(own[index], at: index, of: stored)
          && !parts.groups[index].slots.contains(where: volatile.contains)
      }
    }
    let unread = stored.withUnsafeBytes { parts.unread(in: $0) }
    let isChanged = isSteady && isChanged(earlier, since: seen.text ?? "", of: began, unread)
    let hasMoved = !isSteady || earlier.contains { volatile.contains($0.slot) }
    let other = earlier.count { !volatile.contains($0.slot) && $0.value != .null }
    change = Change(
      kind: isGone ? .back : isChanged ? .changed : hasMoved ? .moved : .filled, earlier: earlier,
      number: sealed.firstIndex(of: TableDesign.change).flatMap { values[$0].integer } ?? 0,
      writtenAt: sealed.firstIndex(of: "changed_at").flatMap { values[$0].text } ?? seen.text ?? "",
      isAnother: other > 0 && other * 2 >= others.count - volatile.count)
    let next = try connection.pendingBook.change(connection)
    connection.pendingBook.useChange()
    for (index, name) in sealed.enumerated() {
      switch name {
      case "changed_at": if isChanged { values[index] = .text(now) }
      case "vanished_at": if isGone { values[index] = .null }
      case TableDesign.change: values[index] = .integer(next)
      default: continue
      }
    }
    var parameter = 0
    for slot in others {
      parameter += 1
      try row.bind(slot, to: update, at: parameter, lent: true)
    }
    let made = digests.ofChanged(own, stored, values)
    for value in TableDesign.dates.map({ name in
      sealed.firstIndex(of: name).map { values[$0] } ?? .null
    }) + [.integer(next), .blob(made), .integer(number)] {
      parameter += 1
      try update.bind(parameter, value)
    }
    try update.run()
    if connection.changedRows == 0 { throw SQLiteError(passedOver: table) }
    if isChanged { return .changed }
    return isSteady || isGone ? .restored : .moved
  }

  /// The first value of a column that the row could not have had is not a change.
  private func isChanged(
    _ earlier: [(slot: Int, value: SQLValue)], since seen: String, of began: String,
    _ unread: [Int]?
  ) -> Bool {
    if added.isEmpty, unread == nil { return true }
    return earlier.contains { slot, value in
      guard !volatile.contains(slot) else { return false }
      if value == .null, unread?.contains(slot) == true { return false }
      guard let since = added[slot], value == .null else { return true }
      // Not in a walk that itself found the column, in an earlier run, and was resumed.
      return seen > since || foundBefore.contains(slot) && since < began
    }
  }
}
