internal import Base

/// The digests of the keys that an open unit has seen: at most 13 bytes per key once it has grown.
///
/// A large set is split by the digests' first bits, so that only one part at a time is in memory
/// twice while it grows.
struct KeySet {
  /// Each part holds a range of the digests: all of them, or one of 64 ranges.
  private var parts = [KeyPart(skippedBits: 0)]
  private(set) var count = 0

  private static let partBits = 6
  /// Above this number of keys the set is split.
  private static let wholeMax = 8_192

  var byteCount: Int { parts.reduce(0) { $0 + $1.byteCount } }

  init() {}

  init(_ digests: some Sequence<UInt64>) { formUnion(digests) }

  mutating func formUnion(_ digests: some Sequence<UInt64>) {
    for digest in digests { _ = insert(digest) }
  }

  func allIn(_ other: KeySet) -> Bool { filter(other.contains).count == count }

  func filter(_ isIncluded: (UInt64) -> Bool) -> KeySet {
    var some = KeySet()
    forEachInOrder { if isIncluded($0) { _ = some.insert($0) } }
    return some
  }

  /// All of them, ascending.
  var inOrder: [UInt64] {
    var all: [UInt64] = []
    forEachInOrder { all.append($0) }
    return all
  }

  /// Returns true if it is new.
  mutating func insert(_ digest: UInt64) -> Bool {
    guard parts[index(digest)].insert(digest) else { return false }
    count += 1
    if count == Self.wholeMax { part() }
    return true
  }

  func contains(_ digest: UInt64) -> Bool { parts[index(digest)].contains(digest) }

  /// Passes all of them in ascending order, without a second copy.
  func forEachInOrder(_ body: (UInt64) -> Void) {
    for part in parts { part.forEachInOrder(body) }
  }

  /// The digest of all in ascending order: it does not depend on the order of insertion.
  var digest: UInt64 { compared(with: KeySet()).digest }

  /// The digest, and how many of them another set has, in one pass.
  func compared(with other: KeySet) -> (digest: UInt64, common: Int) {
    var digest = Digest64()
    var common = 0
    forEachInOrder { key in
      withUnsafeBytes(of: key.littleEndian) { digest.add($0) }
      if other.contains(key) { common += 1 }
    }
    return (digest.value, common)
  }

  private func index(_ digest: UInt64) -> Int {
    parts.count == 1 ? 0 : Int(digest >> UInt64(64 - Self.partBits))
  }

  private mutating func part() {
    let whole = parts[0]
    parts = Array(repeating: KeyPart(skippedBits: Self.partBits), count: 1 << Self.partBits)
    whole.forEachInOrder { digest in _ = parts[index(digest)].insert(digest) }
  }
}

/// One part of a set: open addressing without deletion. A digest's slot is its share of the table's
/// length, so any length will do and the table grows by a quarter. 0 marks a free slot; the digest
/// 0 is kept apart.
private struct KeyPart {
  /// All its digests share these first bits, which say nothing about the slot.
  let skippedBits: Int
  private var table: [UInt64] = []
  private var hasZero = false
  private var count = 0

  init(skippedBits: Int) { self.skippedBits = skippedBits }

  var byteCount: Int { table.count * MemoryLayout<UInt64>.stride }

  /// Returns true if it is new.
  mutating func insert(_ digest: UInt64) -> Bool {
    if digest == 0 {
      if hasZero { return false }
      hasZero = true
      count += 1
      return true
    }
    // Above four fifths the probes become long.
    if (count + 1) * 5 > table.count * 4 { grow() }
    let place = find(digest)
    if table[place] != 0 { return false }
    table[place] = digest
    count += 1
    return true
  }

  func contains(_ digest: UInt64) -> Bool {
    if digest == 0 { return hasZero }
    if table.isEmpty { return false }
    return table[find(digest)] != 0
  }

  /// Passes all of them in ascending order, without a second copy: slots ascend with the digests,
  /// so only within a run of taken slots can two be out of order.
  func forEachInOrder(_ body: (UInt64) -> Void) {
    if hasZero { body(0) }
    guard let firstFree = table.firstIndex(of: 0) else { return }
    // The run at the table's beginning may hold digests that found no slot at its end.
    let head = table[..<firstFree]
    for digest in head.filter({ home($0) < firstFree }).sorted() { body(digest) }
    var run: [UInt64] = []
    for digest in table[firstFree...] {
      if digest != 0 {
        run.append(digest)
      } else if !run.isEmpty {
        run.sort()
        run.forEach(body)
        run.removeAll(keepingCapacity: true)
      }
    }
    run += head.filter { home($0) >= firstFree }
    run.sort()
    run.forEach(body)
  }

  private func home(_ digest: UInt64) -> Int {
    Int((digest << UInt64(skippedBits)).multipliedFullWidth(by: UInt64(table.count)).high)
  }

  private func find(_ digest: UInt64) -> Int {
    var place = home(digest)
    while table[place] != 0 && table[place] != digest {
      place += 1
      if place == table.count { place = 0 }
    }
    return place
  }

  private mutating func grow() {
    let old = table
    table = Array(repeating: 0, count: max(64, old.count + old.count / 4))
    for digest in old where digest != 0 { table[find(digest)] = digest }
  }
}
