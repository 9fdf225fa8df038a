internal import Base

/// Columns that nearly all rows of a list have filled. If a whole page of records comes without
/// one, or all records of a walk until ten have lost it, the API has renamed or lost the field: the
/// stored values stay from there on, and the list is not complete.
extension RecordStore {
  /// Fewer records prove nothing.
  static let filledPageMin = 10
  private static let filledRowsMax = 2_000

  /// The columns that are known to be filled, except those that the user gives up.
  func filledSlots(of unit: OpenUnit, accepting empty: [String]) throws(SQLiteError) -> [Int] {
    let known = FactFields(try connection.fact(unit.fact(.filled)))
    var left = known
    for column in empty { left[column] = .null }
    if left != known { try connection.note(unit.fact(.filled), left) }
    return unit.plan.watchedSlots.filter { left.flag(unit.plan.names[$0]) == true }
  }

  /// At a proven end, notes the columns that nearly all rows have filled.
  func noteFilled(_ unit: OpenUnit, _ certificate: Certificate) throws(SQLiteError) {
    let (plan, place) = (unit.plan, ListPlace(unit.plan, unit.parameters))
    guard certificate.verdict == .complete, certificate.distinctKeys >= Self.filledPageMin,
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
    guard let counts, counts[0] >= Self.filledPageMin else { return }
    var fields = FactFields()
    for (index, name) in names.enumerated() where counts[index + 1] * 100 >= counts[0] * 95 {
      fields[name] = 1
    }
    if fields != FactFields(try connection.fact(unit.fact(.filled))) {
      try connection.note(unit.fact(.filled), fields)
    }
  }
}

extension PageWriter {
  /// Keeps the stored values of columns that a whole page of records came without.
  mutating func keepFilled(_ ready: inout [ReadRecord]) throws(SQLiteError) {
    try keepFilledLists(ready)
    if unit.filled.isEmpty { return }
    let rows = ready.filter { $0.trouble?.failed == nil && $0.trouble?.clash == nil }.map(\.row)
    let isPage = rows.count >= RecordStore.filledPageMin
    for slot in unit.filled {
      guard rows.allSatisfy({ $0.isNull(slot) }) else {
        unit.shown.insert(slot)
        continue
      }
      // After such a page, a shorter one without it is not believed either.
      if unit.emptied.contains(slot) {
        emptied.insert(slot)
        continue
      }
      // A row that never had a value has lost none.
      let stored = try rows.map { row throws(SQLiteError) in try held([slot], row)?[0] }
      let lost = stored.count { $0.map { $0 != .null } ?? false }
      // New records may lack a found column, or a member that the API gives as null.
      let new = slot < plan.fields.count && !isNamed(slot, ready) ? stored.count { $0 == nil } : 0
      if !unit.shown.contains(slot) { unit.lost[slot, default: 0] += lost }
      if max(isPage ? lost + new : 0, unit.lost[slot] ?? 0) >= RecordStore.filledPageMin {
        emptied.insert(slot)
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

  /// Keeps the entries of nested lists that a whole page of records came without, if nearly all their rows have some.
  private mutating func keepFilledLists(_ ready: [ReadRecord]) throws(SQLiteError) {
    for child in plan.children where !unit.acceptsEmpty.contains(child.name) {
      let isPage = ready.count >= RecordStore.filledPageMin
      guard isPage || unit.emptiedLists.contains(child.name),
        ready.allSatisfy({ child.entries(of: $0.record)?.isEmpty ?? true })
      else { continue }
      var filled = 0
      for read in ready where try child.count(of: read.row, plan.keySlots) > 0 { filled += 1 }
      if filled > 0, filled * 100 >= ready.count * 95 { emptiedLists.insert(child.name) }
    }
    unit.emptiedLists.formUnion(emptiedLists)
  }
}
