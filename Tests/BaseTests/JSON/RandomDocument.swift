/// JSON texts from a seed: every kind of value, odd white space, and all ways to write a character.
enum RandomDocument {
  /// A whole document of a few hundred bytes.
  static func text(using random: inout some RandomNumberGenerator) -> [UInt8] {
    var output: [UInt8] = []
    appendValue(&output, levels: Int.random(in: 0...5, using: &random), &random)
    appendSpace(&output, &random)
    return output
  }

  /// A valid number that simdjson accepts.
  static func number(using random: inout some RandomNumberGenerator) -> String {
    switch Int.random(in: 0..<9, using: &random) {
    case 0: return String(Int64.random(in: .min ... .max, using: &random))
    case 1: return String(UInt64.random(in: .min ... .max, using: &random))
    case 2: return String(Int.random(in: -1000...1000, using: &random))
    case 3:
      // Bit patterns reach every exponent, including subnormal ones.
      let value = Double(bitPattern: .random(in: .min ... .max, using: &random))
      return value.isFinite ? value.description : "-0"
    case 4:
      return
        "\(Int.random(in: -99...99, using: &random)).0E\(Int.random(in: 0...20, using: &random))"
    case 5: return digits(1...18, &random) + "." + digits(1...30, &random, leadingZeros: true)
    case 6: return "-" + digits(1...3, &random) + "e-" + digits(1...2, &random)
    case 7:
      return ["-0", "0", "0.0", "-0.0", "0e0", "1.0", "1E+2"].randomElement(using: &random) ?? "0"
    default:
      // Just below, at and above the powers at which integers change their kind.
      let power = UInt64(1) << UInt64.random(in: 52...63, using: &random)
      return String(power &+ UInt64.random(in: 0...2, using: &random) &- 1)
    }
  }

  private static func digits(
    _ count: ClosedRange<Int>, _ random: inout some RandomNumberGenerator,
    leadingZeros: Bool = false
  ) -> String {
    var text = ""
    let wanted = Int.random(in: count, using: &random)
    while text.utf8.count < wanted {
      let least = text.isEmpty && !leadingZeros ? 1 : 0
      text += String(Int.random(in: least...9, using: &random))
    }
    return text
  }

  private static func appendValue(
    _ output: inout [UInt8], levels: Int, _ random: inout some RandomNumberGenerator
  ) {
    appendSpace(&output, &random)
    switch Int.random(in: 0..<(levels > 0 ? 9 : 5), using: &random) {
    case 0: output += Array(number(using: &random).utf8)
    case 1, 2: appendString(&output, &random)
    case 3: output += Array((Bool.random(using: &random) ? "true" : "false").utf8)
    case 4: output += Array("null".utf8)
    case 5, 6:
      appendMany(&output, "[", "]", &random) { output, random in
        appendValue(&output, levels: levels - 1, &random)
      }
    default:
      appendMany(&output, "{", "}", &random) { output, random in
        appendSpace(&output, &random)
        appendString(&output, &random)
        appendSpace(&output, &random)
        output.append(UInt8(ascii: ":"))
        appendValue(&output, levels: levels - 1, &random)
      }
    }
  }

  private static func appendMany<Random: RandomNumberGenerator>(
    _ output: inout [UInt8], _ open: Unicode.Scalar, _ close: Unicode.Scalar,
    _ random: inout Random, _ item: (inout [UInt8], inout Random) -> Void
  ) {
    output.append(UInt8(ascii: open))
    for place in 0..<Int.random(in: 0...4, using: &random) {
      if place > 0 { output.append(UInt8(ascii: ",")) }
      item(&output, &random)
      appendSpace(&output, &random)
    }
    output.append(UInt8(ascii: close))
  }

  private static func appendString(
    _ output: inout [UInt8], _ random: inout some RandomNumberGenerator
  ) {
    let pieces = [
      "a", "key", "\\n", "\\\"", "\\\\", "\\/", "\\b\\f\\r\\t", "\\u0000", "\\u001f", "\\u00e9",
      "\\u20AC", "\\ud83d\\uDE00", "\u{E9}", "e\u{301}", "\u{20AC}", "\u{1F600}", "\u{7F}", " ",
      "[{:,}]", "http://x/y?z=1", "\\uFFFE", "\u{FEFF}", "\\u2028", "0123456789abcdef0123456789",
    ]
    output.append(UInt8(ascii: "\""))
    for _ in 0..<Int.random(in: 0...5, using: &random) {
      output += Array((pieces.randomElement(using: &random) ?? "").utf8)
    }
    output.append(UInt8(ascii: "\""))
  }

  private static func appendSpace(
    _ output: inout [UInt8], _ random: inout some RandomNumberGenerator
  ) {
    guard Int.random(in: 0..<4, using: &random) == 0 else { return }
    let spaces: [UInt8] = [0x20, 0x0A, 0x0D, 0x09]
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      output.append(spaces[Int.random(in: 0..<4, using: &random)])
    }
  }
}
