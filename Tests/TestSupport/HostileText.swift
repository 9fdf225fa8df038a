/// A seeded mixture of known attacks on terminals and of plain words.
public struct HostileText: Sendable {
  public let bytes: [UInt8]

  private static let pieces: [[UInt8]] = [
    "\u{1b}[2J", "\u{1b}[31m", "\u{1b}]0;x\u{7}", "\u{1b}]8;;http://e\u{1b}\\",
    "\u{1b}]52;c;eA==\u{7}",
    "\u{1b}P+q\u{1b}\\", "\u{1b}c", "\u{9b}6n", "\u{9d}0;t\u{9c}", "\u{90}", "\r", "\n", "\t", "\0",
    "\u{8}", "\u{7f}", "\u{85}", "\u{202e}", "\u{2067}", "\u{200b}", "\u{200d}", "\u{200c}",
    "\u{feff}",
    "\u{2028}", "\u{e0020}", "\u{301}", "word", " ", "한국", "👩", "é", "é", "<script>", "%s%n",
    "\\x1b",
    "\u{600}", "\u{fff9}", "\u{180e}",
  ].map { Array($0.utf8) }

  public static func samples(count: Int, seed: UInt64) -> [HostileText] {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { _ in
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 1...30, using: &random) {
        if Int.random(in: 0..<4, using: &random) == 0 {
          bytes.append(UInt8.random(in: .min ... .max, using: &random))
        } else {
          bytes += pieces.randomElement(using: &random) ?? []
        }
      }
      return HostileText(bytes: bytes)
    }
  }
}
