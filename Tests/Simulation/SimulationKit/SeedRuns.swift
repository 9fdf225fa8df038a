import Glibc
import Model
import TestSupport

/// Whole runs from a seed each, for the tests and for `make sim`.
public enum SeedRuns {
  /// Where the databases of all seeds are kept: `make sim KEEP=folder`.
  private static let folder = getenv("TRAWL_KEEP").map { String(cString: $0) }

  /// What the runs of a seed did against their promises, with the line that repeats it.
  /// - Parameter kept: where its database lies afterwards.
  public static func failure(
    of seed: UInt64, keeping kept: String? = nil
  ) async throws -> String? {
    let simulation = Simulation(seed: seed)
    let problems = try await simulation.run(
      keeping: kept ?? folder.map { "\($0)/\(seed).db" })
    if problems.isEmpty { return nil }
    let story = simulation.story.withLock { $0 }
    let told = (problems.prefix(5) + ["\(simulation.scenario)"] + story).joined(separator: "\n  ")
    return """
      seed \(seed):
        \(told)
      replay: TRAWL_SEED=\(seed) swift test --disable-xctest --filter SimulationTests
      """
  }

  /// Seeds side by side; each failure is told when it is found.
  /// - Parameter began: hears how many were begun, now and then.
  /// - Returns: how many failed.
  public static func run(
    _ seeds: Range<UInt64>, atOnce: Int, began: @Sendable (UInt64) -> Void,
    failed: @Sendable (String) -> Void
  ) async -> Int {
    await withTaskGroup(of: String?.self) { group in
      var failures = 0
      var rest = seeds[...]
      func begin() {
        guard let seed = rest.popFirst() else { return }
        began(seed)
        group.addTask {
          do { return try await failure(of: seed) } catch { return "seed \(seed): \(error)" }
        }
      }
      for _ in 0..<atOnce { begin() }
      while let failure = await group.next() {
        if let failure {
          failures += 1
          failed(failure)
        }
        begin()
      }
      return failures
    }
  }
}
