import Base
@testable import Walk
import Testing

@Suite("A quota's clock")
struct QuotaClockTests {
  static let pacific = Quota.Window.daily(hour: 0, minute: 0, zone: "America/Los_Angeles")

  @Test(
    "begins the day at midnight of its zone, whatever the clocks do",
    arguments: [
      // Winter, summer, and both days of the clock change (23 and 25 hours long).
      ("2026-01-15T07:59:59Z", "2026-01-14T08:00:00Z", "2026-01-15T08:00:00Z"),
      ("2026-01-15T08:00:00Z", "2026-01-15T08:00:00Z", "2026-01-16T08:00:00Z"),
      ("2026-07-01T12:00:00Z", "2026-07-01T07:00:00Z", "2026-07-02T07:00:00Z"),
      ("2026-03-08T09:30:00Z", "2026-03-08T08:00:00Z", "2026-03-09T07:00:00Z"),
      ("2026-11-01T09:30:00Z", "2026-11-01T07:00:00Z", "2026-11-02T08:00:00Z"),
      ("2026-11-02T07:30:00Z", "2026-11-01T07:00:00Z", "2026-11-02T08:00:00Z"),
      ("2080-12-31T23:00:00Z", "2080-12-31T08:00:00Z", "2081-01-01T08:00:00Z"),
    ])
  func pacificDays(now: String, from: String, to: String) throws {
    let clock = try #require(try QuotaClock(Self.pacific))
    let window = clock.day(at: try #require(Instant(rfc3339: now)))
    #expect(window.from.description == from && window.to.description == to)
  }

  @Test("tiles a year of hours without gap or overlap, resets at skipped hours included")
  func tiles() throws {
    for (hour, zone) in [(0, "America/Los_Angeles"), (2, "Europe/Berlin"), (0, "Asia/Seoul")] {
      let clock = try #require(try QuotaClock(.daily(hour: hour, minute: 30, zone: zone)))
      var last: TimeWindow?
      var days = 0
      var wrong = 0
      for step in 0..<(366 * 24) {
        let now = Instant(seconds: 1_767_225_600 + Int64(step) * 3600)
        let window = clock.day(at: now)
        if !(window.from <= now && now < window.to) { wrong += 1 }
        if let last, window != last {
          if window.from != last.to { wrong += 1 }
          if !(23...25).contains((window.to - window.from).inSeconds / 3600) { wrong += 1 }
          days += 1
        }
        last = window
      }
      #expect(days == 366 && wrong == 0)
    }
  }
}
