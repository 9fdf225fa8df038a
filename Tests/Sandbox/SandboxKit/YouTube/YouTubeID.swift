/// Ids of 11 characters like YouTube's that encode an index, so that no table is needed to find the video.
enum YouTubeID {
  static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  /// The bits of an index.
  private static let indexBits: UInt64 = 0xFF_FFFF

  static func text(_ index: Int, seed: UInt64) -> String {
    let high = SeededRandom.mixed(seed ^ 0x7974, UInt64(index)) & ~indexBits
    let mask = SeededRandom.mixed(seed, high) & indexBits
    return text(of: high | (UInt64(index) & indexBits) ^ mask)
  }

  /// Nil for a text that is no video's id.
  static func index(_ text: String, seed: UInt64) -> Int? {
    guard let word = word(of: text) else { return nil }
    let high = word & ~indexBits
    let mask = SeededRandom.mixed(seed, high) & indexBits
    let index = Int((word & indexBits) ^ mask)
    return Self.text(index, seed: seed).utf8.elementsEqual(text.utf8) ? index : nil
  }

  /// 64 bits as 11 characters, the last of which holds the four highest bits.
  static func text(of word: UInt64) -> String {
    String(decoding: (0..<11).map { alphabet[Int(word >> (6 * UInt64($0)) & 63)] }, as: UTF8.self)
  }

  static func word(of text: String) -> UInt64? {
    guard text.utf8.count == 11 else { return nil }
    var word: UInt64 = 0
    for (place, byte) in text.utf8.enumerated() {
      guard let digit = digits[Int(byte)] else { return nil }
      word |= UInt64(digit) << (6 * UInt64(place))
    }
    return word
  }

  private static let digits: [UInt8?] = (0..<256).map { byte in
    alphabet.firstIndex(of: UInt8(byte)).map { UInt8($0) }
  }

  /// A channel's handle without `@`.
  static func handle(_ number: Int) -> String { "sandbox\(number)" }

  /// `UCtrawlSandboxChannel003`: the same in every sandbox, for use in command lines.
  static func channel(_ number: Int) -> String { "UC" + channelName(number) }

  /// The list of the channel's uploads.
  static func uploads(_ number: Int) -> String { "UU" + channelName(number) }

  /// The channel of an id that begins with `UC` or `UU`.
  static func channelNumber(_ id: String, prefix: String, count: Int) -> Int? {
    guard id.utf8.count == 24, id.hasPrefix(prefix), let number = Int(id.suffix(3)),
      (0..<count).contains(number), id.dropFirst(2) == channelName(number)[...]
    else { return nil }
    return number
  }

  private static func channelName(_ number: Int) -> String {
    let text = String(number)
    return "trawlSandboxChannel" + String(repeating: "0", count: max(0, 3 - text.utf8.count)) + text
  }
}
