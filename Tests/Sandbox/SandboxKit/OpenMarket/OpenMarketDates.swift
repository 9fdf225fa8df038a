internal import Base

/// Dates of the Open Market: without a zone, in all forms that it was seen to use.
enum OpenMarketDates {
  /// The form depends on the record: T or a space, up to three fraction digits. In lists the time is always midnight.
  static func list(_ day: Int64, _ index: Int, _ generation: OpenMarketGeneration) -> String {
    let date = date(day)
    switch (generation, index % 8) {
    case (.third, 3): return "\(date)T00:00:00.0"
    case (.third, 6): return "\(date) 00:00:00"
    case (.third, _): return "\(date)T00:00:00"
    case (.second, 0): return "\(date) 00:00:00.000"
    case (.second, 1): return "\(date)T00:00:00.0"
    case (.second, 2): return "\(date) 00:00:00"
    case (.second, 3): return "\(date)T00:00:00"
    case (.second, _): return "\(date)T00:00:00.00"
    }
  }

  /// In details the newest have a time of day; its fraction repeats the seconds and means nothing.
  static func detail(
    _ day: Int64, _ index: Int, _ bits: UInt64, _ generation: OpenMarketGeneration
  ) -> String {
    guard index % 8 == 7 else { return list(day, index, generation) }
    // Late in the evening, so that a reader with another zone gets another day.
    let second = two(Int(bits % 60))
    return "\(date(day))T23:59:\(second)" + (generation == .second ? ".\(second)" : "")
  }

  /// `2022-01-03`
  static func date(_ day: Int64) -> String {
    let civil = CivilTime(Instant(seconds: day * 86_400))
    return String(civil.rfc3339.prefix(10))
  }

  private static func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
}
