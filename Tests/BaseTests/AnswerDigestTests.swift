@testable import Base
import TestSupport
import Testing

@Suite("The digest of an answer")
struct AnswerDigestTests {
  @Test("is another one for every other byte, length and order of parts")
  func differs() {
    var random = SeededRandom(seed: 7)
    for count in 0...200 {
      var bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() & 0x7f) }
      var digests: Set<UInt64> = [AnswerDigest.of(bytes)]
      var others = 0
      for place in 0..<count {
        for bit in 0..<8 {
          bytes[place] ^= 1 << bit
          digests.insert(AnswerDigest.of(bytes))
          others += 1
          bytes[place] ^= 1 << bit
        }
      }
      for longer in [[0], [0, 0], [UInt8](repeating: 0, count: 48)] {
        digests.insert(AnswerDigest.of(bytes + longer))
        others += 1
      }
      #expect(digests.count == others + 1, "\(count) bytes")
    }
    // Parts of one lane, and of two lanes, in another order.
    let parts = (0..<6).map { part in (0..<16).map { UInt8(part * 16 + $0) } }
    var digests: Set<UInt64> = []
    for one in 0..<6 {
      for other in one..<6 {
        var mixed = parts
        mixed.swapAt(one, other)
        digests.insert(AnswerDigest.of(mixed.flatMap { $0 }))
      }
    }
    #expect(digests.count == 16)
  }

  @Test("is another one where two words change places, wherever they are")
  func order() {
    let words = (0..<16).map { "\"n\":\(1_000 + $0)," }.map { Array($0.utf8.prefix(8)) }
    let text = words.flatMap { $0 }
    for count in stride(from: 16, through: text.count, by: 8) {
      var digests: Set<UInt64> = [AnswerDigest.of(Array(text.prefix(count)))]
      var others = 0
      for one in 0..<(count / 8) {
        for other in 0..<one {
          var mixed = words
          mixed.swapAt(one, other)
          digests.insert(AnswerDigest.of(Array(mixed.flatMap { $0 }.prefix(count))))
          others += 1
        }
      }
      #expect(digests.count == others + 1, "\(count) bytes")
    }
  }

  @Test("is the same wherever the bytes lie")
  func placed() {
    let text = Array(String(repeating: #"{"id":17,"title":"größer"},"#, count: 40).utf8)
    for shift in 0..<9 {
      let moved = [UInt8](repeating: 0, count: shift) + text
      let found = moved.withUnsafeBytes {
        AnswerDigest.of(UnsafeRawBufferPointer(rebasing: $0[shift...]))
      }
      #expect(found == AnswerDigest.of(text))
    }
  }
}
