extension JSON5Reader {
  /// A string in either kind of quotes.
  mutating func readString() throws(JSON5Error) -> String {
    let start = scanner.at
    let quote = scanner.scalars[start]
    scanner.at += 1
    var text = String.UnicodeScalarView()
    while let scalar = scanner.scalar {
      if scalar == quote {
        scanner.at += 1
        return String(text)
      }
      if scalar == "\n" || scalar == "\r" { break }
      if scalar == "\\" {
        if let escaped = try readEscape() { text.append(escaped) }
      } else {
        text.append(scalar)
        scanner.at += 1
      }
    }
    let place = scanner.scalar == nil ? "before the end of the file" : "on its line"
    throw scanner.wrong(
      "this text has no end; expected \(Character(quote)) \(place)"
        + (scanner.scalar == nil ? "" : ", or '\\' as the last character to go on below"),
      at: start)
  }

  /// From the backslash on; nil for a line that goes on below.
  private mutating func readEscape() throws(JSON5Error) -> Unicode.Scalar? {
    let start = scanner.at
    scanner.at += 1
    guard let scalar = scanner.scalar else {
      throw scanner.wrong("expected an escape after '\\', found the end of the file")
    }
    scanner.at += 1
    switch scalar {
    case "b": return "\u{8}"
    case "f": return "\u{C}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "v": return "\u{B}"
    case "x": return Unicode.Scalar(UInt8(try readHex(2, start)))
    case "u": return try readUnicodeEscape(start)
    case "\r":
      _ = scanner.take("\n")
      return nil
    case "\n", "\u{2028}", "\u{2029}": return nil
    case "0":
      guard let next = scanner.scalar, ("0"..."9").contains(next) else { return "\0" }
      throw scanner.wrong("'\\0' may not be followed by a digit; write \\u0000", at: start)
    case "1"..."9":
      throw scanner.wrong(
        "'\\\(scalar)' is no escape; expected \\n, \\t, \\xHH, \\uHHHH or the like", at: start)
    default: return scalar
    }
  }

  /// From after the "u"; two surrogates that belong together are one character.
  private mutating func readUnicodeEscape(_ start: Int) throws(JSON5Error) -> Unicode.Scalar {
    let unit = try readHex(4, start)
    if let scalar = Unicode.Scalar(unit) { return scalar }
    if unit < 0xDC00, scanner.scalar == "\\", scanner.scalar(after: 1) == "u" {
      scanner.at += 2
      let low = try readHex(4, start)
      if low >= 0xDC00, low <= 0xDFFF,
        let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
      {
        return scalar
      }
    }
    throw scanner.wrong(
      "half of a surrogate pair; expected both halves, as in \\ud83d\\ude00", at: start)
  }

  private mutating func readHex(_ count: Int, _ start: Int) throws(JSON5Error) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<count {
      guard let digit = scanner.scalar.flatMap({ JSON5Reader.hexDigit($0) }) else {
        throw scanner.wrong(
          "expected \(count) hexadecimal digits in the escape, found \(scanner.found)")
      }
      value = value << 4 | UInt32(digit)
      scanner.at += 1
    }
    return value
  }

  static func hexDigit(_ scalar: Unicode.Scalar) -> UInt8? {
    scalar.isASCII ? HexDigit.value(UInt8(scalar.value)) : nil
  }

  /// A key without quotes or a word such as true. `\uHHHH` may stand for a letter.
  mutating func readWord() throws(JSON5Error) -> String {
    var text = String.UnicodeScalarView()
    while let scalar = scanner.scalar {
      if scalar == "\\" {
        let start = scanner.at
        guard scanner.scalar(after: 1) == "u" else {
          throw scanner.wrong("in a key without quotes only \\uHHHH may follow '\\'")
        }
        scanner.at += 2
        let escaped = try readUnicodeEscape(start)
        let fits =
          text.isEmpty ? JSON5Scanner.isWordStart(escaped) : JSON5Scanner.isWordPart(escaped)
        guard fits else {
          throw scanner.wrong("a key with this character stands in quotes", at: start)
        }
        text.append(escaped)
      } else if JSON5Scanner.isWordPart(scalar) {
        text.append(scalar)
        scanner.at += 1
      } else {
        break
      }
    }
    return String(text)
  }
}
