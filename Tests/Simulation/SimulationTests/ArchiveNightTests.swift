import Base
@testable import SimulationKit
import TestSupport
import Glibc
import Testing

/// A timer that begins with a list that the API cuts, and never had a backfill.
@Suite("A timer's nights over a list that the API cuts")
struct ArchiveNightTests {
  private static let day = SimulatedArchive.day

  /// Sixty days of records, of which the first walk can have a part alone.
  private static func archive(
    _ kind: SimulatedArchive.Kind, begin: Instant, _ random: inout SeededRandom
  ) -> SimulatedArchive {
    let cap = SimulatedArchive(kind, times: []).cap
    return SimulatedArchive(
      kind,
      times: SimulatedArchive.steady(
        cap * 3, from: begin.seconds - 30 * day, days: 60, &random))
  }

  @Test(
    "bring all that came since the first of them, whatever nights are left out or killed",
    arguments: SimulatedArchive.Kind.allCases)
  func nights(kind: SimulatedArchive.Kind) async throws {
    let begin = ArchiveTests.now
    for seed in Torture.seeds(plain: 4, long: 100) {
      var random = SeededRandom(seed: seed)
      let archive = Self.archive(kind, begin: begin, &random)
      let range = TimeWindow(from: begin, to: begin + .seconds(30 * Self.day))
      let runs = ArchiveRuns(archive, range: range, now: begin, seed: seed)
      let first = try await runs.run(nil).facts
      // Said once: what lies behind the cut is only had by a backfill.
      #expect(first.outcome.kinds == [.lessThanDeclared], "\(first.outcome.sentence)")
      #expect(first.units.map(\.certificate.claim) == ["limited (ceiling)"])
      while runs.time.now < range.to - .seconds(Self.day) {
        // Most nights come; some are holidays of a week or two.
        let days = random.next() % 4 == 0 ? 7 + Int64(random.next() % 8) : 1
        runs.time.advance(by: .seconds(days * Self.day))
        let isKilled = random.next() % 3 == 0
        let kill: (FaultPoint.Place, Int)? =
          isKilled ? (.afterPageCommit, 1 + Int(random.next() % 2)) : nil
        let facts = try await runs.run(nil, kill: kill).facts
        #expect(
          facts.outcome.kinds.isSubset(of: [.asDeclared, .interrupted]),
          "seed \(seed): \(facts.outcome.sentence)")
      }
      let now = runs.time.now
      _ = try await runs.run(nil)
      #expect(runs.problems.isEmpty, "\(runs.problems.first ?? "")")
      let due = archive.times.indices.filter {
        archive.times[$0] >= begin.seconds && archive.times[$0] < now.seconds
      }
      let missing = Set(due).subtracting(try runs.keys())
      #expect(missing.isEmpty, "seed \(seed): \(missing.count) of \(due.count) are missing")
    }
  }
}
