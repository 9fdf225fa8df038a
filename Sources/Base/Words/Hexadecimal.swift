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

  /// 16 digits.
  public static func text(_ number: UInt64) -> String {
    withUnsafeBytes(of: number.bigEndian) { text($0) }
  }
}
