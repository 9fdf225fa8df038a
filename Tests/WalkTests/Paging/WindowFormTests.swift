import Base
import TestSupport
@testable import Walk
import Testing

@Suite("The ends of a window")
struct WindowFormTests {
  private static func query(
    _ form: Window.Form, includesEnd: Bool, from: Int64, to: Int64, step: Duration? = .seconds(1)
  ) throws -> String? {
    var stream = try FakeJob.stream(.single, size: nil)
    stream.window = Window(
      from: "from", to: "to", form: form, column: nil, overlap: .zero, step: step,
      includesEnd: includesEnd)
    stream.window?.zone = .utc
    let window = TimeWindow(from: Instant(seconds: from), to: Instant(seconds: to))
    let builder = try FakeJob.builder(stream, window: window)
    return PercentEncoding.decodedText(try builder.address(at: .start).query ?? "")
  }

  /// 2026-01-31T00:00:00Z and the next day.
  private static let day: Int64 = 1_769_817_600

  @Test(
    "are written as the API wants them; what it counts as inside lies in no other window",
    arguments: [
      (.time, "from=2026-01-31T00:00:00Z&to=2026-01-31T23:59:59Z", "2026-02-01T00:00:00Z"),
      (
        .timeInMilliseconds, "from=2026-01-31T00:00:00.000Z&to=2026-01-31T23:59:59.999Z",
        "2026-02-01T00:00:00.000Z"
      ),
      (.date, "from=2026-01-31&to=2026-01-31", "2026-02-01"),
      (.seconds, "from=1769817600&to=1769903999", "1769904000"),
      (.milliseconds, "from=1769817600000&to=1769903999999", "1769904000000"),
      (.plain, "from=2026-01-31 00:00:00&to=2026-01-31 23:59:59", "2026-02-01 00:00:00"),
      (.compact, "from=20260131&to=20260131", "20260201"),
    ] as [(Window.Form, String, String)])
  func written(form: Window.Form, inside: String, outside: String) throws {
    let to = Self.day + 86_400
    #expect(try Self.query(form, includesEnd: true, from: Self.day, to: to) == inside)
    let other = try Self.query(form, includesEnd: false, from: Self.day, to: to)
    #expect(other?.hasSuffix("&to=\(outside)") == true, "\(other ?? "")")
    // The job does not say that no time lies between two steps, so windows share the instant at which they meet.
    let shared = try Self.query(form, includesEnd: true, from: Self.day, to: to, step: nil)
    #expect(form.isOfDays ? shared == inside : shared == other, "\(shared ?? "")")
  }

  @Test("ask for every record that the API has there, whatever its step, and its ends")
  func whole() {
    var random = SeededRandom(seed: 72)
    func drawn(_ count: Int64) -> Int64 { Int64(random.next() % UInt64(count)) }
    for _ in 0..<5_000 {
      let step = [nil, 1, 7, 60, 3600, 86_400, 7 * 86_400][Int(drawn(7))] as Int64?
      let form = [Window.Form.milliseconds, .seconds][Int(drawn(2))]
      var rule = Window(
        from: "from", to: "to", form: form, column: nil, overlap: .zero,
        step: step.map { .seconds($0) }, includesEnd: drawn(2) == 0)
      rule.includesBegin = drawn(2) == 0
      let from = 1_769_817_600_000 + drawn(1_000_000_000)
      let window = TimeWindow(
        from: Instant(milliseconds: from),
        to: Instant(milliseconds: from + 1 + drawn(step.map { $0 * 3000 } ?? 5000)))
      let text = WindowText(window, rule: rule)
      let unit: Int64 = form == .seconds ? 1000 : 1
      let ends = [text.from, text.to].compactMap { Int64($0).map { $0 * unit } }
      // In whole seconds where the job says so; some know a record only by its step.
      var time = from + drawn(window.to.milliseconds - from)
      if step != nil, form == .seconds {
        time = (time + 999) / 1000 * 1000
        if time >= window.to.milliseconds { continue }
      }
      let grain = step.map { $0 * 1000 } ?? 1
      for known in [time, time / grain * grain] {
        let begins = rule.includesBegin ? ends[0] <= known : ends[0] < known
        let isIn = begins && (rule.includesEnd ? known <= ends[1] : known < ends[1])
        #expect(isIn, "\(known) \(window) \(text) \(rule)")
      }
    }
  }

  @Test("are whole days where the API knows no others")
  func days() throws {
    for form in [Window.Form.date, .compact] {
      let planner = WindowPlanner(
        Window(from: "from", to: nil, form: form, column: nil, overlap: .zero))
      #expect(planner.step == .seconds(86_400))
    }
    // From six in the morning to six in the evening.
    let (from, to) = (Self.day + 21_600, Self.day + 64_800)
    let inside = try Self.query(.date, includesEnd: true, from: from, to: to)
    #expect(inside == "from=2026-01-31&to=2026-01-31")
    let outside = try Self.query(.date, includesEnd: false, from: from, to: to)
    #expect(outside == "from=2026-01-31&to=2026-02-01")
    let minutes = try Self.query(
      .time, includesEnd: true, from: Self.day, to: Self.day + 86_400, step: .seconds(60))
    #expect(minutes?.hasSuffix("&to=2026-01-31T23:59:59Z") == true)
  }
}

extension PercentEncoding {
  fileprivate static func decodedText(_ text: String) -> String {
    String(decoding: decoded(text[...]), as: UTF8.self)
  }
}
