@testable import SimulationKit
import Glibc
import Model
import TestSupport
import Testing

@Suite("A list that is read by position while it moves")
struct DriftTests {
  /// `TRAWL_SEED=n` runs that one.
  static let seeds: Range<UInt64> = {
    if let text = getenv("TRAWL_SEED"), let seed = UInt64(String(cString: text)) {
      return seed..<(seed + 1)
    }
    return Torture.seeds(plain: 250, long: 5_000)
  }()

  @Test(
    "is never complete without a key that was there all the time, and is walked again in bounds")
  func front() async throws {
    var verdicts: [String: Int] = [:]
    var repaired = 0
    for seed in Self.seeds {
      let simulation = Simulation(.drifting(seed: seed))
      let problems = try await simulation.run()
      let ends = simulation.ends.withLock { $0 }
      for end in ends { verdicts[end.verdict, default: 0] += 1 }
      repaired += ends.contains { $0.why.contains("and not during the last walk") } ? 1 : 0
      guard !problems.isEmpty else { continue }
      let told = problems.prefix(5) + ["\(simulation.scenario)"] + simulation.story.withLock { $0 }
      Issue.record(
        """
        seed \(seed):
          \(told.joined(separator: "\n  "))
        replay: TRAWL_SEED=\(seed) swift test --disable-xctest --filter DriftTests
        """)
    }
    guard Self.seeds.count > 1 else { return }
    // Neither verdict is the only one: lists that never rest drift, those that come to rest are
    // complete in the end, some of them in the very run in which they moved.
    #expect(verdicts["incomplete", default: 0] > 50 && verdicts["complete", default: 0] > 50)
    #expect(repaired > 20, "\(repaired) walks of \(Self.seeds.count) lists were repaired")
  }
}
