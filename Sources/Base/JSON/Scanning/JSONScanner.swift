/// Reads a JSON or JSON5 text byte by byte, and what both grammars share: numbers, escapes and white space. Each reader
/// words its own errors.
struct JSONScanner {
  enum Grammar { case json, json5 }

  let bytes: UnsafeBufferPointer<UInt8>
  let grammar: Grammar
  var at = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>, _ grammar: Grammar) {
    self.bytes = bytes
    self.grammar = grammar
  }

  /// The current byte; nil at the end.
  var byte: UInt8? { at < bytes.count ? bytes[at] : nil }

  func byte(after steps: Int) -> UInt8? { at + steps < bytes.count ? bytes[at + steps] : nil }

  /// Takes the byte if it is this one.
  mutating func take(_ wanted: Unicode.Scalar) -> Bool {
    guard let byte, UInt32(byte) == wanted.value, wanted.isASCII else { return false }
    at += 1
    return true
  }

  /// Takes the word, or as much of it as matches.
  mutating func take(word: StaticString) -> Bool {
    for offset in 0..<word.utf8CodeUnitCount {
      guard byte == word.utf8Start[offset] else { return false }
      at += 1
    }
    return true
  }

  /// The white space of RFC 8259.
  mutating func skipSpace() {
    while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at += 1 }
  }

  /// Takes the bytes up to the first that does not fit.
  @inline(__always)
  mutating func takeText(_ fits: (UInt8) -> Bool) -> String {
    let start = at
    while at < bytes.count, fits(bytes[at]) { at += 1 }
    return text(start..<at)
  }

  func text(_ range: Range<Int>) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
  }
}

/// Numbers.
extension JSONScanner {
  /// The parts of a decimal number; digits only, possibly none in JSON5.
  struct Decimal {
    var whole: Range<Int>
    var fraction: Range<Int>?
    var isExponentNegative = false
    var exponent: Range<Int>?
  }

  enum DecimalProblem: Error {
    case leadingZero(Range<Int>)
    case noDigits
    case noFraction
    case noExponent
  }

  /// From after the sign. On an error the current byte is the wrong one.
  mutating func readDecimal() throws(DecimalProblem) -> Decimal {
    let first = at
    var number = Decimal(whole: digits())
    guard !number.whole.isEmpty || grammar == .json5 else { throw .noDigits }
    if number.whole.count > 1, bytes[first] == UInt8(ascii: "0") {
      at = first + 1
      throw .leadingZero(number.whole)
    }
    if take(".") {
      let fraction = digits()
      guard !fraction.isEmpty || grammar == .json5 else { throw .noFraction }
      number.fraction = fraction
    }
    guard !number.whole.isEmpty || number.fraction?.isEmpty == false else {
      at = first
      throw .noDigits
    }
    if take("e") || take("E") {
      number.isExponentNegative = take("-")
      if !number.isExponentNegative { _ = take("+") }
      let exponent = digits()
      guard !exponent.isEmpty else { throw .noExponent }
      number.exponent = exponent
    }
    return number
  }

  private mutating func digits() -> Range<Int> {
    let start = at
    while let byte, (48...57).contains(byte) { at += 1 }
    return start..<at
  }
}

/// Escapes.
extension JSONScanner {
  /// The control character of a one-letter escape, the same in both grammars.
  static func control(_ letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }

  /// The value of `count` hexadecimal digits; nil if one is missing: it is the current byte.
  mutating func readHex(_ count: Int) -> UInt32? {
    var value: UInt32 = 0
    for _ in 0..<count {
      guard let digit = byte.flatMap(Hexadecimal.value) else { return nil }
      value = value << 4 | UInt32(digit)
      at += 1
    }
    return value
  }

  enum UnicodeEscape {
    case scalar(Unicode.Scalar)
    /// A surrogate without its other half.
    case half
    case noDigit
  }

  /// From after the "u"; a surrogate pair is one character.
  mutating func readUnicodeEscape() -> UnicodeEscape {
    guard let unit = readHex(4) else { return .noDigit }
    if let scalar = Unicode.Scalar(unit) { return .scalar(scalar) }
    let rest = at
    if unit < 0xDC00, byte == UInt8(ascii: "\\"), byte(after: 1) == UInt8(ascii: "u") {
      at += 2
      guard let low = readHex(4) else { return .noDigit }
      if low >= 0xDC00, low <= 0xDFFF,
        let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
      {
        return .scalar(scalar)
      }
      // Not the other half: it is read again by itself.
      at = rest
    }
    return .half
  }
}
