extension TolerantReader {
  mutating func readNumber() throws(JSONError) {
    let start = at
    let isNegative = source[at] == UInt8(ascii: "-")
    if isNegative { at += 1 }
    let digits = at
    guard skipDigits() > 0 else { throw wrong("a digit expected after '-'") }
    if source[digits] == UInt8(ascii: "0"), at > digits + 1 {
      at = digits + 1
      throw wrong("a number has no leading zeros")
    }
    var isWhole = true
    if byte == UInt8(ascii: ".") {
      isWhole = false
      at += 1
      guard skipDigits() > 0 else { throw wrong("a digit expected after '.'") }
    }
    if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
      isWhole = false
      at += 1
      if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { at += 1 }
      guard skipDigits() > 0 else { throw wrong("a digit expected in the exponent") }
    }
    let text = UnsafeBufferPointer(start: source + start, count: at - start)
    append(text, at: start, isNegative: isNegative, isWhole: isWhole)
  }

  private mutating func skipDigits() -> Int {
    let start = at
    while at < count, source[at] >= UInt8(ascii: "0"), source[at] <= UInt8(ascii: "9") { at += 1 }
    return at - start
  }

  private mutating func append(
    _ text: UnsafeBufferPointer<UInt8>, at start: Int, isNegative: Bool, isWhole: Bool
  ) {
    if isWhole, let whole = WholeNumber(text) {
      if let value = whole.signed {
        words.append(Tape.word(Tape.Tag.signed, start))
        words.append(UInt64(bitPattern: value))
        return
      }
      if let value = whole.unsigned {
        words.append(Tape.word(Tape.Tag.unsigned, start))
        words.append(value)
        return
      }
    }
    // The standard library's reading is correctly rounded and knows no locale.
    let nearest =
      Double(String(decoding: text, as: UTF8.self)) ?? (isNegative ? -Double.infinity : .infinity)
    let isHuge = isWhole || nearest.isInfinite
    if isHuge { notes.hugeNumbers += 1 }
    words.append(Tape.word(isHuge ? Tape.Tag.huge : Tape.Tag.double, start))
    words.append(nearest.bitPattern)
  }
}
