/// The digests of the keys that an open unit has seen: at most 15 bytes a key once it has grown.
///
/// Open addressing without deletion; a digest's place is its share of the table's length, so any
/// length will do and the table grows by half. 0 marks a free place; the digest 0 is kept apart.
struct KeySet {
  private var table: [UInt64] = []
  private var hasZero = false
  private(set) var count = 0

  /// True if it was not there.
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

  /// All of them, in order.
  var sorted: [UInt64] {
    var all = table.filter { $0 != 0 }
    if hasZero { all.append(0) }
    all.sort()
    return all
  }

  private func find(_ digest: UInt64) -> Int {
    var place = Int(digest.multipliedFullWidth(by: UInt64(table.count)).high)
    while table[place] != 0 && table[place] != digest {
      place += 1
      if place == table.count { place = 0 }
    }
    return place
  }

  private mutating func grow() {
    let old = table
    table = Array(repeating: 0, count: max(64, old.count + old.count / 2))
    for digest in old where digest != 0 { table[find(digest)] = digest }
  }
}
