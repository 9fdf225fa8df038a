import Base
import Walk
import Testing

/// All small feeds whose older records an earlier walk covers, and everything that may happen while a walk reads the
/// newer ones.
@Suite(
  "A feed that is joined with what an earlier walk covers lacks nothing that was in it all the time"
)
struct JoinedMatrixTests {
  struct Outcome {
    var certificate: Certificate
    var missing: Set<Int>
    var requests: Int
  }

  static func outcome(
    of feed: MovingFeed, covered: Int, _ changes: [(before: Int, change: MovingFeed.Change)] = []
  ) throws -> Outcome {
    var feed = feed
    let range = TimeWindow(
      from: Instant(seconds: 0), to: Instant(seconds: MovingFeed.covered))
    var walker = Walker(
      try FakeJob.builder(try feed.stream()), lastCompleteRange: range,
      memory: WalkMemory(hasSeenMore: true, isRangeProven: true))
    var run = WalkRun()
    run.order = feed.order
    run.known = Set(0..<covered)
    var requests = 0
    var lasting: Set<Int> = []
    // Records from an earlier reading of the front stay.
    var stored = run.known
    try run.drive(&walker) { step in
      requests += 1
      for one in changes where one.before == requests { feed.make(one.change) }
      lasting = requests == 1 ? feed.keys : lasting.intersection(feed.keys)
      let reply = feed.answer(step)
      if case .page(let page) = reply, !step.purpose.isLook { stored.formUnion(page.keys) }
      return reply
    }
    let certificate = try #require(run.certificate)
    return Outcome(
      certificate: certificate, missing: lasting.subtracting(stored), requests: requests)
  }

  @Test("whatever happens once; in a declared order, twice", arguments: MovingFeed.Style.allCases)
  func matrix(style: MovingFeed.Style) throws {
    var (walks, joined, falselyOfTwo, told) = (0, 0, 0, 0)
    for (old, new, size) in Self.shapes {
      for hasTie in [false, true] {
        let feed = MovingFeed(style, old: old, new: new, size: size, hasTie: hasTie)
        let calm = try Self.outcome(of: feed, covered: old)
        guard calm.certificate.rule == .lastCompleteRange else { continue }
        #expect(calm.certificate.verdict == .complete, "\(style), \(old) + \(new) by \(size)")
        for changes in Self.scripts(feed, calm.requests) {
          let outcome = try Self.outcome(of: feed, covered: old, changes)
          walks += 1
          if outcome.certificate.proofs.contains(.joined) { joined += 1 }
          guard outcome.certificate.verdict == .complete, !outcome.missing.isEmpty else { continue }
          // Two changes are too many for pages by position.
          guard changes.count == 1 || feed.order != nil else {
            falselyOfTwo += 1
            continue
          }
          told += 1
          guard told <= 5 else { continue }
          Issue.record(
            """
            \(style), \(old) + \(new) by \(size)\(hasTie ? ", equal times" : ""): \(changes): \
            \(outcome.certificate.proofs) without \(outcome.missing)
            """)
        }
      }
    }
    print("\(style.rawValue): \(joined) of \(walks) joined, \(falselyOfTwo) of two changes falsely")
    #expect(joined > 0)
  }

  /// At least two records of the earlier walk, which show where it begins.
  static var shapes: [(old: Int, new: Int, size: Int)] {
    (2...4).flatMap { old in
      (0...(ProofMatrixTests.longest ?? 3)).flatMap { new in (1...3).map { (old, new, $0) } }
    }
  }

  static func scripts(
    _ feed: MovingFeed, _ requests: Int
  ) -> [[(before: Int, change: MovingFeed.Change)]] {
    let changes = feed.changes
    var all = changes.flatMap { change in (2...requests + 1).map { [($0, change)] } }
    // A plain run takes every third of the longer ones.
    guard ProofMatrixTests.longest != nil else {
      return feed.entries.count < 5
        ? all : all.enumerated().filter { $0.offset % 3 == feed.size % 3 }.map(\.element)
    }
    for one in changes {
      for other in changes {
        for before in 2...requests + 1 {
          all += (before...requests + 1).map { [(before, one), ($0, other)] }
        }
      }
    }
    return all
  }
}
