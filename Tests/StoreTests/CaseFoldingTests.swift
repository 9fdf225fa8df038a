import Base
@testable import Store
import TestSupport
internal import Testing

@Suite("Case, where it does not count")
struct CaseFoldingTests {
  @Test("is folded in a text as each character is by itself, and within the room that is made")
  func texts() {
    let all = String(
      String.UnicodeScalarView((1...0x2_FFFF).compactMap { Unicode.Scalar($0 as UInt32) }))
    let each = all.unicodeScalars.map { CaseFolding.folded($0) }
    let expected = Array(String(String.UnicodeScalarView(each)).utf8)
    let folding = CaseFolding()
    // The second time by what is known.
    for _ in 1...2 { #expect(folding.folded(all) == expected) }
    var random = SeededRandom(seed: 1)
    for _ in 0..<10_000 {
      let bytes = (0..<Int(random.next() % 12)).map { _ in UInt8(random.next() % 256) }
      let room = CaseFolding.room(for: bytes.count)
      let count = bytes.withUnsafeBytes { bytes in
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) {
          folding.fold(bytes, into: $0)
        }
      }
      #expect(count <= room, "\(bytes)")
    }
  }
}
