import Base
import TestSupport
@testable import Walk
import Testing

@Suite("Filling holes with windows")
struct WindowFillTests {
  typealias Purpose = WindowFill.Purpose

  private static func stretch(_ from: Int64, _ to: Int64) -> TimeWindow {
    WindowPlannerTests.stretch(from, to)
  }

  private static func stream(
    cap: Int?, step: Int64 = 1, trust: Total.Trust = .counted
  ) throws -> Base.Stream {
    var stream = try FakeJob.stream(
      FakeJob.number, size: nil, total: trust,
      cap: cap.map { Cap(at: $0, doubt: $0, expected: nil) })
    stream.window = Window(
      from: "from", to: "to", column: "at", overlap: .zero, step: .seconds(step))
    return stream
  }

  /// Simulates an API with these records to the end; returns the certified windows.
  private static func play(
    _ fill: WindowFill, _ times: [Int64], cap: Int, isCounted: Bool
  ) -> (windows: [TimeWindow], capped: [TimeWindow]) {
    var fill = fill
    var done: [TimeWindow] = []
    var capped: [TimeWindow] = []
    var requests = 0
    while let window = fill.next(), requests < 50_000 {
      requests += 1
      let held = times.count { $0 >= window.from.seconds && $0 < window.to.seconds }
      if held <= cap {
        fill.concluded(window, .all(held), isCut: false)
        done.append(window)
      } else {
        let isCut = fill.canCut(window)
        fill.concluded(
          window,
          .tooMany(total: isCounted ? held : nil, received: cap, since: nil), isCut: isCut)
        if !isCut {
          done.append(window)
          capped.append(window)
        }
      }
    }
    return (done, capped)
  }

  @Test("windows tile the holes exactly, whatever the density, the step, the cap and the order")
  func tiling() throws {
    for seed in Torture.seeds(plain: 120, long: 3000) {
      var random = SeededRandom(seed: seed &* 77 &+ 5)
      func roll(_ below: Int64) -> Int64 { Int64(random.next() % UInt64(below)) }
      let step = [1, 1, 60, 86_400][Int(roll(4))] as Int64
      let length = step * (1 + roll(3000))
      // Random densities: clusters of random width around random instants.
      var times: [Int64] = []
      for _ in 0..<roll(8) {
        let (centre, width, count) = (roll(length), 1 + roll(max(1, length / 4)), roll(150))
        times += (0..<count).map { _ in centre + roll(width) }
      }
      var holes: [TimeWindow] = []
      var at = roll(step * 5)
      while at < length {
        let end = min(length, at + 1 + roll(length))
        holes.append(Self.stretch(at, end))
        at = end + 1 + roll(step * 50)
      }
      let begun = holes.first.map { [Self.stretch($0.from.seconds, $0.from.seconds + 1)] } ?? []
      let cap = 1 + Int(roll(60))
      let isCounted = roll(2) == 0
      let stream = try Self.stream(
        cap: cap, step: step, trust: isCounted ? .counted : .estimate)
      for purpose in [Purpose.backfill, .goOn] {
        let fill = WindowFill(stream, holes: holes, begun: begun, purpose: purpose)
        let played = Self.play(fill, times, cap: cap, isCounted: isCounted)
        let windows = played.windows.sorted { $0.from < $1.from }
        #expect(zip(windows, windows.dropFirst()).allSatisfy { $0.to <= $1.from }, "seed \(seed)")
        #expect(windows.allSatisfy { $0.from < $0.to }, "seed \(seed)")
        var joined: [TimeWindow] = []
        for window in windows {
          if let last = joined.last, last.to == window.from,
            !holes.contains(where: { $0.from == window.from })
          {
            joined[joined.count - 1].to = window.to
          } else {
            joined.append(window)
          }
        }
        #expect(joined == holes, "seed \(seed)")
        #expect(
          played.capped.allSatisfy { $0.to - $0.from <= .seconds(2 * step) }, "seed \(seed)")
      }
    }
  }

  @Test("a timer's windows begin at the old end, so that what is certified has no hole behind it")
  func oldestFirst() throws {
    var random = SeededRandom(seed: 4)
    let times = (0..<3000).map { _ in Int64(random.next() % 100_000) }
    var fill = WindowFill(
      try Self.stream(cap: 100), holes: [Self.stretch(0, 100_000)], purpose: .goOn)
    var end = Instant(seconds: 0)
    while let window = fill.next() {
      let held = times.count { $0 >= window.from.seconds && $0 < window.to.seconds }
      let isCut = held > 100
      fill.concluded(
        window, isCut ? .tooMany(total: held, received: 100, since: nil) : .all(held), isCut: isCut)
      if !isCut {
        #expect(window.from == end)
        end = window.to
      }
    }
    #expect(end == Instant(seconds: 100_000))
  }

  @Test("what failed comes behind all else, the oldest try first, and nothing comes twice")
  func later() throws {
    let failed = [Self.stretch(70, 90), Self.stretch(10, 20), Self.stretch(60, 80)]
    let others = [Self.stretch(0, 10), Self.stretch(20, 50), Self.stretch(90, 100)]
    for purpose in [Purpose.backfill, .goOn] {
      var fill = WindowFill(
        try Self.stream(cap: nil), holes: [Self.stretch(0, 50), Self.stretch(60, 100)],
        begun: failed, later: failed, purpose: purpose)
      var given: [TimeWindow] = []
      while let window = fill.next() {
        given.append(window)
        fill.concluded(window, .nothing, isCut: false)
      }
      let first: [TimeWindow] = purpose == .goOn ? others : others.reversed()
      let last = [Self.stretch(60, 70), Self.stretch(10, 20), Self.stretch(70, 90)]
      #expect(given == first + last)
    }
  }

  @Test("what is refused as too old is looked for once, and what lies before it is not asked")
  func tooOld() throws {
    let day: Int64 = 86_400
    var fill = WindowFill(
      try Self.stream(cap: 100), holes: [Self.stretch(0, 400 * day)], purpose: .backfill)
    var asked = 0
    var given: [TimeWindow] = []
    var gaps: [TimeWindow] = []
    while let window = fill.next() {
      if let floor = fill.floor, window.to <= floor {
        gaps.append(window)
        continue
      }
      asked += 1
      let isRefused = window.from.seconds < 370 * day + 77
      let isCut = isRefused && fill.canCutForReach(window)
      fill.concluded(window, isRefused ? .tooOld : .all(3), isCut: isCut)
      if isRefused, !isCut { gaps.append(window) }
      if !isRefused { given.append(window) }
    }
    let reached = try #require(given.map(\.from.seconds).min())
    #expect(reached >= 370 * day + 77 && reached < 371 * day + 86_477)
    #expect(asked < 30)
    #expect(gaps.map(\.to.seconds).max() == reached)
    #expect(gaps.map(\.from.seconds).min() == 0)
  }

  @Test("an estimate never cuts a window, a counted total and a clipped page count do")
  func tooWide() throws {
    let holes = [Self.stretch(0, 1000)]
    let fill = WindowFill(try Self.stream(cap: 100), holes: holes, purpose: .backfill)
    #expect(fill.isTooWide(counted: 101, pages: nil, pageSize: 100))
    #expect(fill.isTooWide(counted: 100, pages: nil, pageSize: 100), "it may be cut at the cap")
    #expect(!fill.isTooWide(counted: 99, pages: nil, pageSize: 100))
    #expect(!fill.isTooWide(counted: nil, pages: nil, pageSize: 100))
    #expect(fill.isTooWide(counted: nil, pages: 5, pageSize: 20))
    #expect(!fill.isTooWide(counted: nil, pages: 4, pageSize: 20))
    #expect(!fill.isTooWide(counted: nil, pages: 1, pageSize: 100), "one page hides nothing")
    let free = WindowFill(try Self.stream(cap: nil), holes: holes, purpose: .backfill)
    #expect(!free.isTooWide(counted: 1_000_000, pages: nil, pageSize: 100))
    #expect(free.canCut(Self.stretch(0, 1000)), "the API may still say that it gives no more")
  }

  @Test("foretells by all that was read as well, not by the last few windows alone")
  func forecast() throws {
    let day: Int64 = 86_400
    var fill = WindowFill(
      try Self.stream(cap: 100, trust: .estimate), holes: [Self.stretch(0, 1000 * day)],
      purpose: .backfill)
    #expect(fill.forecastRate == nil)
    // 40 records a day, then a day with 90.
    var end = 1000 * day
    for _ in 0..<20 {
      fill.concluded(Self.stretch(end - 2 * day, end), .all(80), isCut: false)
      end -= 2 * day
    }
    #expect(try abs(#require(fill.forecastRate) * Double(day) - 40) < 0.01)
    fill.concluded(Self.stretch(end - day, end), .all(90), isCut: false)
    let perDay = { (rate: Double?) in (rate ?? 0) * Double(day) }
    #expect((89...91).contains(perDay(fill.learner?.rate)))
    #expect((63...67).contains(perDay(fill.forecastRate)))
  }

  @Test("a burst is left behind in a few windows")
  func recovery() {
    var learner = WidthLearner(
      cap: 100, start: .seconds(86_400), least: .seconds(1), rate: 80.0 / 86_400)
    #expect(learner.width == .seconds(86_400))
    learner.learn(Self.stretch(0, 2), records: 300)
    #expect(learner.width <= .seconds(1))
    var steps = 0
    var at: Int64 = 2
    while learner.width < .seconds(40_000), steps < 20 {
      let width = max(1, Int64(learner.width.inSeconds))
      learner.learn(Self.stretch(at, at + width), records: Int(width * 80 / 86_400))
      at += width
      steps += 1
    }
    #expect(steps <= 7)
  }
}
