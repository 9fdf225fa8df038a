/// The exact value of a number's text, if it is whole and its magnitude fits 64 bits.
///
/// Example: "12.50e1" has the digits 125 (a trailing zero is held back), two fraction digits and the exponent 1, so its
/// value is 125 x 10^(1 + 1 - 2) = 125.
struct WholeNumber {
  private let magnitude: UInt64
  private let isNegative: Bool

  var signed: Int64? {
    if !isNegative { return Int64(exactly: magnitude) }
    return magnitude <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
  }

  var unsigned: UInt64? { isNegative && magnitude != 0 ? nil : magnitude }

  /// Larger exponents are cut off; no text is long enough to bring one back into range.
  private static let exponentMax = 1 << 40

  /// `text` must be a number in the grammar of RFC 8259.
  init?(_ text: UnsafeBufferPointer<UInt8>) {
    var value: UInt64 = 0
    var heldZeros = 0
    var fractionDigits = 0
    var inFraction = false
    var at = 0
    isNegative = text.first == UInt8(ascii: "-")
    if isNegative { at = 1 }
    scan: while at < text.count {
      let byte = text[at]
      at += 1
      switch byte {
      case UInt8(ascii: "."):
        inFraction = true
        continue
      case UInt8(ascii: "0"):
        if value != 0 { heldZeros += 1 }
      case UInt8(ascii: "1")...UInt8(ascii: "9"):
        guard let scaled = WholeNumber.scale(value, heldZeros + 1) else { return nil }
        let (sum, overflow) = scaled.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
        if overflow { return nil }
        value = sum
        heldZeros = 0
      default: break scan
      }
      if inFraction { fractionDigits += 1 }
    }
    if value == 0 {
      magnitude = 0
      return
    }
    let power = heldZeros - fractionDigits + WholeNumber.exponent(text, from: at)
    // The last digit of `value` is not 0, so a negative power leaves a fraction.
    guard power >= 0, let whole = WholeNumber.scale(value, power) else { return nil }
    magnitude = whole
  }

  /// value x 10^power; nil if it does not fit.
  private static func scale(_ value: UInt64, _ power: Int) -> UInt64? {
    if value == 0 { return 0 }
    guard power <= 19 else { return nil }
    var value = value
    for _ in 0..<power {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      if overflow { return nil }
      value = product
    }
    return value
  }

  /// The number after the "e"; 0 if there is none.
  private static func exponent(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var value = 0
    var sign = 1
    for byte in text[start...] {
      switch byte {
      case UInt8(ascii: "-"): sign = -1
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        value = min(value * 10 + Int(byte - UInt8(ascii: "0")), exponentMax)
      default: break
      }
    }
    return sign * value
  }
}
