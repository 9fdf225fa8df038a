extension Instant {
  /// Reads the three forms of RFC 9110 section 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`, the old
  /// `Sunday, 06-Nov-94 08:49:37 GMT`, and `Sun Nov  6 08:49:37 1994`. Nil for anything else.
  public init?(httpDate text: String) {
    let words = text.utf8.split { $0 == 32 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "-") }
    guard words.count >= 5 else { return nil }
    let isAsctime = Self.number(words[1]) == nil
    let (day, month) = isAsctime ? (words[2], words[1]) : (words[1], words[2])
    let (clock, year) = isAsctime ? (words[3], words[4]) : (words[4], words[3])
    let times = clock.split(separator: UInt8(ascii: ":")).map(Self.number)
    guard let day = Self.number(day), let number = Self.number(year), times.count == 3,
      let hour = times[0], let minute = times[1], let second = times[2],
      let month = CivilTime.months.firstIndex(where: { $0.utf8.elementsEqual(month) })
    else { return nil }
    let century = year.count != 2 ? 0 : number < 70 ? 2000 : 1900
    let civil = CivilTime(
      year: Int64(century + number), month: month + 1, day: day, hour: hour, minute: minute,
      second: second)
    guard let instant = civil.instant else { return nil }
    self = instant
  }

  /// Of four digits at most.
  private static func number(_ digits: Substring.UTF8View) -> Int? {
    guard (1...4).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }) else {
      return nil
    }
    return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
  }
}
