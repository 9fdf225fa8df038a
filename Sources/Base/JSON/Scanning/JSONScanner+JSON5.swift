/// What JSON5 adds to JSON: more kinds of white space, comments, and words without quotes.
extension JSONScanner {
  /// The current character; nil at the end. The bytes are known to be UTF-8.
  var scalar: Unicode.Scalar? { scalar(at: at) }

  private func scalar(at index: Int) -> Unicode.Scalar? {
    guard index < bytes.count else { return nil }
    if bytes[index] < 0x80 { return Unicode.Scalar(bytes[index]) }
    let length = UTF8Repair.sequence(UnsafeBufferPointer(rebasing: bytes[index...])).length
    return text(index..<index + length).unicodeScalars.first
  }

  /// Takes the current character.
  mutating func takeScalar() -> Unicode.Scalar? {
    guard let scalar else { return nil }
    at += UTF8.width(scalar)
    return scalar
  }

  /// Skips white space and comments; false at a `/` that begins no comment or an unclosed one, without taking it.
  mutating func skipSpaceAndComments() -> Bool {
    while let scalar {
      if scalar == "/" {
        guard skipComment() else { return false }
      } else if Self.isSpace(scalar) {
        at += UTF8.width(scalar)
      } else {
        return true
      }
    }
    return true
  }

  private mutating func skipComment() -> Bool {
    let start = at
    switch byte(after: 1) {
    case UInt8(ascii: "/"):
      while let scalar, !Self.isLineEnd(scalar) { at += UTF8.width(scalar) }
    case UInt8(ascii: "*"):
      at += 2
      while !(byte == UInt8(ascii: "*") && byte(after: 1) == UInt8(ascii: "/")) {
        guard at < bytes.count else {
          at = start
          return false
        }
        at += 1
      }
      at += 2
    default: return false
    }
    return true
  }

  static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\n" || scalar == "\r" || scalar == "\u{2028}" || scalar == "\u{2029}"
  }

  static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case " ", "\t", "\n", "\r", "\u{B}", "\u{C}", "\u{A0}", "\u{FEFF}", "\u{2028}", "\u{2029}":
      true
    default: !scalar.isASCII && scalar.properties.generalCategory == .spaceSeparator
    }
  }

  /// A description of the current character, for a message.
  var found: String {
    guard let scalar else { return "the end of the file" }
    if JSONScanner.isWordStart(scalar) { return "'\(word)'" }
    if scalar.value < 0x20 || scalar.value == 0x7F {
      return "the character U+" + Hexadecimal.number(of: scalar.value)
    }
    return "'\(Character(scalar))'"
  }

  /// The current word, shortened for a message.
  private var word: String {
    var rest = self
    var text = String.UnicodeScalarView()
    while text.count < 24, let scalar = rest.takeScalar(), Self.isWordPart(scalar) {
      text.append(scalar)
    }
    return String(text)
  }

  /// A character that an unquoted key may begin with, apart from an escape.
  static func isWordStart(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      return scalar == "_" || scalar == "$" || ("a"..."z").contains(scalar)
        || ("A"..."Z").contains(scalar)
    }
    return scalar.properties.isIDStart
  }

  static func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
    if isWordStart(scalar) { return true }
    if scalar.isASCII { return ("0"..."9").contains(scalar) }
    return scalar == "\u{200C}" || scalar == "\u{200D}" || scalar.properties.isIDContinue
  }
}
