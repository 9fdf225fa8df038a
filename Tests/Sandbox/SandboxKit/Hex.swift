/// Lower-case hexadecimal digits.
enum Hex {
  private static let digits = Array("0123456789abcdef".utf8)

  static func text(_ bytes: some Sequence<UInt8>) -> String {
    var out: [UInt8] = []
    for byte in bytes {
      out.append(digits[Int(byte >> 4)])
      out.append(digits[Int(byte & 15)])
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Sixteen digits.
  static func word(_ word: UInt64) -> String {
    text((0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) })
  }
}
