extension Instant {
  /// Reads the three forms of RFC 9110 section 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`, the old
  /// `Sunday, 06-Nov-94 08:49:37 GMT`, and `Sun Nov  6 08:49:37 1994`. Nil for anything else.
  public init?(httpDate text: String) {
    let separators = Array(" ,-".utf8)
    let words = text.utf8.split(whereSeparator: { separators.contains($0) }).map {
      String(Substring($0))
    }
    guard words.count >= 5 else { return nil }
    let isAsctime = Int(words[1]) == nil
    let dayWord = isAsctime ? words[2] : words[1]
    let monthWord = isAsctime ? words[1] : words[2]
    let clockWord = isAsctime ? words[3] : words[4]
    let yearWord = isAsctime ? words[4] : words[3]
    let clock = clockWord.utf8.split(separator: UInt8(ascii: ":")).map { Int(Substring($0)) ?? -1 }
    guard let day = Int(dayWord), var year = Int64(yearWord), clock.count == 3,
      let month = CivilTime.months.firstIndex(of: monthWord)
    else { return nil }
    if yearWord.utf8.count == 2 { year += year < 70 ? 2000 : 1900 }
    let civil = CivilTime(
      year: year, month: month + 1, day: day, hour: clock[0], minute: clock[1], second: clock[2])
    guard let instant = civil.instant else { return nil }
    self = instant
  }
}
