extension JSON5Reader {
  /// A number: decimal with the dot anywhere, hexadecimal, Infinity or NaN; each with a sign.
  mutating func readNumber() throws(JSON5Error) -> JSON5Number {
    let start = scanner.at
    let isNegative = scanner.scalar == "-"
    if isNegative || scanner.scalar == "+" { scanner.at += 1 }
    let number: JSON5Number
    switch scanner.scalar {
    case "I": number = try special("Infinity", isNegative ? -.infinity : .infinity, from: start)
    case "N": number = try special("NaN", .nan, from: start)
    case "0" where scanner.scalar(after: 1) == "x" || scanner.scalar(after: 1) == "X":
      number = try hexadecimal(isNegative, from: start)
    default: number = try decimal(isNegative, from: start)
    }
    if let next = scanner.scalar, JSON5Scanner.isWordPart(next) || next == "." {
      throw scanner.wrong(
        "the number \(number.text) ends in \(scanner.found); text stands in quotes")
    }
    return number
  }

  private func text(from start: Int) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scanner.scalars[start..<scanner.at])
    return String(text)
  }

  private mutating func special(
    _ name: String, _ value: Double, from start: Int
  ) throws(JSON5Error) -> JSON5Number {
    let first = scanner.at
    for scalar in name.unicodeScalars where !scanner.take(scalar) {
      scanner.at = first
      throw scanner.wrong("expected a value, found \(scanner.found); text stands in quotes")
    }
    return JSON5Number(text: text(from: start), integer: nil, real: value)
  }

  private mutating func hexadecimal(
    _ isNegative: Bool, from start: Int
  ) throws(JSON5Error) -> JSON5Number {
    scanner.at += 2
    var magnitude: UInt64? = 0
    var real = 0.0
    let first = scanner.at
    while let digit = scanner.scalar.flatMap({ JSON5Reader.hexDigit($0) }) {
      magnitude = magnitude.flatMap { $0 >> 60 == 0 ? $0 << 4 | UInt64(digit) : nil }
      real = real * 16 + Double(digit)
      scanner.at += 1
    }
    guard scanner.at > first else {
      throw scanner.wrong("expected a hexadecimal digit after 0x, found \(scanner.found)")
    }
    let signed: Int64? = magnitude.flatMap {
      if !isNegative { return Int64(exactly: $0) }
      return $0 <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- $0) : nil
    }
    return JSON5Number(
      text: text(from: start), integer: signed, real: isNegative ? -real : real)
  }

  private mutating func decimal(
    _ isNegative: Bool, from start: Int
  ) throws(JSON5Error) -> JSON5Number {
    let first = scanner.at
    let whole = takeDigits()
    if whole.count > 1, whole.first == "0" {
      throw scanner.wrong("a number has no leading zeros; expected \(trimmed(whole))", at: first)
    }
    let fraction = scanner.take(".") ? takeDigits() : ""
    guard !whole.isEmpty || !fraction.isEmpty else {
      scanner.at = first
      throw scanner.wrong("expected a number, found \(scanner.found)")
    }
    var exponent = ""
    if scanner.take("e") || scanner.take("E") {
      if scanner.take("-") { exponent = "-" } else { _ = scanner.take("+") }
      let digits = takeDigits()
      guard !digits.isEmpty else {
        throw scanner.wrong("expected a digit in the exponent, found \(scanner.found)")
      }
      exponent += digits
    }
    // The same number as JSON writes it.
    var plain = isNegative ? "-" : ""
    plain += whole.isEmpty ? "0" : whole
    if !fraction.isEmpty { plain += "." + fraction }
    if !exponent.isEmpty { plain += "e" + exponent }
    var copy = plain
    return JSON5Number(
      text: text(from: start), integer: copy.withUTF8 { WholeNumber($0)?.signed },
      real: Double(plain) ?? .nan)
  }

  private func trimmed(_ digits: String) -> String {
    let rest = digits.drop { $0 == "0" }
    return rest.isEmpty ? "0" : String(rest)
  }

  private mutating func takeDigits() -> String {
    var digits = ""
    while let scalar = scanner.scalar, ("0"..."9").contains(scalar) {
      digits.unicodeScalars.append(scalar)
      scanner.at += 1
    }
    return digits
  }
}
