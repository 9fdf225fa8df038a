internal import Base

/// Dates as a person types them. A year, month or day is a stretch: from `2024` to `2024` is the whole year, because a
/// range that silently lacks its last day is worse than one with a day too many.
enum DateText {
  /// Other years are typing errors.
  private static let years = 1970...9999

  /// Ranges are stored as text, and later years could not be read again.
  private static let last = Instant.year10000 - .seconds(1)

  static func stretch(_ text: String, now: Instant) -> TimeWindow? {
    if text == "now" { return TimeWindow(from: now, to: now) }
    if let duration = DurationText.read(text) {
      return TimeWindow(from: now - duration, to: now - duration)
    }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard let year = number(parts[0], digits: 4), years.contains(year) else { return nil }
    let rest = parts.dropFirst().compactMap { number($0, digits: 2) }
    guard rest.count < 3, rest.count == parts.count - 1 else {
      // Ranges count in whole seconds.
      guard let moment = Instant(rfc3339: text) else { return nil }
      let second = min(Instant(seconds: moment.seconds), last)
      return TimeWindow(from: second, to: second)
    }
    let (month, day) = (rest.first ?? 1, rest.count == 2 ? rest[1] : 1)
    guard let from = CivilTime(year: Int64(year), month: month, day: day).instant else {
      return nil
    }
    let isLast = rest.isEmpty || month == 12
    let end =
      rest.count == 2
      ? from + .seconds(86400)
      : CivilTime(
        year: Int64(isLast ? year + 1 : year), month: isLast ? 1 : month + 1, day: 1
      ).instant
    return end.map { TimeWindow(from: from, to: min($0, last)) }
  }

  private static func number(_ text: Substring, digits: Int) -> Int? {
    text.utf8.count == digits && text.utf8.allSatisfy { (48...57).contains($0) } ? Int(text) : nil
  }
}
