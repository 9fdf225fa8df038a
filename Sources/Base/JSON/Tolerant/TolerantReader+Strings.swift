extension TolerantReader {
  /// From the opening quote to after the closing one.
  mutating func readString() throws(JSONError) {
    let start = scanner.at
    scanner.at += 1
    let place = strings.count
    strings.append(contentsOf: [0, 0, 0, 0])
    var isRepaired = false
    while true {
      appendPlain()
      guard let byte = scanner.byte else {
        throw JSONError(
          .truncated, at: scanner.at, "the string that begins at byte \(start) has no end")
      }
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") {
        try readEscape(&isRepaired)
      } else if byte < 0x20 {
        // A control character that JSON wants escaped is kept.
        strings.append(byte)
        scanner.at += 1
      } else {
        let rest = UnsafeBufferPointer(rebasing: scanner.bytes[scanner.at...])
        let (length, isValid) = UTF8Repair.sequence(rest)
        if isValid {
          strings.append(contentsOf: rest[0..<length])
        } else {
          strings.append(contentsOf: UTF8Repair.replacement)
          isRepaired = true
        }
        scanner.at += length
      }
    }
    scanner.at += 1
    if isRepaired {
      repairs.append(RepairedString(word: words.count, source: start + 1..<scanner.at - 1))
    }
    let length = UInt32(strings.count - place - 4)
    withUnsafeBytes(of: length) { strings.replaceSubrange(place..<place + 4, with: $0) }
    strings.append(0)
    words.append(Tape.word(Tape.Tag.string, place))
  }

  /// Takes the ASCII bytes that need no escape, all at once.
  private mutating func appendPlain() {
    let start = scanner.at
    while let byte = scanner.byte, byte >= 0x20, byte < 0x80, byte != UInt8(ascii: "\""),
      byte != UInt8(ascii: "\\")
    {
      scanner.at += 1
    }
    strings.append(contentsOf: UnsafeBufferPointer(rebasing: scanner.bytes[start..<scanner.at]))
  }

  private mutating func readEscape(_ isRepaired: inout Bool) throws(JSONError) {
    scanner.at += 1
    guard let byte = scanner.byte else { throw wrong("an escape expected after '\\'") }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): strings.append(byte)
    case UInt8(ascii: "u"):
      scanner.at += 1
      try readUnicodeEscape(&isRepaired)
      return
    default:
      guard let control = JSONScanner.control(byte) else {
        // XXXX means four hexadecimal digits, as the standard shows it.
        throw wrong("an escape is one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX")
      }
      strings.append(control)
    }
    scanner.at += 1
  }

  /// From after the "u". A surrogate without its other half becomes U+FFFD.
  private mutating func readUnicodeEscape(_ isRepaired: inout Bool) throws(JSONError) {
    switch scanner.readUnicodeEscape() {
    case .scalar(let scalar): strings.append(contentsOf: UTF8.encode(scalar).unsafelyUnwrapped)
    case .noDigit: throw wrong("four hexadecimal digits expected after \\u")
    case .half:
      strings.append(contentsOf: UTF8Repair.replacement)
      isRepaired = true
    }
  }
}
