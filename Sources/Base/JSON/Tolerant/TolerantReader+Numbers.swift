extension TolerantReader {
  mutating func readNumber() throws(JSONError) {
    let start = scanner.at
    let isNegative = scanner.take("-")
    let number: JSONScanner.Decimal
    do { number = try scanner.readDecimal() } catch { throw wrong(error) }
    append(
      UnsafeBufferPointer(rebasing: scanner.bytes[start..<scanner.at]), at: start,
      isNegative: isNegative, isWhole: number.fraction == nil && number.exponent == nil)
  }

  private func wrong(_ problem: JSONScanner.DecimalProblem) -> JSONError {
    switch problem {
    case .leadingZero: wrong("a number has no leading zeros")
    case .noDigits: wrong("a digit expected after '-'")
    case .noFraction: wrong("a digit expected after '.'")
    case .noExponent: wrong("a digit expected in the exponent")
    }
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
    // The standard library rounds correctly and ignores the locale.
    let nearest =
      Double(String(decoding: text, as: UTF8.self)) ?? (isNegative ? -Double.infinity : .infinity)
    let isHuge = isWhole || nearest.isInfinite
    words.append(Tape.word(isHuge ? Tape.Tag.huge : Tape.Tag.double, start))
    words.append(nearest.bitPattern)
  }
}
