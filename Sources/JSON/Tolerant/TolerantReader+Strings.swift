extension TolerantReader {
  /// From the opening quote to after the closing one.
  mutating func readString() throws(JSONError) {
    let start = at
    at += 1
    let place = strings.count
    strings.append(contentsOf: [0, 0, 0, 0])
    var isRepaired = false
    var hasRawControls = false
    while true {
      appendPlain()
      guard let byte else {
        throw JSONError(.truncated, at: count, "the string that begins at byte \(start) has no end")
      }
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") {
        try readEscape(&isRepaired)
      } else if byte < 0x20 {
        hasRawControls = true
        strings.append(byte)
        at += 1
      } else {
        let rest = UnsafeBufferPointer(start: source + at, count: count - at)
        let (length, isValid) = UTF8Repair.sequence(rest)
        if isValid {
          strings.append(contentsOf: rest[0..<length])
        } else {
          strings.append(contentsOf: UTF8Repair.replacement)
          isRepaired = true
        }
        at += length
      }
    }
    at += 1
    if isRepaired { notes.repairedStrings += 1 }
    if hasRawControls { notes.rawControlStrings += 1 }
    let length = UInt32(strings.count - place - 4)
    withUnsafeBytes(of: length) { strings.replaceSubrange(place..<place + 4, with: $0) }
    strings.append(0)
    words.append(Tape.word(Tape.Tag.string, place))
  }

  /// Takes the ASCII bytes that stand for themselves, all at once.
  private mutating func appendPlain() {
    let start = at
    while at < count {
      let byte = source[at]
      if byte < 0x20 || byte >= 0x80 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        break
      }
      at += 1
    }
    strings.append(contentsOf: UnsafeBufferPointer(start: source + start, count: at - start))
  }

  private mutating func readEscape(_ isRepaired: inout Bool) throws(JSONError) {
    at += 1
    guard let byte else { throw wrong("an escape expected after '\\'") }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): strings.append(byte)
    case UInt8(ascii: "b"): strings.append(0x08)
    case UInt8(ascii: "f"): strings.append(0x0C)
    case UInt8(ascii: "n"): strings.append(0x0A)
    case UInt8(ascii: "r"): strings.append(0x0D)
    case UInt8(ascii: "t"): strings.append(0x09)
    case UInt8(ascii: "u"):
      at += 1
      try readUnicodeEscape(&isRepaired)
      return
    // XXXX stands for four hexadecimal digits, as the standard shows it.
    default: throw wrong("an escape is one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX")
    }
    at += 1
  }

  /// From after the "u". A surrogate without its other half becomes U+FFFD.
  private mutating func readUnicodeEscape(_ isRepaired: inout Bool) throws(JSONError) {
    let unit = try readHex()
    if let scalar = Unicode.Scalar(unit) {
      UTF8Repair.append(scalar, to: &strings)
      return
    }
    let rest = at
    if unit < 0xDC00, byte == UInt8(ascii: "\\"), at + 1 < count,
      source[at + 1] == UInt8(ascii: "u")
    {
      at += 2
      let low = try readHex()
      if low >= 0xDC00, low <= 0xDFFF,
        let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
      {
        UTF8Repair.append(scalar, to: &strings)
        return
      }
      // Not its other half: it is read again for itself.
      at = rest
    }
    strings.append(contentsOf: UTF8Repair.replacement)
    isRepaired = true
  }

  private mutating func readHex() throws(JSONError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte, let digit = HexDigit.value(byte) else {
        throw wrong("four hexadecimal digits expected after \\u")
      }
      value = value << 4 | UInt32(digit)
      at += 1
    }
    return value
  }
}
