internal import Glibc
internal import Base

/// A local time of day as an instant.
enum NextClock {
  /// The next time that the clock shows it. When clocks are set back an hour occurs twice: the next occurrence counts.
  /// A time that the day skips is left to the system.
  static func instant(hour: Int, minute: Int, after now: Instant) -> Instant {
    tzset()
    for days in Int32(0)...2 {
      // With and without summer time; -1: the system decides.
      let readings = [Int32(1), 0].compactMap { isSummer in
        reading(days, hour, minute, after: now, isSummer)
      }
      let shown = readings.filter { shows($0, hour, minute) && $0 > now }.min()
      if let shown { return shown }
      guard readings.allSatisfy({ !shows($0, hour, minute) }),
        let skipped = reading(days, hour, minute, after: now, -1), skipped > now
      else { continue }
      return skipped
    }
    return now + .seconds(86400)
  }

  private static func reading(
    _ days: Int32, _ hour: Int, _ minute: Int, after now: Instant, _ isSummer: Int32
  ) -> Instant? {
    guard var wanted = LocalClock.local(now) else { return nil }
    wanted.tm_mday += days
    wanted.tm_hour = Int32(hour)
    wanted.tm_min = Int32(minute)
    wanted.tm_sec = 0
    wanted.tm_isdst = isSummer
    return Instant(seconds: Int64(mktime(&wanted)))
  }

  private static func shows(_ instant: Instant, _ hour: Int, _ minute: Int) -> Bool {
    LocalClock.local(instant).map { $0.tm_hour == Int32(hour) && $0.tm_min == Int32(minute) }
      ?? false
  }
}
