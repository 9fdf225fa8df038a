/// A page token: a place in one list, opaque to the client and invalid for other lists.
struct YouTubeToken: Sendable {
  var offset: Int
  /// Quarters of an hour from the start of the sandbox to the answer with this token.
  var age: Int64

  static let quarter: Int64 = 900
  private static let offsetMax = 0xFF_FFFF

  func text(list: UInt64, seed: UInt64) -> String {
    let place = UInt64(min(max(0, offset), Self.offsetMax))
    let plain = place | (UInt64(bitPattern: age) & 0xFFFF) << 24
    let check = SeededRandom.mixed(seed ^ list, plain) & 0xFF_FFFF
    let word = (plain | check << 40) ^ SeededRandom.mixed(seed, 0x746F_6B65_6E)
    return "C" + YouTubeID.text(of: word) + "QAA"
  }

  /// Nil for a token of another list or sandbox, or a made-up one.
  init?(_ text: String, list: UInt64, seed: UInt64) {
    guard text.utf8.count == 15, text.hasPrefix("C"), text.hasSuffix("QAA"),
      let word = YouTubeID.word(of: String(text.dropFirst().dropLast(3)))
    else { return nil }
    let bits = word ^ SeededRandom.mixed(seed, 0x746F_6B65_6E)
    let plain = bits & 0xFF_FFFF_FFFF
    guard SeededRandom.mixed(seed ^ list, plain) & 0xFF_FFFF == bits >> 40 else { return nil }
    offset = Int(plain & 0xFF_FFFF)
    age = Int64(plain >> 24)
  }

  init(offset: Int, age: Int64) {
    self.offset = offset
    self.age = age
  }
}
