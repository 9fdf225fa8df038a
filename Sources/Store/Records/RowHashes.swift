/// The digests of a table's rows, by the columns behind each.
struct RowHashes: Sendable {
  let slots: [[Int]]

  func digests(of row: RowBuffer) -> [Int64] {
    slots.map { Int64(bitPattern: row.digest(of: $0)) }
  }
}
