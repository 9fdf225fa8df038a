/// Years from seeds, run in parallel, and their sum.
public enum YearRuns {
  /// Reports each year when it is over; failed ones with their story.
  public static func run(
    _ seeds: Range<UInt64>, nights: Int, atOnce: Int, tell: @Sendable (String) -> Void
  ) async -> YearTally {
    var sum = YearTally(seed: seeds.lowerBound)
    await Parallel.run(seeds, atOnce: atOnce) { seed -> (UInt64, Result<YearTally, any Error>) in
      do { return (seed, .success(try await Year(seed: seed, nights: nights).run())) } catch {
        return (seed, .failure(error))
      }
    } then: { seed, result in
      switch result {
      case .success(let tally):
        sum.add(tally)
        if Simulation.isReplay { tell(tally.story.joined(separator: "\n")) }
        tell(tally.isRight ? "seed \(seed): \(tally.summary)" : tally.failure)
      case .failure(let error):
        sum.fail("seed \(seed): \(error)")
        tell("seed \(seed): \(error)")
      }
    }
    return sum
  }
}
