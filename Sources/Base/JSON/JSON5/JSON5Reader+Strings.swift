extension JSON5Reader {
  /// A string in either kind of quotes.
  mutating func readString() throws(JSON5Error) -> String {
    let start = scanner.at
    let quote = scanner.bytes[start]
    let backslash = UInt8(ascii: "\\")
    scanner.at += 1
    var text = ""
    while true {
      text += scanner.takeText {
        $0 != quote && $0 != backslash && $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r")
      }
      if scanner.byte == quote {
        scanner.at += 1
        return text
      }
      guard scanner.byte == backslash else { break }
      if let escaped = try readEscape() { text.unicodeScalars.append(escaped) }
    }
    let isAtEnd = scanner.byte == nil
    throw wrong(
      "this text has no end; expected \(Character(Unicode.Scalar(quote))) "
        + (isAtEnd
          ? "before the end of the file"
          : "on its line, or '\\' as the last character to go on below"),
      at: start)
  }

  /// From the backslash on; nil for a line continuation.
  private mutating func readEscape() throws(JSON5Error) -> Unicode.Scalar? {
    let start = scanner.at
    scanner.at += 1
    guard let scalar = scanner.takeScalar() else {
      throw wrong("expected an escape after '\\', found the end of the file")
    }
    switch scalar {
    case "v": return "\u{B}"
    case "x":
      guard let value = scanner.readHex(2) else { throw missingDigit(of: 2) }
      return Unicode.Scalar(UInt8(value))
    case "u": return try readUnicodeEscape(start)
    case "\r":
      _ = scanner.take("\n")
      return nil
    case "\n", "\u{2028}", "\u{2029}": return nil
    case "0":
      guard let next = scanner.byte, (48...57).contains(next) else { return "\0" }
      throw wrong("'\\0' may not be followed by a digit; write \\u0000", at: start)
    case "1"..."9":
      throw wrong(
        "'\\\(scalar)' is not an escape; expected \\n, \\t, \\xHH, \\uHHHH or the like", at: start)
    default:
      guard scalar.isASCII else { return scalar }
      return JSONScanner.control(UInt8(scalar.value)).map { Unicode.Scalar($0) } ?? scalar
    }
  }

  /// From after the "u".
  private mutating func readUnicodeEscape(_ start: Int) throws(JSON5Error) -> Unicode.Scalar {
    switch scanner.readUnicodeEscape() {
    case .scalar(let scalar): return scalar
    case .noDigit: throw missingDigit(of: 4)
    case .half:
      throw wrong(
        "half of a surrogate pair; expected both halves, as in \\ud83d\\ude00", at: start)
    }
  }

  private mutating func missingDigit(of count: Int) -> JSON5Error {
    wrong("expected \(count) hexadecimal digits in the escape, found \(scanner.found)")
  }

  /// A key without quotes or a word such as true. `\uHHHH` may replace a letter.
  mutating func readWord() throws(JSON5Error) -> String {
    var text = scanner.takeText { $0 < 0x80 && JSONScanner.isWordPart(Unicode.Scalar($0)) }
      .unicodeScalars
    while let scalar = scanner.scalar {
      if scalar == "\\" {
        let start = scanner.at
        guard scanner.byte(after: 1) == UInt8(ascii: "u") else {
          throw wrong("in a key without quotes only \\uHHHH may follow '\\'")
        }
        scanner.at += 2
        let escaped = try readUnicodeEscape(start)
        let fits =
          text.isEmpty ? JSONScanner.isWordStart(escaped) : JSONScanner.isWordPart(escaped)
        guard fits else {
          throw wrong("a key with this character must be in quotes", at: start)
        }
        text.append(escaped)
      } else if JSONScanner.isWordPart(scalar) {
        text.append(scalar)
        _ = scanner.takeScalar()
      } else {
        break
      }
    }
    return String(text)
  }
}
