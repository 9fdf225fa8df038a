internal import Base

/// Columns that nearly all rows of a list have filled. If ten records of a walk lack one, and none before them has it,
/// or a whole page does, the API has renamed or lost the field: the stored values stay from there on, and the list is
/// not complete, until a record has the field again or a person gives it up. The same goes for nested lists. Of single
/// answers a night may bring a few only: those that lack a column are counted over all nights.
extension RecordStore {
  /// Fewer records prove nothing.
  static let filledRowsMin = 10
  private static let filledRowsMax = 2_000
  /// What the fact says of a column, or of a nested list under the name of `fact(of:)`. A column of single answers
  /// with a greater number is filled, but the last ones came without it: so many as the number is greater.
  private static let (givenUp, filled, emptied) = (0, 1, 2)

  /// Reads what is known of the unit's list; the user gives up some of it.
  func recallFilled(_ unit: OpenUnit, accepting empty: [String]) throws(SQLiteError) {
    let (plan, known) = (unit.plan, FactFields(try connection.fact(unit.fact(.filled))))
    var left = known
    for name in empty {
      if known[name] != .null { left[name] = SQLValue(Self.givenUp) }
      if plan.children.contains(where: { $0.name == name }) {
        left[Self.fact(of: name)] = SQLValue(Self.givenUp)
      }
    }
    if left != known { try connection.note(unit.fact(.filled), left) }
    let slots = plan.watchedSlots
    unit.filled = slots.filter { left.flag(plan.names[$0]) == true }
    unit.lasting = Set(slots.filter { left.integer(plan.names[$0]) == Self.emptied })
    for slot in unit.filled {
      let before = (left.integer(plan.names[slot]) ?? 0) - Self.emptied
      if before > 0 { unit.lostBefore[slot] = (lost: before, new: 0) }
    }
    unit.lost = unit.lostBefore
    let lists = plan.children.map(\.name)
    unit.lastingLists = Set(lists.filter { left.integer(Self.fact(of: $0)) == Self.emptied })
    unit.acceptsEmpty = lists.filter { left.integer(Self.fact(of: $0)) == Self.givenUp }
    (unit.emptied, unit.emptiedLists) = (unit.lasting, unit.lastingLists)
    unit.wasEmptied = !unit.lasting.isEmpty || !unit.lastingLists.isEmpty
  }

  /// No column has such a name.
  private static func fact(of list: String) -> String { list + "[]" }

  /// At the end of a walk, notes what it came without; at a proven one, the columns that nearly all rows have filled.
  func noteFilled(_ unit: OpenUnit, _ certificate: Certificate) throws(SQLiteError) {
    try noteEmptied(unit)
    let (plan, place) = (unit.plan, ListPlace(unit.plan, unit.parameters))
    guard certificate.verdict == .complete, certificate.distinctKeys >= Self.filledRowsMin,
      !plan.watchedSlots.isEmpty
    else { return }
    let names = plan.watchedSlots.map { plan.names[$0] }
    let most = plan.found == nil ? Self.filledRowsMax : Self.filledRowsMax / 10
    let (row, from, order) =
      plan.list == nil
      ? ("m", "\(SQLName.quoted(place.table)) m", " ORDER BY m.rowid DESC")
      : ("t", "\(SQLName.quoted(plan.table.name)) t" + place.join(plan.table.key), "")
    let counts = try connection.row(
      "SELECT count(*)\(names.map { ", count(\(SQLName.quoted($0)))" }.joined()) FROM (SELECT "
        + names.map { "\(row).\(SQLName.quoted($0))" }.joined(separator: ", ")
        + " FROM \(from) WHERE m.vanished_at IS NULL AND "
        // cut: so many rows show it
        + "\(place.condition("m"))\(order) LIMIT \(most))"
    ) { row in (0...names.count).map { row.int($0) } }
    guard let counts, counts[0] >= Self.filledRowsMin else { return }
    let known = FactFields(try connection.fact(unit.fact(.filled)))
    var fields = FactFields()
    for (index, name) in names.enumerated() {
      // Rows that no walk reads again keep what was given up.
      if counts[index + 1] * 100 >= counts[0] * 95 {
        fields[name] = known[name] == .null ? SQLValue(Self.filled) : known[name]
      } else if (known.integer(name) ?? 0) >= Self.emptied {
        fields[name] = known[name]
      }
    }
    for list in plan.children.map({ Self.fact(of: $0.name) }) { fields[list] = known[list] }
    if fields != known { try connection.note(unit.fact(.filled), fields) }
  }

  /// The next walk begins with what came empty, or it would write over the values that this one kept.
  private func noteEmptied(_ unit: OpenUnit) throws(SQLiteError) {
    let back = unit.shownLists.intersection(unit.acceptsEmpty)
    let isOfAnswers = unit.plan.stream.isAskedInBatches
    guard
      isOfAnswers || unit.wasEmptied || !unit.lasting.isEmpty || !unit.lastingLists.isEmpty
        || !back.isEmpty
    else { return }
    let known = FactFields(try connection.fact(unit.fact(.filled)))
    var fields = known
    for slot in unit.filled {
      let name = unit.plan.names[slot]
      let lost = unit.lost[slot].map { $0.lost + $0.new } ?? 0
      if unit.lasting.contains(slot) {
        fields[name] = SQLValue(Self.emptied)
      } else if isOfAnswers, lost > 0, !unit.shown.contains(slot) {
        fields[name] = SQLValue(Self.emptied + lost)
      } else if (known.integer(name) ?? 0) >= Self.emptied {
        fields[name] = SQLValue(Self.filled)
      }
    }
    for list in unit.plan.children.map(\.name) {
      if unit.lastingLists.contains(list) {
        fields[Self.fact(of: list)] = SQLValue(Self.emptied)
      } else if !unit.acceptsEmpty.contains(list) || back.contains(list) {
        fields[Self.fact(of: list)] = .null
      }
    }
    if fields != known { try connection.note(unit.fact(.filled), fields) }
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
      guard sound.allSatisfy({ $0.row.isNull(slot) }) else {
        unit.shown.insert(slot)
        if !unit.emptied.isEmpty {
          unit.emptied.remove(slot)
          unit.lasting.remove(slot)
        }
        continue
      }
      if unit.lasting.contains(slot) {
        emptied.insert(slot)
        continue
      }
      // A row that never had a value has lost none.
      var (lost, new) = (0, 0)
      // New records may lack a found column, or a member that the API gives as null.
      let countsNew = slot < plan.fields.count && !isNamed(slot, ready)
      for read in sound {
        let value = try held([slot], read.row)?[0]
        if let value, value != .null {
          lost += 1
        } else if countsNew, value == nil || read.isUnseen && plan.fresh.holds(read.digest) {
          new += 1
        }
      }
      var walk = unit.lost[slot] ?? (lost: 0, new: 0)
      if !unit.shown.contains(slot) {
        walk.lost += lost
        walk.new += new
        unit.lost[slot] = walk
      }
      // After such a page, a shorter one without it is not believed either.
      let isLost = max(lost + new, walk.lost + walk.new) >= RecordStore.filledRowsMin
      if isLost || unit.emptied.contains(slot) {
        emptied.insert(slot)
        // The field may be younger than the records of an old window.
        if unit.unit.window == nil || lost + walk.lost > 0 { unit.lasting.insert(slot) }
      }
    }
    if emptied.isEmpty { return }
    unit.emptied.formUnion(emptied)
    let slots = emptied.sorted()
    for index in ready.indices {
      let row = ready[index].row
      for (slot, value) in zip(slots, try held(slots, row) ?? []) where row.isNull(slot) {
        row.set(slot, value)
      }
      ready[index].digests = nil
    }
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

  /// Keeps the entries of nested lists that the records come without, if nearly all their rows have some.
  private mutating func keepFilledLists(_ ready: [ReadRecord]) throws(SQLiteError) {
    // Where this stream marks no entry as gone, an empty list takes none away.
    for child in plan.children where child.mayMarkGone && !ready.isEmpty {
      let isGivenUp = unit.acceptsEmpty.contains(child.name)
      let isShown = unit.shownLists.contains(child.name)
      // One record that has entries is enough to believe short pages, and a first walk has nothing to keep.
      guard
        ready.count >= RecordStore.filledRowsMin || unit.emptiedLists.contains(child.name)
          || !isShown && (unit.hasCertificates || isGivenUp)
      else { continue }
      guard ready.allSatisfy({ child.entries(of: $0.record)?.isEmpty ?? true }) else {
        unit.shownLists.insert(child.name)
        unit.emptiedLists.remove(child.name)
        unit.lastingLists.remove(child.name)
        continue
      }
      if isGivenUp { continue }
      if unit.emptiedLists.contains(child.name) {
        emptiedLists.insert(child.name)
        continue
      }
      var page = (rows: ready.count, lost: 0)
      for read in ready where try child.count(of: read.row, plan.keySlots) > 0 { page.lost += 1 }
      var walk = unit.lostLists[child.name] ?? (rows: 0, lost: 0)
      if !isShown {
        walk.rows += page.rows
        walk.lost += page.lost
        unit.lostLists[child.name] = walk
      }
      let isLost = [page, walk].contains {
        $0.rows >= RecordStore.filledRowsMin && $0.lost * 100 >= $0.rows * 95
      }
      if isLost {
        emptiedLists.insert(child.name)
        unit.lastingLists.insert(child.name)
      }
    }
    unit.emptiedLists.formUnion(emptiedLists)
  }
}
