internal import Base

extension HTMLText {
  /// Foreign text in an element of its own, so that its direction ends with it.
  static func foreign(_ text: String, max: Int = 300) -> String {
    let isBlank = text.unicodeScalars.allSatisfy(\.properties.isWhitespace)
    return "<bdi>\(isBlank ? "–" : escaped(text, max: max))</bdi>"
  }

  /// `2026-11-21 14:49:01 UTC`.
  static func time(_ instant: Instant) -> String {
    let text = instant.description
    let shown = text.utf8.compactMap { byte -> UInt8? in
      switch byte {
      case UInt8(ascii: "T"): UInt8(ascii: " ")
      case UInt8(ascii: "Z"): nil
      default: byte
      }
    }
    return "<time datetime=\"\(text)\">\(String(decoding: shown, as: UTF8.self)) UTC</time>"
  }
}
