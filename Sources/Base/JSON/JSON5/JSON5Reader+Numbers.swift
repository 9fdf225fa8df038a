extension JSON5Reader {
  /// A number: decimal with the dot anywhere, hexadecimal, Infinity or NaN; each with a sign.
  mutating func readNumber() throws(JSON5Error) -> JSON5Number {
    let start = scanner.at
    let isNegative = scanner.take("-")
    if !isNegative { _ = scanner.take("+") }
    let number: JSON5Number
    switch scanner.scalar {
    case "I": number = try special("Infinity", isNegative ? -.infinity : .infinity, from: start)
    case "N": number = try special("NaN", .nan, from: start)
    case "0" where scanner.byte(after: 1).map({ $0 | 0x20 }) == UInt8(ascii: "x"):
      number = try hexadecimal(isNegative, from: start)
    default: number = try decimal(isNegative, from: start)
    }
    if let next = scanner.scalar, JSONScanner.isWordPart(next) || next == "." {
      throw wrong(
        "the number \(number.text) ends in \(scanner.found); text must be in quotes")
    }
    return number
  }

  private func text(from start: Int) -> String { scanner.text(start..<scanner.at) }

  private mutating func special(
    _ name: StaticString, _ value: Double, from start: Int
  ) throws(JSON5Error) -> JSON5Number {
    let first = scanner.at
    guard scanner.take(word: name) else {
      scanner.at = first
      throw wrong("expected a value, found \(scanner.found); text must be in quotes")
    }
    return JSON5Number(text: text(from: start), json: nil, integer: nil, real: value)
  }

  private mutating func hexadecimal(
    _ isNegative: Bool, from start: Int
  ) throws(JSON5Error) -> JSON5Number {
    scanner.at += 2
    var magnitude: UInt64? = 0
    var real = 0.0
    let first = scanner.at
    while let digit = scanner.byte.flatMap(Hexadecimal.value) {
      magnitude = magnitude.flatMap { $0 >> 60 == 0 ? $0 << 4 | UInt64(digit) : nil }
      real = real * 16 + Double(digit)
      scanner.at += 1
    }
    guard scanner.at > first else {
      throw wrong("expected a hexadecimal digit after 0x, found \(scanner.found)")
    }
    let signed: Int64? = magnitude.flatMap {
      if !isNegative { return Int64(exactly: $0) }
      return $0 <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- $0) : nil
    }
    return JSON5Number(
      text: text(from: start), json: signed.map { "\($0)" }, integer: signed,
      real: isNegative ? -real : real)
  }

  private mutating func decimal(
    _ isNegative: Bool, from start: Int
  ) throws(JSON5Error) -> JSON5Number {
    let number: JSONScanner.Decimal
    do { number = try scanner.readDecimal() } catch { throw wrong(error) }
    let whole = scanner.text(number.whole)
    var plain = (isNegative ? "-" : "") + (whole.isEmpty ? "0" : whole)
    if let fraction = number.fraction, !fraction.isEmpty { plain += "." + scanner.text(fraction) }
    if let exponent = number.exponent {
      plain += (number.isExponentNegative ? "e-" : "e") + scanner.text(exponent)
    }
    var copy = plain
    return JSON5Number(
      text: text(from: start), json: plain, integer: copy.withUTF8 { WholeNumber($0)?.signed },
      real: Double(plain) ?? .nan)
  }

  private mutating func wrong(_ problem: JSONScanner.DecimalProblem) -> JSON5Error {
    switch problem {
    case .leadingZero(let digits):
      let rest = scanner.text(digits).drop { $0 == "0" }
      return wrong(
        "a number has no leading zeros; expected \(rest.isEmpty ? "0" : rest)",
        at: digits.lowerBound)
    case .noDigits, .noFraction: return wrong("expected a number, found \(scanner.found)")
    case .noExponent: return wrong("expected a digit in the exponent, found \(scanner.found)")
    }
  }
}
