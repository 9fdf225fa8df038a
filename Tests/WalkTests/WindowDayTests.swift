import Base
import TestSupport
import Testing
@testable import Walk

/// An API that filters by days of its own zone, requested in windows.
@Suite("Windows of days")
struct WindowDayTests {
  private static let zones = [
    "UTC", "America/New_York", "Pacific/Honolulu", "Pacific/Kiritimati", "Etc/GMT+12",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
  ]

  private static func day(_ instant: Instant, _ zone: ZoneRules) -> String {
    String(CivilTime(instant + .seconds(zone.offset(at: instant))).rfc3339.prefix(10))
  }

  private static func window(_ includesEnd: Bool, _ zone: ZoneRules?) -> Window {
    var rule = Window(
      from: "from", to: "to", form: .date, column: nil, overlap: .zero, includesEnd: includesEnd)
    rule.zone = zone
    return rule
  }

  @Test(
    "ask for every record of their time, whichever zone the API has its days in", arguments: zones)
  func holds(name: String) throws {
    let zone = try ZoneRules.load(name)
    var random = SeededRandom(seed: Digest64.of(name.utf8))
    func instant(_ within: Int64) -> Instant {
      // Includes the days of clock changes.
      Instant(milliseconds: 1_769_000_000_000 + Int64(random.next() % UInt64(within)))
    }
    for _ in 0..<4000 {
      let from = instant(20_000_000_000)
      let window = TimeWindow(
        from: from, to: from + .milliseconds(1 + Int64(random.next() % 300_000_000)))
      let span = window.to.milliseconds - window.from.milliseconds
      let record = window.from + .milliseconds(Int64(random.next() % UInt64(span)))
      for includesEnd in [true, false] {
        for told in [zone, nil] {
          let text = WindowText(window, rule: Self.window(includesEnd, told))
          let day = Self.day(record, zone)
          #expect(
            text.from <= day && (includesEnd ? day <= text.to : day < text.to),
            "\(window) \(text) \(day)")
        }
      }
    }
  }

  @Test("ask for no day more where the zone is named")
  func exact() throws {
    let from = Instant(seconds: 1_769_904_000)  // 2026-02-01T00:00:00Z
    let day = TimeWindow(from: from, to: from + .seconds(86_400))
    #expect(WindowText(day, rule: Self.window(true, .utc)).from == "2026-02-01")
    #expect(WindowText(day, rule: Self.window(true, .utc)).to == "2026-02-01")
    #expect(WindowText(day, rule: Self.window(false, .utc)).to == "2026-02-02")
    let york = try ZoneRules.load("America/New_York")
    #expect(WindowText(day, rule: Self.window(true, york)).from == "2026-01-31")
    #expect(WindowText(day, rule: Self.window(true, york)).to == "2026-02-01")
    #expect(WindowText(day, rule: Self.window(true, nil)).from == "2026-01-31")
    #expect(WindowText(day, rule: Self.window(true, nil)).to == "2026-02-02")
  }

  @Test("reach no further back than the API answers")
  func reach() {
    var rule = Self.window(true, nil)
    rule.reach = .seconds(30 * 86_400)
    let now = Instant(seconds: 1_769_904_000 + 3600)
    let all = TimeWindow(from: now - .seconds(90 * 86_400), to: now)
    let asked = WindowPlanner(rule).reachable(all, now: now).askable
    #expect(asked.map { WindowText($0, rule: rule).from >= "2026-01-02" } == true)
    rule.zone = .utc
    #expect(
      WindowPlanner(rule).reachable(all, now: now).askable?.from
        == Instant(seconds: 1_769_904_000 - 29 * 86_400))
  }
}
