/// Bytes and numbers in lower-case hexadecimal digits.
public enum Hexadecimal {
  private static let digits = Array("0123456789abcdef".utf8)

  /// Two digits for each byte.
  public static func text(_ bytes: some Collection<UInt8>) -> String {
    String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
      var index = 0
      for byte in bytes {
        text[index] = digits[Int(byte >> 4)]
        text[index + 1] = digits[Int(byte & 15)]
        index += 2
      }
      return index
    }
  }

  /// The value of one digit, in capitals or small letters.
  static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 48...57: digit - 48
    case 65...70: digit - 55
    case 97...102: digit - 87
    default: nil
    }
  }

  /// The byte that the two digits at a place mean; nil: there are none.
  static func byte<Bytes: RandomAccessCollection>(in bytes: Bytes, at place: Int) -> UInt8?
  where Bytes.Element == UInt8, Bytes.Index == Int {
    guard place + 2 <= bytes.endIndex, let high = value(bytes[place]),
      let low = value(bytes[place + 1])
    else { return nil }
    return high << 4 | low
  }

  /// A character's number as in Unicode: capitals, at least four digits.
  static func number(of character: UInt32) -> String {
    let digits = String(character, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
  }

  /// 16 digits.
  public static func text(_ number: UInt64) -> String {
    withUnsafeBytes(of: number.bigEndian) { text($0) }
  }
}
