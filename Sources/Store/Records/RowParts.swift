/// The parts of a row's digests that one stream fills: each the digest of a group of columns.
struct RowParts: Sendable {
  /// Of each group the slots of its columns, and its place among all parts of the table.
  let groups: [(slots: [Int], place: Int)]
  /// How many parts the table has.
  let count: Int

  init(_ design: TableDesign, columns: [String]) {
    groups = design.parts.enumerated().compactMap { place, part in
      let slots = part.columns.compactMap { columns.firstIndex(of: $0) }
      return slots.count == part.columns.count ? (slots, place) : nil
    }
    count = design.parts.count
  }

  func digests(of row: RowBuffer) -> [UInt64] { groups.map { max(row.digest(of: $0.slots), 1) } }
}
