import Base
@testable import SimulationKit
import TestSupport
import Testing

@Suite("A backfill of lists that only a second walk would prove")
struct OneAnswerTests {
  @Test("proves every window in one night, by one answer each")
  func windows() async throws {
    var random = SeededRandom(seed: 5)
    let range = ArchiveTests.range(days: 60)
    let times = SimulatedArchive.steady(1_500, from: range.from.seconds, days: 60, &random)
    let archive = SimulatedArchive(.token, times: times)
    let runs = ArchiveRuns(archive, range: range, now: ArchiveTests.now)
    let all = try await runs.fill(daysMax: 1)
    #expect(try runs.keys() == Array(0..<1_500))
    #expect(all.last?.units.first?.certificate.verdict == .complete)
    #expect(try runs.texts("SELECT DISTINCT verdict FROM trawl_coverage") == ["complete"])
    #expect(runs.problems.isEmpty, "\(runs.problems.first ?? "")")
    // Two thirds of a page each, and those that were too wide.
    let least = 1_500 / archive.size
    #expect(runs.asked.count <= least * 2 + 12, "\(runs.asked.count), \(least) pages")
  }

  @Test("is not made longer by it where a quota of days would not suffice")
  func scarce() async throws {
    var random = SeededRandom(seed: 6)
    let range = ArchiveTests.range(days: 60)
    let times = SimulatedArchive.steady(2_000, from: range.from.seconds, days: 60, &random)
    let archive = SimulatedArchive(.token, times: times)
    let runs = ArchiveRuns(archive, range: range, now: ArchiveTests.now, allowance: 60)
    _ = try await runs.fill(daysMax: 2)
    #expect(try runs.keys() == Array(0..<2_000))
    #expect(try runs.texts("SELECT DISTINCT verdict FROM trawl_coverage").contains("unproven"))
  }
}
