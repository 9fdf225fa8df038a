internal import Base

/// How the key of a record was written, if not as it is stored: `"01"` or `1.0` for the number 1,
/// or a text with a repaired byte.
struct KeySpelling {
  private var digested = Digest64()
  /// The first such part, for messages.
  let shown: String

  /// No message needs more of it.
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

/// Distinguishes records whose keys are read alike but were written differently. Only unusual
/// spellings take memory.
struct KeySpellings {
  private var spellings: [UInt64: UInt64] = [:]
  /// Keys were seen before a pause; their spelling then is unknown.
  var isRecalled = false

  var isEmpty: Bool { spellings.isEmpty }

  /// Notes how a key is written now; true if this walk has seen it written differently.
  mutating func clashes(_ key: UInt64, _ spelling: UInt64?, wasSeen: Bool) -> Bool {
    let known = spellings[key]
    guard wasSeen, known != nil || !isRecalled else {
      spellings[key] = spelling
      return false
    }
    return known != spelling
  }
}
