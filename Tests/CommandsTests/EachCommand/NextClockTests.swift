import Glibc
import Base
@testable import Commands
import Testing

@Suite("The next time that the clock shows")
struct NextClockTests {
  /// In a process of its own, as the zone is global.
  @Test("--until 01:30 in the hour that comes twice is the next of the two, and none is overrun")
  func repeatedHour() async {
    await #expect(processExitsWith: .success) {
      setenv("TZ", "America/New_York", 1)
      // 2026-11-01: at 06:00 UTC clocks go back from 02:00 to 01:00.
      let midnight = Instant(seconds: 1_793_505_600)
      func next(_ minutes: Int64) -> Int64 {
        let now = midnight + .seconds(minutes * 60)
        return (NextClock.instant(hour: 1, minute: 30, after: now) - midnight).components.seconds
          / 60
      }
      // 00:00, 01:10, 01:29 and 01:45 in summer time; then 01:10, 01:30 and 02:10.
      for minutes: Int64 in [0, 70, 89] { #expect(next(minutes) == 90) }
      for minutes: Int64 in [105, 130] { #expect(next(minutes) == 150) }
      for minutes: Int64 in [150, 190] { #expect(next(minutes) == 150 + 24 * 60) }
      // 2027-03-14: 02:30 does not exist; the run must still end.
      let spring = Instant(seconds: 1_805_000_400)
      let skipped = NextClock.instant(hour: 2, minute: 30, after: spring) - spring
      #expect(skipped > .zero && skipped <= .seconds(25 * 3600))
    }
  }
}
