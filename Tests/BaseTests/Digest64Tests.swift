import Testing

@testable import Base

@Suite("A 64-bit digest")
struct Digest64Tests {
  @Test("is the same however the bytes are cut")
  func cuts() {
    let bytes = (0..<100).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let whole = Digest64.of(bytes)
    for cut in 0...100 {
      var digest = Digest64()
      bytes[..<cut].withUnsafeBytes { digest.add($0) }
      digest.add(bytes[cut...])
      #expect(digest.value == whole)
    }
  }

  @Test("tells fields apart that concatenate alike")
  func fields() {
    var one = Digest64()
    one.addField("ab")
    one.addField("c")
    var other = Digest64()
    other.addField("a")
    other.addField("bc")
    #expect(one.value != other.value)
  }

  @Test("never changes between versions: stored digests must stay true")
  func isPinned() {
    #expect(Digest64.of([]) == 14_433_294_955_147_141_401)
    #expect(Digest64.of(Array("trawl".utf8)) == 12_519_813_461_797_087_166)
  }
}
