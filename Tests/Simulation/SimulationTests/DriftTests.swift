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

  /// The results of a list's walks.
  private struct Tally {
    var verdicts: [String: Int] = [:]
    var repaired = 0
  }

  private static func run(_ seed: UInt64) async throws -> Tally {
    let simulation = Simulation(.drifting(seed: seed))
    let problems = try await simulation.run()
    let ends = simulation.ends.withLock { $0 }
    var tally = Tally()
    for end in ends { tally.verdicts[end.verdict, default: 0] += 1 }
    tally.repaired = ends.contains { $0.why.contains("and not during the last walk") } ? 1 : 0
    if let failure = simulation.failure(problems, in: "DriftTests") { Issue.record("\(failure)") }
    return tally
  }

  @Test(
    "is never complete without a key that was there all the time, and is walked again in bounds")
  func front() async throws {
    // In parallel: beside other tests, a chain of single steps would wait at each of them.
    let tally = try await withThrowingTaskGroup(of: Tally.self) { group in
      for part in 0..<4 {
        group.addTask {
          var sum = Tally()
          for index in stride(from: part, to: Self.seeds.count, by: 4) {
            let one = try await Self.run(Self.seeds[index])
            sum.verdicts.merge(one.verdicts) { $0 + $1 }
            sum.repaired += one.repaired
          }
          return sum
        }
      }
      return try await group.reduce(into: Tally()) { sum, one in
        sum.verdicts.merge(one.verdicts) { $0 + $1 }
        sum.repaired += one.repaired
      }
    }
    guard Self.seeds.count > 1 else { return }
    // Both verdicts must occur: lists that never rest are incomplete, those that come to rest become complete, some in
    // the run in which they moved.
    let verdicts = tally.verdicts
    #expect(verdicts["incomplete", default: 0] > 20 && verdicts["complete", default: 0] > 20)
    #expect(tally.repaired * 12 > Self.seeds.count, "\(tally.repaired) of \(Self.seeds.count)")
  }
}
