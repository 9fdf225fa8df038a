/// A calendar time in UTC (proleptic Gregorian), and its text forms.
public struct CivilTime: Equatable, Sendable {
  public var year: Int64
  public var month: Int
  public var day: Int
  public var hour: Int
  public var minute: Int
  public var second: Int
  public var millisecond: Int

  public init(
    year: Int64, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0,
    millisecond: Int = 0
  ) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
    self.millisecond = millisecond
  }

  public init(_ instant: Instant) {
    let seconds = instant.seconds
    let millisecond = Int((instant.milliseconds % 1000 + 1000) % 1000)
    let days = seconds >= 0 ? seconds / 86400 : (seconds - 86399) / 86400
    let rest = Int(seconds - days * 86400)
    let (year, month, day) = Self.date(daysSince1970: days)
    self.init(
      year: year, month: month, day: day, hour: rest / 3600, minute: rest / 60 % 60,
      second: rest % 60, millisecond: millisecond)
  }

  /// The instant; nil for an impossible date (30 February) and for a year too far away to count in milliseconds.
  public var instant: Instant? {
    guard (-1_000_000...1_000_000).contains(year), (1...12).contains(month),
      (1...Self.days(inMonth: month, of: year)).contains(day), (0...23).contains(hour),
      (0...59).contains(minute), (0...60).contains(second)
    else { return nil }
    let days = Self.daysSince1970(year: year, month: month, day: day)
    let seconds = days * 86400 + Int64(hour * 3600 + minute * 60 + min(second, 59))
    return Instant(milliseconds: seconds * 1000 + Int64(millisecond))
  }

  public var rfc3339: String {
    guard (0...9999).contains(year) else {
      return "\(digits(Int(year), 4))-\(digits(month, 2))-\(digits(day, 2))T"
        + "\(digits(hour, 2)):\(digits(minute, 2)):\(digits(second, 2))Z"
    }
    // Each row and page has some: writing single digits takes a tenth of the time.
    return String(unsafeUninitializedCapacity: 20) { text in
      text.baseAddress.map { TimeWriter.write(self, digits: 0, isUTC: true, to: $0) } ?? 0
    }
  }

  /// `20261121T141207Z`, for file names.
  public var compact: String {
    "\(digits(Int(year), 4))\(digits(month, 2))\(digits(day, 2))T"
      + "\(digits(hour, 2))\(digits(minute, 2))\(digits(second, 2))Z"
  }

  /// `Sat, 21 Nov 2026 14:12:07 GMT`, as in HTTP.
  public var httpDate: String {
    let days = Self.daysSince1970(year: year, month: month, day: day)
    let weekday = Int(((days % 7) + 11) % 7)  // 1970-01-01 was a Thursday
    return "\(Self.weekdays[weekday]), \(digits(day, 2)) \(Self.months[month - 1]) "
      + "\(digits(Int(year), 4)) \(digits(hour, 2)):\(digits(minute, 2)):\(digits(second, 2)) GMT"
  }

  static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  public static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  static func days(inMonth month: Int, of year: Int64) -> Int {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days since 1970-01-01, by eras of 400 years that begin in March: 2000-03-01 is day 11017.
  static func daysSince1970(year: Int64, month: Int, day: Int) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = Int64((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1)
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  static func date(daysSince1970 days: Int64) -> (year: Int64, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
    let day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}

/// A number with leading zeros: `digits(7, 2)` is `07`.
func digits(_ number: Int, _ width: Int) -> String {
  let text = String(abs(number))
  let padded = String(repeating: "0", count: max(0, width - text.utf8.count)) + text
  return number < 0 ? "-" + padded : padded
}
