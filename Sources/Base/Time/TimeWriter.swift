/// The stored forms of times: text sorts by time, because each column has a fixed width.
public enum TimeWriter {
  /// `YYYY-MM-DDTHH:MM:SS[.mmm][Z]`, at most 24 bytes.
  public static func write(
    _ civil: CivilTime, digits: Int, isUTC: Bool, to out: UnsafeMutablePointer<UInt8>
  ) -> Int {
    writeDate(civil, to: out)
    out[10] = UInt8(ascii: "T")
    put(civil.hour, 2, out + 11)
    out[13] = UInt8(ascii: ":")
    put(civil.minute, 2, out + 14)
    out[16] = UInt8(ascii: ":")
    put(civil.second, 2, out + 17)
    var count = 19
    if digits == 3 {
      out[19] = UInt8(ascii: ".")
      put(civil.millisecond, 3, out + 20)
      count = 23
    }
    if isUTC {
      out[count] = UInt8(ascii: "Z")
      count += 1
    }
    return count
  }

  /// `YYYY-MM-DD`: 10 bytes.
  public static func writeDate(_ civil: CivilTime, to out: UnsafeMutablePointer<UInt8>) {
    put(Int(civil.year), 4, out)
    out[4] = UInt8(ascii: "-")
    put(civil.month, 2, out + 5)
    out[7] = UInt8(ascii: "-")
    put(civil.day, 2, out + 8)
  }

  /// Two digits, as in nearly all parts of a time, or more.
  @inline(__always)
  private static func put(_ value: Int, _ width: Int, _ out: UnsafeMutablePointer<UInt8>) {
    var rest = UInt32(truncatingIfNeeded: value)
    for index in stride(from: width - 1, through: 0, by: -1) {
      out[index] = 48 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }
}
