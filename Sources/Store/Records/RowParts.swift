/// The parts of a row's digests that one stream fills: each the digest of a group of columns.
struct RowParts: Sendable {
  /// For each group the slots of its columns, and its place among all parts of the table.
  let groups: [(slots: [Int], place: Int)]
  /// For the group of found columns, the columns with their names.
  private let named: [NamedSlot]?
  private let namedGroup: Int?
  /// How many parts the table has.
  let count: Int

  /// - Parameter takesAll: found columns belong to the stream too.
  init(_ design: TableDesign, columns: [String], takesAll: Bool) {
    let own = design.parts.enumerated().compactMap { place, part -> (slots: [Int], place: Int)? in
      if part.isFound, !takesAll { return nil }
      let slots = part.columns.compactMap { columns.firstIndex(of: $0) }
      return slots.count == part.columns.count ? (slots, place) : nil
    }
    let found = own.firstIndex { design.parts[$0.place].isFound }
    groups = own
    namedGroup = found
    named = found.map { group in own[group].slots.map { NamedSlot(columns[$0], $0) } }
    count = design.parts.count
  }

  func digests(of row: RowBuffer) -> [UInt64] {
    groups.indices.map { index in
      if index == namedGroup, let named { return max(row.digest(of: named), 1) }
      return max(row.digest(of: groups[index].slots), 1)
    }
  }
}
