internal import Glibc
internal import Model

/// A time of day at this machine as an instant.
enum NextClock {
  /// The next time that the clock shows it; a time that the day skips (summer time) is what the
  /// system makes of it.
  static func instant(hour: Int, minute: Int, after now: Instant) -> Instant {
    var seconds = time_t(now.seconds)
    var parts = tm()
    tzset()
    guard localtime_r(&seconds, &parts) != nil else { return now + .seconds(86400) }
    for days in Int32(0)...2 {
      var wanted = parts
      wanted.tm_mday += days
      wanted.tm_hour = Int32(hour)
      wanted.tm_min = Int32(minute)
      wanted.tm_sec = 0
      // Whether it is summer time then is the system's to say.
      wanted.tm_isdst = -1
      let instant = Instant(seconds: Int64(mktime(&wanted)))
      if instant > now { return instant }
    }
    return now + .seconds(86400)
  }
}
