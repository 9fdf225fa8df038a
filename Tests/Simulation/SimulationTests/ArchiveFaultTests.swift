import Base
import Crawl
@testable import SimulationKit
import TestSupport
import Testing

@Suite("A range of time with a window that fails")
struct ArchiveFaultTests {
  private static let now = ArchiveTests.now
  private static let day = SimulatedArchive.day

  @Test(
    "is asked for that window again by the next run of the timer, although others came behind it",
    arguments: SimulatedArchive.Kind.allCases)
  func timer(kind: SimulatedArchive.Kind) async throws {
    var random = SeededRandom(seed: 5)
    let start = Self.now.seconds - 20 * Self.day
    let times =
      SimulatedArchive.steady(80, from: start, days: 20, &random)
      + SimulatedArchive.steady(6000, from: Self.now.seconds, days: 60, &random)
    let runs = ArchiveRuns(
      SimulatedArchive(kind, times: times), range: ArchiveTests.range(days: 20), now: Self.now)
    #expect(try await runs.run(nil).facts.outcome.kinds == [.asDeclared])
    runs.time.advance(by: .seconds(45 * Self.day))
    let bad = Self.now.seconds + 3 * Self.day
    // A wide window is answered up to the cap; what is left of it fails.
    runs.refuse { $0.from <= bad && bad <= $0.to && $0.to - $0.from < 12 * Self.day }
    let failed = try await runs.run(nil).facts
    #expect(failed.outcome.kinds.contains(.lessThanDeclared), "\(failed.outcome.sentence)")
    let before = try runs.keys().count
    #expect(before > 1000, "the windows behind it were asked: \(before)")

    runs.refuse { _ in false }
    runs.time.advance(by: .seconds(Self.day))
    // The window is older than what the run requests anyway, and the preview names it.
    let preview = try #require(try await runs.plan(nil).lists.first)
    let isNamed = preview.range?.holes.contains { $0.from.seconds <= bad && bad < $0.to.seconds }
    #expect(isNamed == true, "\(preview)")
    let next = runs.asked.count
    let mended = try await runs.run(nil).facts
    #expect(runs.asked[next].address.target == preview.first?.target)
    #expect(mended.outcome.kinds == [.asDeclared], "\(mended.outcome.sentence)")
    // A record's key is its index in order of time.
    let soon = runs.time.now.seconds - 60
    let due = 0..<times.count(where: { $0 < soon })
    #expect(try Set(due).isSubset(of: runs.keys()))
    // And not again.
    let mark = runs.asked.count
    runs.time.advance(by: .seconds(Self.day))
    _ = try await runs.run(nil)
    let last = runs.time.now - .seconds(Self.day + 2 * 3600)
    #expect(runs.asked.count > mark)
    #expect(runs.asked[mark...].allSatisfy { $0.from >= last.seconds })
    #expect(runs.problems.isEmpty, "\(runs.problems.first ?? "")")
  }

  @Test("teaches nothing about the end of a window, so that no second is passed over")
  func teachesNothing() async throws {
    var random = SeededRandom(seed: 6)
    let days: Int64 = 100
    let from = ArchiveTests.range(days: days).from.seconds
    var times = SimulatedArchive.steady(500, from: from, days: days, &random)
    for at in [80, 60, 40, 20] {
      times += [Int64](repeating: from + Int64(at) * Self.day, count: 700)
    }
    let archive = SimulatedArchive(.token, times: times)
    let runs = ArchiveRuns(archive, range: ArchiveTests.range(days: days), now: Self.now)
    let refused = Locked(0)
    // Refuses the first window of a single second.
    runs.refuse { asked in
      guard asked.from == asked.to else { return false }
      return refused.withLock {
        $0 += 1
        return $0 == 1
      }
    }
    let first = try await runs.run(runs.range).facts
    #expect(refused.withLock { $0 } > 0 && first.outcome.kinds.contains(.lessThanDeclared))
    runs.refuse { _ in false }
    _ = try await runs.run(runs.range)
    #expect(try Set(runs.keys()) == archive.reachable)
    // Each second with more records than the cap is reported so, not as complete and empty.
    let capped = try runs.texts(
      "SELECT DISTINCT window_from FROM trawl_certificates JOIN trawl_windows USING (window) "
        + "WHERE verdict = 'limited'")
    #expect(capped.count == 4, "\(capped)")
    #expect(runs.problems.isEmpty, "\(runs.problems.first ?? "")")
  }

  @Test("that an older mapping filled is read again once, in as many runs as it takes")
  func refill() async throws {
    var random = SeededRandom(seed: 7)
    let days: Int64 = 200
    let from = ArchiveTests.range(days: days).from.seconds
    var times = SimulatedArchive.steady(3000, from: from, days: days, &random)
    times += [Int64](repeating: from + 50 * Self.day, count: 130)
    let archive = SimulatedArchive(.counted, times: times)
    let runs = ArchiveRuns(
      archive, range: ArchiveTests.range(days: days), now: Self.now, allowance: 20)
    let filled = try await runs.fill(daysMax: 20)
    #expect(filled.count > 2)
    #expect(try Set(runs.keys()) == archive.reachable)
    let calls = runs.asked.count
    var sessions = 0
    var isSettled = false
    while !isSettled, sessions < 2 * filled.count {
      runs.time.advance(by: .seconds(Self.day))
      isSettled = try await runs.run(runs.range, refills: true).isSettled
      sessions += 1
    }
    #expect(isSettled && sessions > 2)
    #expect(runs.asked.count - calls <= calls * 3 / 2)
    #expect(try runs.texts("SELECT id FROM shop_things WHERE also IS NULL") == [])
    // All rows have the new mapping, so nothing is requested.
    let mark = runs.asked.count
    _ = try await runs.run(runs.range, refills: true)
    #expect(runs.asked.count == mark)
    #expect(runs.problems.isEmpty, "\(runs.problems.first ?? "")")
  }
}
