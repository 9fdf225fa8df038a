internal import Model

/// Text on its way into a page: nothing of it can become markup, leave its element, or turn the
/// direction of what stands beside it.
enum HTMLText {
  /// For element content and quoted attributes. Control characters and the marks that override the
  /// direction of text become visible boxes; a word that is too long for any line is cut.
  static func escaped(_ text: String, max: Int = 2_000) -> String {
    var out = ""
    var count = 0
    for scalar in text.unicodeScalars {
      count += 1
      if count > max { return out + "…" }
      switch scalar {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      case "'": out += "&#39;"
      case "\n", "\t": out += " "
      default:
        if isHarmful(scalar) { out += "\u{FFFD}" } else { out.unicodeScalars.append(scalar) }
      }
    }
    return out
  }

  /// Foreign text in an element of its own, so that its direction ends with it.
  static func foreign(_ text: String, max: Int = 300) -> String {
    let isBlank = text.unicodeScalars.allSatisfy(\.properties.isWhitespace)
    return "<bdi>\(isBlank ? "–" : escaped(text, max: max))</bdi>"
  }

  /// `2026-11-21 14:49:01 UTC`.
  static func time(_ instant: Instant) -> String {
    let text = instant.description
    let shown = text.split(separator: "T").joined(separator: " ").split(separator: "Z").joined()
    return "<time datetime=\"\(text)\">\(escaped(shown)) UTC</time>"
  }

  private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0: true
    // Overrides, isolates and marks of direction; zero-width characters; line separators.
    case 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB: true
    // What XML and HTML hold no place for.
    case 0xFFFE, 0xFFFF: true
    default: false
    }
  }
}
