import Base
import TestSupport
@testable import Walk
import Testing

@Suite("A walker that is told anything at all")
struct WalkFuzzTests {
  static let pagers: [Pager] = [.single, FakeJob.number, FakeJob.offset, .link]

  private static func page(_ step: Step, _ random: inout SeededRandom) -> PageSummary {
    var counts = Counts()
    counts.new = Int(random.next() % 5)
    counts.repeated = Int(random.next() % 3)
    counts.unchanged = Int(random.next() % 2)
    let next = ["https://h/?page=\(random.next() % 40)", "https://h/?c=\(random.next())", "x"]
    var summary = PageSummary(
      purpose: random.next() % 20 == 0 ? .closingCheck : step.purpose,
      ordinal: step.ordinal, cursor: step.cursor,
      next: random.next() % 8 == 0 ? nil : .address(next[Int(random.next() % 3)]),
      total: random.next() % 2 == 0 ? Int(random.next() % 200) : nil,
      more: random.next() % 5 == 0 ? random.next() % 2 == 0 : nil, counts: counts,
      unseen: Int(random.next() % 4))
    summary.leadingRepeats = Int(random.next() % 2)
    summary.keysDigest = random.next() % 3
    summary.isNotModified = random.next() % 9 == 0
    summary.trouble = random.next() % 9 == 0 ? .unreadable : nil
    summary.oldest = Instant(seconds: Int64(random.next() % 90))
    summary.isNewestFirst = random.next() % 2 == 0
    return summary
  }

  private static func trouble(_ random: inout SeededRandom) -> Walker.Trouble {
    let kinds = TroubleKind.allCases + [.unreadable, .unreadable, .unreadable]
    return Walker.Trouble(kinds[Int(random.next() % UInt64(kinds.count))], "told")
  }

  private static func walkBreak(_ random: inout SeededRandom) -> WalkBreak {
    WalkBreak(
      pausedFor: .seconds(Int64(random.next() % 5000)), isPlanned: random.next() % 2 == 0,
      plannedStops: Int(random.next() % 3))
  }

  @Test("goes on or ends, with one certificate that stays", arguments: pagers)
  func ends(pager: Pager) throws {
    var limits = Walker.Limits()
    limits.passesMax = 2
    for seed in UInt64(0)..<400 {
      var random = SeededRandom(seed: seed)
      var stream = try FakeJob.stream(
        pager, size: random.next() % 2 == 0 ? 3 : nil,
        total: random.next() % 2 == 0 ? .counted : .estimate,
        cap: random.next() % 4 == 0 ? Cap(at: 40, doubt: 30, expected: nil) : nil)
      if random.next() % 3 == 0 { stream.newestFirst = "at" }
      let builder = try FakeJob.builder(stream)
      let ground = TimeWindow(from: Instant(seconds: 0), to: Instant(seconds: 20))
      var stored: [PageSummary] = []
      // Kills in between, resumed with whatever was stored, in any order.
      for run in 0..<4 {
        if random.next() % 4 == 0 { stored.shuffle(using: &random) }
        var walker = Walker(
          builder, resuming: stored, after: Self.walkBreak(&random),
          lastCompleteRange: ground, limits: limits)
        var move = walker.begin()
        var commits = 0
        while case .ask(let step) = move, commits < (run == 3 ? 60 : 5) {
          commits += 1
          if random.next() % 6 == 0 {
            move = walker.troubled(Self.trouble(&random), at: step)
          } else {
            let page = Self.page(step, &random)
            stored.append(page)
            move = walker.received(page)
          }
        }
        if case .conclude(let certificate) = move {
          let step = Step(
            purpose: .page, ordinal: 1, cursor: .start, address: try WebAddress("https://h/"))
          #expect(walker.received(Self.page(step, &random)) == .conclude(certificate))
          for late in [TroubleKind.refused, .restart, .unreadable] {
            #expect(walker.troubled(.init(late, "late"), at: step) == .conclude(certificate))
          }
          #expect(walker.begin() == .conclude(certificate) && !certificate.why.isEmpty)
        }
      }
    }
  }
}
