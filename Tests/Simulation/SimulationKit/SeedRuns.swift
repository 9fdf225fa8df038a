import Glibc
internal import Base
internal import TestSupport

/// Whole runs, each from a seed, for the tests and for `make sim`.
public enum SeedRuns {
  /// The folder for the databases of all seeds: `make sim KEEP=folder`.
  private static let folder = getenv("TRAWL_KEEP").map { String(cString: $0) }

  /// The promises that the runs of a seed broke, with the command that repeats it.
  /// - Parameter kept: where its database is kept.
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

  /// The promises that the runs of some seeds broke, and what a checker that shares no code with the program finds in
  /// their databases.
  public static func failures(of seeds: Range<UInt64>) async throws -> [String] {
    let scratch = ScratchFolder(isInMemory: true)
    var failures: [String] = []
    var files: [String] = []
    for seed in seeds {
      files.append("\(folder ?? scratch.path)/\(seed).db")
      if let failure = try await failure(of: seed, keeping: files.last) { failures.append(failure) }
    }
    for (file, findings) in try await IndependentChecker.findings(in: files) where !findings.isEmpty
    {
      let told = findings.prefix(5).map(\.what).joined(separator: "\n  ")
      failures.append("\(file): Tests/Independent/check.py finds\n  \(told)")
    }
    return failures
  }

  /// Runs seeds in parallel, a few in each task, and reports each failure when it is found.
  /// - Parameter began: is called now and then with the number of started seeds.
  /// - Returns: the number of failures.
  public static func run(
    _ seeds: Range<UInt64>, atOnce: Int, began: @Sendable (UInt64) -> Void,
    failed: @Sendable (String) -> Void
  ) async -> Int {
    let blockLength: UInt64 = 20
    return await withTaskGroup(of: [String].self) { group in
      var failures = 0
      var rest = seeds
      func begin() {
        guard let first = rest.first else { return }
        let block = first..<min(first + blockLength, rest.upperBound)
        rest = block.upperBound..<rest.upperBound
        began(first)
        group.addTask {
          do { return try await Self.failures(of: block) } catch {
            return ["seeds \(block): \(error)"]
          }
        }
      }
      for _ in 0..<atOnce { begin() }
      while let found = await group.next() {
        failures += found.count
        found.forEach(failed)
        begin()
      }
      return failures
    }
  }
}
