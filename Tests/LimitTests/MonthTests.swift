import Base
import Crawl
import SandboxKit
import TestSupport
import Testing

/// A timer every hour and a backfill that would eat everything, on one key, under the quotas of an
/// hour and of a day in another time zone.
@Suite("A month of one key")
struct MonthTests {
  struct Shape: Sendable, CustomTestStringConvertible {
    var job: String
    var timerStreams: [String]
    var backfillStreams: [String]
    var start: Int64
    var hours: Int
    var testDescription: String { "\(job) from \(Instant(seconds: start)), \(hours) hours" }
  }

  /// Thirty days with `make torture`; else some hours, and the two days on which the clocks of Los
  /// Angeles change, of 25 hours and of 23.
  static let shapes =
    Torture.isOn
    ? [
      github(1_792_800_000, 30 * 24), youtube(1_792_800_000, 30 * 24), youtube(1_804_500_000, 240),
    ]
    : [github(1_793_534_400, 5), youtube(1_793_534_400, 26), youtube(1_805_025_600, 26)]

  private static func github(_ start: Int64, _ hours: Int) -> Shape {
    Shape(
      job: "github", timerStreams: ["profile", "following"],
      backfillStreams: ["profile", "followers"], start: start, hours: hours)
  }

  private static func youtube(_ start: Int64, _ hours: Int) -> Shape {
    Shape(
      job: "youtube", timerStreams: ["search"], backfillStreams: ["search"], start: start,
      hours: hours)
  }

  @Test(
    "holds no call beyond a quota, starves no timer's run, and wastes no reset",
    arguments: shapes)
  func month(shape: Shape) async throws {
    let start = shape.start
    var options = SandboxOptions(size: .small)
    (options.gitHub.users, options.gitHub.followers) = (12_000, 9_000)
    let engine = try Engine(
      at: Instant(seconds: shape.job == "youtube" ? start - 48 * 3600 : start), options)
    let timer = try engine.job(shape.job)
    var backfill = timer
    backfill.name = "other"
    var starved: [Instant] = []
    // Two days of the timer alone: 24 runs a day are more than the fifth of YouTube's hundred searches
    // that is kept for them, and what they take is known by the time the backfill comes.
    for hour in (shape.job == "youtube" ? -48 : 0)..<shape.hours {
      // The timer comes at half past, so that a reset at the full hour is the backfill's to use.
      let due = Instant(seconds: start + Int64(hour) * 3600 + 1800)
      if due > engine.time.now { engine.time.advance(by: due - engine.time.now) }
      let facts = try await engine.run(timer, key: shape.job == "youtube" ? "key" : nil) {
        $0.streams = shape.timerStreams
        $0.pagesMax = shape.job == "youtube" ? 1 : nil
      }
      if facts.kinds.contains(.paused) { starved.append(engine.time.now) }
      if hour < 0 { continue }
      try await Self.fill(engine, backfill, shape, until: due + .seconds(3600))
    }
    #expect(
      starved.isEmpty, "\(starved.count) runs of the timer were starved: \(starved.prefix(5))")
    let asked = engine.sandbox.requests(api: shape.job).filter { $0.at.seconds >= start }
    let beyond = asked.filter { [403, 429].contains($0.status) }
    #expect(
      beyond.isEmpty,
      "\(beyond.count) calls beyond the quota, the first at \(beyond.first?.at.description ?? "")")
    try Self.expectResetsUsed(asked, shape.job)
    // Nearly all that was there was used.
    let most = shape.job == "youtube" ? shape.hours * 100 / 24 : shape.hours * 60
    #expect(asked.count * 100 >= most * 75, "\(asked.count) of \(most) were used")
  }

  /// A backfill that begins again until the timer is due, and waits for whatever comes before.
  private static func fill(
    _ engine: Engine, _ job: Job, _ shape: Shape, until: Instant
  ) async throws {
    // A bound: each run makes progress, or pauses to beyond the hour.
    for _ in 0..<200 where engine.time.now < until {
      let facts = try await engine.run(
        job, in: "other", key: shape.job == "youtube" ? "key" : nil
      ) {
        $0.streams = shape.backfillStreams
        $0.values = shape.job == "youtube" ? ["q": ["music"]] : [:]
        $0.reserve = 0.2
        $0.maxWait = .seconds(26 * 3600)
        $0.until = until
      }
      if facts.kinds.contains(.paused) { return }
    }
  }

  /// After each reset that comes while the backfill waits, the next request follows in a minute.
  private static func expectResetsUsed(_ asked: [LoggedRequest], _ job: String) throws {
    var windowEnd = Instant(milliseconds: .min)
    var used = 0
    var resets = 0
    let zone = try ZoneRules.load("America/Los_Angeles")
    for (request, next) in zip(asked, asked.dropFirst()) {
      if request.at >= windowEnd {
        used = 0
        windowEnd =
          job == "github"
          ? Instant(seconds: request.at.seconds + 3600) : midnight(after: request.at, zone)
      }
      used += 1
      let allowed = job == "github" ? 60 : 100
      // The backfill had used up its share, or all was gone, and the next request came after the reset.
      guard used >= allowed * 7 / 10, next.at >= windowEnd else { continue }
      // At half past, the timer's run may come between; the backfill continues right after it.
      resets += 1
      #expect(next.at - windowEnd <= .seconds(60), "reset of \(windowEnd), used at \(next.at)")
    }
    #expect(resets > 0, "the quota was never used up: the test looked at nothing")
  }

  private static func midnight(after instant: Instant, _ zone: ZoneRules) -> Instant {
    var at = Instant(seconds: instant.seconds - instant.seconds % 1800 + 1800)
    // A day has 25 hours at most.
    for _ in 0..<52 {
      let there = zone.civil(at: at)
      if there.hour == 0, there.minute == 0 { return at }
      at = at + .seconds(1800)
    }
    return at
  }
}
