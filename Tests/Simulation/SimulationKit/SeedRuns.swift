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
    return simulation.failure(problems, in: "SimulationTests")
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
    _ seeds: Range<UInt64>, atOnce: Int, began: @escaping @Sendable (UInt64) -> Void,
    failed: @Sendable (String) -> Void
  ) async -> Int {
    let blocks = stride(from: seeds.lowerBound, to: seeds.upperBound, by: 20).map {
      $0..<min($0 + 20, seeds.upperBound)
    }
    var failures = 0
    await Parallel.run(blocks, atOnce: atOnce) { block -> [String] in
      began(block.lowerBound)
      do { return try await Self.failures(of: block) } catch {
        return ["seeds \(block): \(error)"]
      }
    } then: { found in
      failures += found.count
      found.forEach(failed)
    }
    return failures
  }
}
