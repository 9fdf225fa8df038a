import Base
@testable import SimulationKit
import TestSupport
import Testing

@Suite("A list that is read by position while it moves")
struct DriftTests {
  /// `TRAWL_SEED=n` runs that one, `TRAWL_MATRIX=1` all of them. A plain run takes the first two for each way to
  /// page, each total, and lists that come to rest or not.
  static let seeds: [UInt64] = {
    if let seed = Torture.seed { return [seed] }
    let all = Torture.seeds(plain: 100, long: 5_000)
    if Torture.isWhole { return Array(all) }
    var taken: [String: Int] = [:]
    return all.filter { seed in
      let scenario = Scenario.drifting(seed: seed)
      let total = scenario.total.map { "\($0)" } ?? "none"
      let kind = "\(scenario.paging) \(total) \(scenario.restAfter == nil)"
      taken[kind, default: 0] += 1
      return taken[kind, default: 0] <= 2
    }
  }()

  /// How its walks ended.
  private static func ends(of seed: UInt64) async -> [(verdict: String, why: String)] {
    let simulation = Simulation(.drifting(seed: seed))
    do {
      let problems = try await simulation.run()
      if let failure = simulation.failure(problems, in: "DriftTests") { Issue.record("\(failure)") }
    } catch {
      Issue.record("seed \(seed): \(error)")
    }
    return simulation.ends.withLock { $0 }
  }

  @Test(
    "is never complete without a key that was there all the time, and is walked again in bounds")
  func front() async {
    var verdicts: [String: Int] = [:]
    var repaired = 0
    // In parallel: beside other tests, a chain of single steps would wait at each of them.
    await Parallel.run(Self.seeds, atOnce: 4) { seed in
      await Self.ends(of: seed)
    } then: { ends in
      for end in ends { verdicts[end.verdict, default: 0] += 1 }
      repaired += ends.contains { $0.why.contains("and not during the last walk") } ? 1 : 0
    }
    guard Self.seeds.count > 1 else { return }
    // Both verdicts must occur: lists that never rest are incomplete, those that come to rest become complete, some in
    // the run in which they moved.
    #expect(verdicts["incomplete", default: 0] > 20 && verdicts["complete", default: 0] > 20)
    #expect(repaired * 12 > Self.seeds.count, "\(repaired) of \(Self.seeds.count)")
  }
}
