internal import Base

/// `trawl_hash` of the rows that one stream writes: the same as `TableDesign.sealing` in SQL, at a
/// fifth of the cost.
final class RowDigests {
  private let parts: RowParts
  /// What the seal covers: columns, then the parts.
  private let sealed: [String]
  private let row: RowBuffer
  private let all: [Int]
  private let seenSlot: Int?
  private let changeSlot: Int?
  /// The last one that was computed.
  private var bytes: [UInt8]

  init(_ design: TableDesign, _ parts: RowParts) {
    self.parts = parts
    sealed = design.sealed
    row = RowBuffer(columns: sealed.count)
    all = Array(sealed.indices)
    seenSlot = sealed.firstIndex(of: "first_seen_at")
    changeSlot = sealed.firstIndex(of: TableDesign.change)
    bytes = Array(repeating: 0, count: TableDesign.partBytes * (parts.count + 1))
  }

  /// For a new row: everything that the seal covers is NULL, except these two.
  func ofNew(_ digests: [UInt64], at now: String, _ change: Int64) -> [UInt8] {
    row.clear()
    if let seenSlot { row.setText(seenSlot, now) }
    if let changeSlot { row.setInteger(changeSlot, change) }
    for index in bytes.indices { bytes[index] = 0 }
    return finish(digests)
  }

  /// For an existing row with new values of what the seal covers.
  /// - Parameter old: its digests, and what the seal covers, in order.
  func ofChanged(
    _ digests: [UInt64], _ old: [UInt8], _ values: [SQLValue]
  ) -> [UInt8] {
    row.clear()
    for (index, value) in values.enumerated() { row.set(index, value) }
    for index in bytes.indices { bytes[index] = index < old.count ? old[index] : 0 }
    return finish(digests)
  }

  private func finish(_ digests: [UInt64]) -> [UInt8] {
    for (group, digest) in zip(parts.groups, digests) {
      store(digest, at: TableDesign.partBytes * (group.place + 1))
    }
    let seal = bytes.withUnsafeBytes { row.digest(of: all, then: $0[TableDesign.partBytes...]) }
    store(seal, at: 0)
    return bytes
  }

  private func store(_ digest: UInt64, at place: Int) {
    withUnsafeBytes(of: digest.littleEndian) { source in
      for index in source.indices { bytes[place + index] = source[index] }
    }
  }
}

/// The parts of a row's digests that one stream fills: each the digest of a group of columns.
struct RowParts: Sendable {
  /// For each group, the slots of its columns, and its place among all parts of the table.
  let groups: [(slots: [Int], place: Int)]
  /// The found columns, if the stream fills them, with their names.
  private let named: [NamedSlot]?
  private let namedGroup: Int?
  /// How many parts the table has.
  let count: Int

  /// - Parameter takesAll: whether found columns are the stream's own, too.
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

  /// The found columns, if the row was never read with them; nil: the stream fills none.
  func unread(in stored: UnsafeRawBufferPointer?) -> [Int]? {
    namedGroup.map { holds(0, at: $0, of: stored) ? groups[$0].slots : [] }
  }

  /// Whether this digest is the stored one of a group.
  func holds(_ digest: UInt64, at group: Int, of stored: UnsafeRawBufferPointer?) -> Bool {
    let place = TableDesign.partBytes * (groups[group].place + 1)
    guard let stored, place + TableDesign.partBytes <= stored.count else { return false }
    return UInt64(littleEndian: stored.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      == digest
  }
}
