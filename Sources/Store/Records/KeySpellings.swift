internal import Base

/// How the key of a record was written, where that is not how it is stored: `"01"` or `1.0` for the
/// number 1, a text with a byte that had to be mended.
struct KeySpelling {
  private var digested = Digest64()
  /// The first such part, for a person.
  let shown: String

  /// No sentence needs more of it.
  private static let shownMax = 60

  var digest: UInt64 { digested.value }

  init(_ bytes: [UInt8], slot: Int) {
    // cut: an example within a sentence
    shown = String(decoding: bytes.prefix(Self.shownMax), as: UTF8.self)
    add(bytes, slot: slot)
  }

  mutating func add(_ bytes: [UInt8], slot: Int) {
    digested.addField(String(slot))
    digested.addField(bytes)
  }
}

/// Tells records apart that are read as one key and were written as two. Only keys that are written
/// in an unusual way take memory.
struct KeySpellings {
  private var spellings: [UInt64: UInt64] = [:]
  /// Keys were seen before a pause; how they were written then is not known.
  var isRecalled = false

  var isEmpty: Bool { spellings.isEmpty }

  /// Notes how a key is written now; true where this walk has seen it written otherwise.
  mutating func clashes(_ key: UInt64, _ spelling: UInt64?, wasSeen: Bool) -> Bool {
    let known = spellings[key]
    guard wasSeen, known != nil || !isRecalled else {
      spellings[key] = spelling
      return false
    }
    return known != spelling
  }
}
