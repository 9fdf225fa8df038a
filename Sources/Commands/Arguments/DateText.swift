internal import Model

/// Dates as a person types them. A year, month or day is a stretch: a range from `2024` to `2024`
/// is the whole year, because a range that silently lacks its last day would be worse than one
/// that holds a day more.
enum DateText {
  /// Years beyond these are slips of the finger.
  private static let years = 1970...9999

  static func stretch(_ text: String, now: Instant) -> TimeWindow? {
    if text == "now" { return TimeWindow(from: now, to: now) }
    if let duration = DurationText.read(text) {
      return TimeWindow(from: now - duration, to: now - duration)
    }
    let bytes = Array(text.utf8)
    guard let year = number(bytes[...].prefix(4), digits: 4), years.contains(year) else {
      return nil
    }
    if bytes.count == 4 {
      return stretch(year: year, month: 1, day: 1, years: 1)
    }
    guard bytes.count >= 7, bytes[4] == dash, let month = number(bytes[5..<7], digits: 2) else {
      return nil
    }
    if bytes.count == 7 { return stretch(year: year, month: month, day: 1, months: 1) }
    guard bytes.count >= 10, bytes[7] == dash, let day = number(bytes[8..<10], digits: 2) else {
      return nil
    }
    if bytes.count == 10 {
      guard let from = CivilTime(year: Int64(year), month: month, day: day).instant else {
        return nil
      }
      return TimeWindow(from: from, to: from + .seconds(86400))
    }
    return moment(bytes, year: year, month: month, day: day)
  }

  private static let dash = UInt8(ascii: "-")

  private static func stretch(
    year: Int, month: Int, day: Int, years: Int = 0, months: Int = 0
  ) -> TimeWindow? {
    let next = month + months
    let end = CivilTime(
      year: Int64(year + years + (next > 12 ? 1 : 0)), month: next > 12 ? 1 : next, day: day)
    guard let from = CivilTime(year: Int64(year), month: month, day: day).instant,
      let to = end.instant
    else { return nil }
    return TimeWindow(from: from, to: to)
  }

  /// RFC 3339 behind the day: `T12:00:00Z`, `T12:00:00.5+09:00`.
  private static func moment(_ bytes: [UInt8], year: Int, month: Int, day: Int) -> TimeWindow? {
    guard bytes.count >= 20, bytes.count <= 40, [0x54, 0x74, 0x20].contains(bytes[10]),
      bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
      let hour = number(bytes[11..<13], digits: 2), let minute = number(bytes[14..<16], digits: 2),
      let second = number(bytes[17..<19], digits: 2),
      let instant = CivilTime(
        year: Int64(year), month: month, day: day, hour: hour, minute: minute, second: second
      ).instant
    else { return nil }
    var rest = bytes[19...]
    if rest.first == UInt8(ascii: ".") {
      let fraction = rest.dropFirst().prefix { (48...57).contains($0) }
      guard !fraction.isEmpty else { return nil }
      rest = rest.dropFirst(fraction.count + 1)
    }
    guard let offset = offsetSeconds(rest) else { return nil }
    let moment = instant - .seconds(offset)
    return TimeWindow(from: moment, to: moment)
  }

  private static func offsetSeconds(_ bytes: ArraySlice<UInt8>) -> Int64? {
    let bytes = Array(bytes)
    if bytes == [UInt8(ascii: "Z")] || bytes == [UInt8(ascii: "z")] { return 0 }
    guard bytes.count == 6, bytes[3] == UInt8(ascii: ":"),
      let sign = [UInt8(ascii: "+"): Int64(1), dash: -1][bytes[0]],
      let hours = number(bytes[1..<3], digits: 2), hours < 24,
      let minutes = number(bytes[4..<6], digits: 2), minutes < 60
    else { return nil }
    return sign * Int64(hours * 3600 + minutes * 60)
  }

  private static func number(_ bytes: ArraySlice<UInt8>, digits: Int) -> Int? {
    guard bytes.count == digits, bytes.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return bytes.reduce(0) { $0 * 10 + Int($1 - 48) }
  }
}
