import Testing
@testable import Media
import TestSupport

@Suite("SHA-256")
struct SHA256Tests {
  @Test(
    "the published examples come out",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        String(repeating: "a", count: 1_000_000),
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
      ),
    ])
  func vectors(text: String, hex: String) throws {
    #expect(SHA256Digest.of(Array(text.utf8))?.hex == hex)
    #expect(SHA256Digest(hex: hex)?.hex == hex)
  }

  @Test("bytes cut anywhere have the digest of the whole", arguments: 0..<20 as Range<UInt64>)
  func cuts(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let bytes = (0..<Int.random(in: 1...5_000, using: &random)).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
    var hasher = SHA256Hasher()
    var at = 0
    while at < bytes.count {
      let end = min(bytes.count, at + Int.random(in: 0...300, using: &random))
      bytes[at..<end].withUnsafeBytes { hasher.add($0) }
      at = end
    }
    let digest = hasher.finish()
    #expect(digest != nil)
    #expect(digest == SHA256Digest.of(bytes))
  }

  @Test("bytes and text agree")
  func spelling() throws {
    let low = try #require(SHA256Digest(bytes: Array(repeating: UInt8(1), count: 32)))
    let high = try #require(SHA256Digest(bytes: [1, 2] + Array(repeating: UInt8(0), count: 30)))
    #expect(low.hex < high.hex)
    #expect(high.bytes == [1, 2] + Array(repeating: UInt8(0), count: 30))
    #expect(high.folder == 1)
    #expect(Set([low, high, low]).count == 2)
  }

  @Test(
    "only one spelling is a digest",
    arguments: [
      "", "ab", String(repeating: "A", count: 64), String(repeating: "g", count: 64),
      String(repeating: "a", count: 63), String(repeating: "a", count: 65),
      "é" + String(repeating: "a", count: 62),
    ])
  func refused(hex: String) {
    #expect(SHA256Digest(hex: hex) == nil)
  }
}
