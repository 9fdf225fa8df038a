internal import Model

extension HTMLText {
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
}
