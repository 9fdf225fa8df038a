internal import Base

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
    // Ranges count in whole seconds.
    guard let moment = Instant(rfc3339: text) else { return nil }
    let second = Instant(seconds: moment.seconds)
    return TimeWindow(from: second, to: second)
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

  private static func number(_ bytes: ArraySlice<UInt8>, digits: Int) -> Int? {
    guard bytes.count == digits, bytes.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return bytes.reduce(0) { $0 * 10 + Int($1 - 48) }
  }
}
