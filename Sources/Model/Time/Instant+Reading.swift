extension Instant {
  /// Reads `2026-11-21T14:12:07Z`, the form that `description` writes, and no other.
  public init?(rfc3339 text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 20, bytes[19] == UInt8(ascii: "Z"), bytes[10] == UInt8(ascii: "T"),
      bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":")
    else { return nil }
    func number(_ range: Range<Int>) -> Int? {
      bytes[range].reduce(0) { sum, byte in
        guard let sum, (48...57).contains(byte) else { return nil }
        return sum * 10 + Int(byte - 48)
      }
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
      let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
      let instant = CivilTime(
        year: Int64(year), month: month, day: day, hour: hour, minute: minute, second: second
      ).instant
    else { return nil }
    self = instant
  }
}
