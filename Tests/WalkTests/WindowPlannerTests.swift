import Base
import TestSupport
@testable import Walk
import Testing

@Suite("Planning windows")
struct WindowPlannerTests {
  static func stretch(_ from: Int64, _ to: Int64) -> TimeWindow {
    TimeWindow(from: Instant(seconds: from), to: Instant(seconds: to))
  }

  static func rule(
    step: Duration = .seconds(1), reach: Duration? = nil, delay: Duration = .zero
  ) -> Window {
    Window(
      from: "from", to: "to", column: "at", overlap: .seconds(60), step: step, reach: reach,
      delay: delay)
  }

  typealias Ends = (Int64, Int64)

  static let coverages: [(covered: [Ends], holes: [Ends])] = [
    ([], [(0, 100)]),
    ([(0, 100)], []),
    ([(20, 40)], [(0, 20), (40, 100)]),
    ([(-50, 10), (90, 200)], [(10, 90)]),
    ([(30, 60), (10, 40)], [(0, 10), (60, 100)]),
    ([(50, 50)], [(0, 100)]),
    ([(10, 90), (20, 30)], [(0, 10), (90, 100)]),
    ([(100, 200), (-10, 0)], [(0, 100)]),
    ([(60, 40)], [(0, 100)]),
  ]

  @Test("finds the holes between what is covered, however that lies", arguments: coverages)
  func holes(covered: [Ends], expected: [Ends]) {
    let found = WindowPlanner.holes(
      in: Self.stretch(0, 100), covered: covered.map { Self.stretch($0.0, $0.1) })
    #expect(found == expected.map { Self.stretch($0.0, $0.1) })
  }

  @Test("halves exactly, down to the step and no further, for any window and step")
  func halving() {
    var random = SeededRandom(seed: 11)
    for _ in 0..<300 {
      let step = Int64([1, 60, 3600, 86_400][Int(random.next() % 4)])
      let planner = WindowPlanner(Self.rule(step: .seconds(step)))
      let from = Int64(random.next() % 2_000_000)
      let whole = Self.stretch(from, from + Int64(random.next() % 3_000_000) + 1)
      var open = [whole]
      var leaves: [TimeWindow] = []
      while let window = open.popLast() {
        // A random density decides whether it is cut further.
        if random.next() % 5 != 0, leaves.count < 500, let (older, newer) = planner.halves(window) {
          #expect(older.from == window.from && older.to == newer.from && newer.to == window.to)
          #expect(older.from < older.to && newer.from < newer.to)
          #expect(older.to.seconds % step == 0, "cut at the step")
          open += [older, newer]
        } else {
          leaves.append(window)
        }
      }
      leaves.sort { $0.from < $1.from }
      #expect(leaves.first?.from == whole.from && leaves.last?.to == whole.to)
      #expect(zip(leaves, leaves.dropFirst()).allSatisfy { $0.to == $1.from })
    }
    #expect(WindowPlanner(Self.rule()).halves(Self.stretch(5, 6)) == nil)
    #expect(WindowPlanner(Self.rule(step: .seconds(60))).halves(Self.stretch(60, 120)) == nil)
  }

  @Test("asks for a step though all was read: without a request a wrong clock would never show")
  func upToNow() {
    let rule = Window(from: "from", to: "to", column: "at", overlap: .zero, step: .seconds(60))
    let now = Instant(seconds: 600)
    let asked = WindowPlanner(rule).incremental(after: now, now: now, first: .seconds(10))
    #expect(asked == Self.stretch(540, 600))
  }

  @Test(
    "is forecast with all requests of pages in sizes of their own, the empty place included",
    arguments: [(20, 3), (39, 4), (58, 5), (100, 8), (130, 10), (150, 11), (5, 2), (0, 1)])
  func forecast(records: Int, requests: Int) throws {
    let stream = try FakeJob.stream(FakeJob.number, size: 20)
    let forecast = FillForecast(
      stream, holes: [Self.stretch(0, 1_000)], rate: Double(records) / 1_000, isOfOneAnswer: false)
    #expect([forecast.windows, forecast.requests, forecast.records] == [1, requests, records])
  }

  @Test("takes the newest piece of a hole, and the pieces tile it")
  func newest() {
    let planner = WindowPlanner(Self.rule(step: .seconds(60)))
    let hole = Self.stretch(37, 100_003)
    var left: TimeWindow? = hole
    var end = hole.to
    var count = 0
    while let now = left, count < 1000 {
      let (piece, rest) = planner.newest(of: now, width: .seconds(5000))
      #expect(piece.to == end && piece.from < piece.to)
      #expect((piece.to - piece.from).inSeconds < 5060)
      end = piece.from
      left = rest
      count += 1
    }
    #expect(end == hole.from && count == 20)
  }

  @Test("tells what the API can no longer give from what it cannot give yet")
  func reachable() {
    let planner = WindowPlanner(
      Self.rule(step: .seconds(86_400), reach: .seconds(30 * 86_400), delay: .seconds(86_400)))
    let day: Int64 = 86_400
    let now = Instant(seconds: 100 * day + 500)
    let result = planner.reachable(Self.stretch(0, 101 * day), now: now)
    #expect(result.gap == Self.stretch(0, 71 * day), "the floor's own day is refused")
    #expect(result.askable == Self.stretch(71 * day, 99 * day + 500))
    #expect(result.pending == Self.stretch(99 * day + 500, 101 * day))
    let old = planner.reachable(Self.stretch(0, 10 * day), now: now)
    #expect(old == .init(askable: nil, gap: Self.stretch(0, 10 * day), pending: nil))
    let young = planner.reachable(Self.stretch(100 * day, 101 * day), now: now)
    #expect(young == .init(askable: nil, gap: nil, pending: Self.stretch(100 * day, 101 * day)))
  }

  @Test("goes on from the last certified end, less the overlap, so that downtime heals")
  func incremental() {
    let planner = WindowPlanner(Self.rule(delay: .seconds(10)))
    let now = Instant(seconds: 10_000)
    let window = { (last: Int64?) in
      planner.incremental(
        after: last.map { Instant(seconds: $0) }, now: now, first: .seconds(500))
    }
    #expect(window(3000) == Self.stretch(2940, 9990))
    #expect(window(nil) == Self.stretch(9490, 9990))
    #expect(window(20_000) == Self.stretch(9930, 9990), "a certificate of a clock that was ahead")
  }
}
