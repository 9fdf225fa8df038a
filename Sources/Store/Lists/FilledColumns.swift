internal import Base

/// Columns that most rows of a list have filled. If enough records of a walk lack one, and none before them has it,
/// or a whole page does, the API has renamed or lost the field: the stored values stay from there on, and the list is
/// not complete, until a record has the field again or a person gives it up. The same goes for nested lists. Of single
/// answers a night may bring a few only: those that lack a column are counted over all nights.
extension RecordStore {
  /// Fewer records prove nothing, unless they are the whole list. Below seven, not even that does.
  static let filledRowsMin = 10
  private static let listRowsMin = 7
  private static let filledRowsMax = 2_000
  /// What the fact says of each. A greater number is for a column of single answers: it is filled, but the last answers
  /// came without it, as many as the number exceeds `emptied`.
  private static let (givenUp, filled, emptied) = (0, 1, 2)
  /// Behind a column's name: how many records without it show that it is empty. Below zero: "" and [] are without it, too.
  private static let suffix = " enough"
  /// Behind a column's name: nearly all rows have it, be it as "" or [].
  private static let always = " always"

  /// How many come without what so many rows have, by chance, less than once in a million; ten if nearly all have it, else
  /// twenty at least. Nil: most rows lack it.
  static func enough(_ filled: Int, of rows: Int) -> Int? {
    guard filled * 2 > rows else { return nil }
    var (chance, count) = (1.0, 0)
    while chance > 1e-6 {
      chance *= 1 - Double(filled) / Double(rows + 1)
      count += 1
    }
    return max(count, filled * 100 >= rows * 95 ? min(rows, filledRowsMin) : 2 * filledRowsMin)
  }

  /// Reads what is known of the unit's list; the user gives up some of it.
  func recallFilled(_ unit: OpenUnit, accepting empty: [String]) throws(SQLiteError) {
    let (plan, known) = (unit.plan, FactFields(try connection.fact(unit.fact(.filled))))
    var left = known
    for name in empty where known[name] != .null { left[name] = SQLValue(Self.givenUp) }
    for child in plan.children where empty.contains(child.name) {
      left[child.part] = SQLValue(Self.givenUp)
    }
    if left != known { try connection.note(unit.fact(.filled), left) }
    unit.filled = plan.watchedSlots.filter { left.flag(plan.names[$0]) == true }
    for name in unit.filled.map({ plan.names[$0] }) {
      unit.enough[name] = left.integer(name + Self.suffix) ?? Self.filledRowsMin
      if left.flag(name + Self.always) == true { unit.always.insert(name) }
    }
    for part in unit.filledParts {
      let lost = (left.integer(part) ?? Self.filled) - Self.emptied
      if lost == 0 { unit.lasting.insert(part) }
      if lost > 0 { unit.lostBefore[part] = (rows: lost, lost: lost, new: 0) }
    }
    unit.acceptsEmpty = plan.children.filter { left.integer($0.part) == Self.givenUp }.map(\.name)
    (unit.lost, unit.emptied) = (unit.lostBefore, unit.lasting)
  }

  /// At the end of a walk, notes what it came without: the next one begins with that, or it would write over the values
  /// that this one kept. At a proven end, also notes the columns that most rows have filled.
  func noteFilled(_ unit: OpenUnit, _ certificate: Certificate) throws(SQLiteError) {
    let isProven =
      certificate.verdict == .complete && certificate.distinctKeys >= Self.listRowsMin
    guard isProven || !unit.filledParts.isEmpty else { return }
    let known = FactFields(try connection.fact(unit.fact(.filled)))
    var fields = known
    for part in unit.filledParts {
      let number = known.integer(part) ?? Self.filled
      if unit.lasting.contains(part) {
        fields[part] = SQLValue(Self.emptied)
      } else if unit.plan.stream.isAskedInBatches, unit.plan.names.contains(part),
        !unit.shown.contains(part), let lost = unit.lost[part], lost.rows > 0
      {
        fields[part] = SQLValue(Self.emptied + lost.rows)
      } else if number >= Self.emptied || number == Self.givenUp && unit.shown.contains(part) {
        fields[part] = SQLValue(Self.filled)
      }
    }
    if isProven { try countFilled(unit, &fields) }
    if fields != known { try connection.note(unit.fact(.filled), fields) }
  }

  private func countFilled(_ unit: OpenUnit, _ fields: inout FactFields) throws(SQLiteError) {
    let (plan, place) = (unit.plan, ListPlace(unit.plan, unit.parameters))
    let names = plan.watchedSlots.map { plan.names[$0] }
    if names.isEmpty { return }
    let most = plan.found == nil ? Self.filledRowsMax : Self.filledRowsMax / 10
    let (row, from, order) =
      plan.list == nil
      ? ("m", "\(SQLName.quoted(place.table)) m", " ORDER BY m.rowid DESC")
      : ("t", "\(SQLName.quoted(plan.table.name)) t" + place.join(plan.table.key), "")
    let sums = names.map { SQLName.quoted($0) }.map {
      ", count(\($0)), count(nullif(nullif(\($0), ''), '[]'))"
    }
    let counts = try connection.row(
      "SELECT count(*)\(sums.joined()) FROM (SELECT "
        + names.map { "\(row).\(SQLName.quoted($0))" }.joined(separator: ", ")
        + " FROM \(from) WHERE m.vanished_at IS NULL AND "
        // cut: so many rows show it
        + "\(place.condition("m"))\(order) LIMIT \(most))"
    ) { row in (0...names.count * 2).map { row.int($0) } }
    guard let counts, counts[0] >= Self.listRowsMin else { return }
    let old = fields
    fields = FactFields()
    for (index, name) in names.enumerated() {
      let number = old.integer(name) ?? Self.filled
      let (given, full) = (counts[index * 2 + 1], counts[index * 2 + 2])
      let haveAll = given * 100 >= counts[0] * 95
      // A volatile column that some rows lack may be missing from all records for a while.
      let enough =
        !haveAll && plan.stream.column(name)?.isVolatile == true
        ? nil
        : Self.enough(full, of: counts[0]).map { -$0 } ?? Self.enough(given, of: counts[0])
      // Rows that no walk reads again keep what was given up.
      if enough != nil || number >= Self.emptied {
        fields[name] = SQLValue(number)
        fields[name + Self.suffix] = enough.map { SQLValue($0) } ?? old[name + Self.suffix]
        if haveAll, counts[0] >= Self.filledRowsMin { fields[name + Self.always] = SQLValue(true) }
      }
    }
    for child in plan.children { fields[child.part] = old[child.part] }
  }
}

extension PageWriter {
  /// Keeps the stored values of columns that the records come without.
  mutating func keepFilled(_ ready: inout [ReadRecord]) throws(SQLiteError) {
    try keepFilledLists(ready)
    if unit.filled.isEmpty { return }
    let sound = ready.filter { $0.trouble?.failed == nil && $0.trouble?.clash == nil }
    if sound.isEmpty { return }
    for slot in unit.filled {
      let isWithout = sound.allSatisfy { isEmpty($0.row.value(slot), slot) }
      guard note(plan.names[slot], isEmpty: isWithout) else { continue }
      // A row that never had a value has lost none.
      var (lost, new) = (0, 0)
      let isGiven = slot < plan.fields.count && isNamed(slot, ready)
      // New records may lack a found column, a member that the API gives as null, or what many get later.
      let countsNew =
        slot < plan.fields.count && !isGiven
        && abs(unit.enough[plan.names[slot], default: 0]) <= RecordStore.filledRowsMin
      let isGone =
        !isGiven && unit.always.contains(plan.names[slot])
        && sound.allSatisfy { $0.row.value(slot) == .null }
      for read in sound {
        let value = try held([slot], read.row)?[0]
        if let value, isGone ? value != .null : !isEmpty(value, slot) {
          lost += 1
        } else if countsNew, value == nil || read.isUnseen && plan.fresh.holds(read.digest) {
          new += 1
        }
      }
      // An empty text, or a list of few, may be what the API says of them.
      let mayBeSaid =
        sound.contains { $0.row.value(slot) != .null }
        || isGiven && abs(unit.enough[plan.names[slot], default: 0]) < RecordStore.filledRowsMin
      count(
        (rows: lost + new, lost: lost, new: new), without: plan.names[slot],
        enough: isGone ? RecordStore.filledRowsMin : nil,
        atLeast: mayBeSaid ? 2 * RecordStore.filledRowsMin : 0)
    }
    let slots = unit.filled.filter { emptied.contains(plan.names[$0]) }
    if slots.isEmpty { return }
    for index in ready.indices {
      let row = ready[index].row
      for (slot, value) in zip(slots, try held(slots, row) ?? [])
      where isEmpty(row.value(slot), slot) {
        row.set(slot, value)
      }
      ready[index].digests = nil
    }
  }

  private func isEmpty(_ value: SQLValue, _ slot: Int) -> Bool {
    value == .null
      || unit.enough[plan.names[slot], default: 0] < 0 && [.text(""), .text("[]")].contains(value)
  }

  /// Notes whether the records have it. True: they come without it, and what their rows have is to be counted.
  private mutating func note(_ part: String, isEmpty: Bool) -> Bool {
    if !isEmpty {
      unit.shown.insert(part)
      unit.emptied.remove(part)
      unit.lasting.remove(part)
    } else if unit.lasting.contains(part) {
      emptied.insert(part)
    }
    return isEmpty && !unit.lasting.contains(part)
  }

  private mutating func count(
    _ page: OpenUnit.Lost, without part: String, enough known: Int? = nil, atLeast least: Int = 0
  ) {
    var walk = unit.lost[part] ?? (rows: 0, lost: 0, new: 0)
    if !unit.shown.contains(part) {
      walk = (walk.rows + page.rows, walk.lost + page.lost, walk.new + page.new)
      unit.lost[part] = walk
    }
    let isLost = [page, walk].contains { counted in
      // Of a nested list, these rows themselves show how many have it.
      let enough =
        known ?? unit.enough[part]
        ?? RecordStore.enough(counted.lost, of: max(counted.rows, RecordStore.filledRowsMin))
        ?? .max
      return counted.rows >= max(abs(enough), least)
    }
    // After such a page, a shorter one without it is not believed either.
    guard isLost || unit.emptied.contains(part) else { return }
    emptied.insert(part)
    unit.emptied.insert(part)
    // The field may be younger than the records of an old window.
    if unit.unit.window == nil || page.lost + walk.lost > 0 { unit.lasting.insert(part) }
  }

  /// Whether some record has the member, as null.
  private func isNamed(_ slot: Int, _ ready: [ReadRecord]) -> Bool {
    guard case .paths(let paths) = plan.fields[slot].source else { return false }
    return ready.contains { read in paths.contains { $0.value(in: read.record) != nil } }
  }

  /// The stored values of a record in these columns; nil: it has no row.
  private func held(_ slots: [Int], _ row: RowBuffer) throws(SQLiteError) -> [SQLValue]? {
    let columns = slots.map { SQLName.quoted(plan.names[$0]) }.joined(separator: ", ")
    return try connection.row(
      "SELECT \(columns) FROM \(SQLName.quoted(plan.table.name)) "
        + "WHERE \(TableDesign.isThis(plan.stream.key))",
      plan.keySlots.map { row.value($0) }
    ) { held in slots.indices.map { held.value($0) } }
  }

  /// Keeps the entries of nested lists that the records come without, if most of their rows have some.
  private mutating func keepFilledLists(_ ready: [ReadRecord]) throws(SQLiteError) {
    // Where this stream marks no entry as gone, an empty list takes none away.
    for child in plan.children where child.mayMarkGone && !ready.isEmpty {
      let isGivenUp = unit.acceptsEmpty.contains(child.name)
      // One record that has entries is enough to believe short pages, and a first walk has nothing to keep.
      guard
        ready.count >= RecordStore.filledRowsMin || unit.emptied.contains(child.part)
          || !unit.shown.contains(child.part) && (unit.hasCertificates || isGivenUp)
      else { continue }
      let isEmpty = ready.allSatisfy { child.entries(of: $0.record)?.isEmpty ?? true }
      guard note(child.part, isEmpty: isEmpty), !isGivenUp else { continue }
      var lost = 0
      for read in ready where try child.count(of: read.row, plan.keySlots) > 0 { lost += 1 }
      count((rows: ready.count, lost: lost, new: 0), without: child.part)
    }
  }
}
