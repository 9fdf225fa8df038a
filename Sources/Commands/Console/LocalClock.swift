internal import Glibc
internal import Base

/// Times of day for people, in the zone of the machine or `$TZ`. Stored times are UTC.
enum LocalClock {
  /// `09:00 PDT`; if not the same day as `now`: `09:00 PDT on 2026-11-22`.
  static func text(_ instant: Instant, now: Instant) -> String {
    guard let then = local(instant), let today = local(now) else { return instant.description }
    let zone = then.tm_zone.map { ForeignText.cleaned(String(cString: $0)) } ?? "UTC"
    let time = "\(two(then.tm_hour)):\(two(then.tm_min)) \(zone)"
    if then.tm_year == today.tm_year, then.tm_yday == today.tm_yday { return time }
    return "\(time) on \(then.tm_year + 1900)-\(two(then.tm_mon + 1))-\(two(then.tm_mday))"
  }

  /// Once: it reads a file, and a table of lists has thousands of times.
  private static let zone: Void = tzset()

  static func local(_ instant: Instant) -> tm? {
    var seconds = time_t(instant.seconds)
    var parts = tm()
    _ = Self.zone
    return localtime_r(&seconds, &parts) == nil ? nil : parts
  }

  private static func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
}
