@testable import Store
import TestSupport
internal import Testing

@Suite("The set of an open unit's keys")
struct KeySetTests {
  @Test(
    "knows what it has seen, in order and with no more than 13 bytes a key",
    arguments: [0, 1, 2, 51, 63, 64, 1000, 30_000])
  func keys(count: Int) {
    var random = SeededRandom(seed: UInt64(count))
    // Also keys at both ends of the range, where the table's end and beginning meet.
    let edges: [UInt64] = count < 51 ? [] : [0, 1, 2, .max, .max - 1, .max - 2, .max - 3]
    let all = Set((0..<count - edges.count).map { _ in random.next() } + edges)
    var set = KeySet()
    for key in all {
      #expect(!set.contains(key))
      let isNew = set.insert(key)
      let isNewAgain = set.insert(key)
      #expect(isNew && !isNewAgain)
    }
    #expect(set.count == all.count)
    var ordered: [UInt64] = []
    set.forEachInOrder { ordered.append($0) }
    #expect(ordered == all.sorted())
    #expect(set.digest == KeyBlob.digest(all.sorted()))
    #expect(!set.contains(random.next()))
    if count >= 1000 { #expect(set.byteCount <= 13 * count) }
  }

  @Test("keeps its order when the last places overflow into the first")
  func overflow() {
    for start in 0..<40 {
      var set = KeySet()
      var all: [UInt64] = []
      for number in 0..<UInt64(40) {
        let key = number < UInt64(start) ? number * 7 + 3 : UInt64.max - number * 5
        all.append(key)
        _ = set.insert(key)
      }
      var ordered: [UInt64] = []
      set.forEachInOrder { ordered.append($0) }
      #expect(ordered == all.sorted())
    }
  }
}
