import Base
@testable import Store
import TestSupport
internal import Testing

@Suite("Case, where it does not count")
struct CaseFoldingTests {
  @Test("is folded character by character just as SQLite's trigrams are")
  func agrees() throws {
    let connection = try Connection(":memory:", .memory)
    try connection.run("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='trigram')", [])
    try connection.run("CREATE VIRTUAL TABLE terms USING fts5vocab(texts, instance)", [])
    try connection.run("BEGIN", [])
    // Scripts without case are left out: from Chinese radicals to Yi, and Hangul.
    let parts: [ClosedRange<UInt32>] = [
      0x80...0x2E7F, 0xA4D0...0xABFF, 0xD7B0...0xD7FF, 0xE000...0xFFFD, 0x10000...0x1FFFD,
    ]
    for value in parts.joined() {
      guard let scalar = Unicode.Scalar(value) else { continue }
      try connection.run(
        "INSERT INTO texts (rowid, text) VALUES (?, ?)",
        [SQLValue(Int64(value)), .text(String(repeating: String(scalar), count: 3))])
    }
    let folded = try connection.rows("SELECT doc, term FROM terms", []) {
      (UInt32($0.integer(0)), $0.text(1) ?? "")
    }
    #expect(folded.count > 80_000)
    let others = folded.filter { value, term in
      guard let scalar = Unicode.Scalar(value) else { return false }
      return CaseFolding.folded(scalar) != term.unicodeScalars.first
    }
    #expect(others.isEmpty)
  }

  @Test("is folded in a text as each character is by itself, and within the room that is made")
  func texts() {
    let all = String(
      String.UnicodeScalarView((1...0x2_FFFF).compactMap { Unicode.Scalar($0 as UInt32) }))
    let each = all.unicodeScalars.map { CaseFolding.folded($0) }
    let folding = CaseFolding()
    #expect(folding.folded(all) == Array(String(String.UnicodeScalarView(each)).utf8))
    #expect(folding.folded(all) == folding.folded(all), "the second time by what is known")
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
