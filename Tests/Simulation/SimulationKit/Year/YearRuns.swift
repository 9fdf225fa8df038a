/// Years from seeds, run in parallel, and their sum.
public enum YearRuns {
  public struct Sum: Sendable {
    public internal(set) var isRight = true
    var (nights, decided, noise, silence, words, differences) = (0, 0, 0, 0, 0, 0)
    var codes: [Int32: Int] = [:]

    mutating func add(_ tally: YearTally) {
      isRight = isRight && tally.isRight
      nights += tally.codes.values.reduce(tally.killed + tally.off, +)
      decided += tally.decided
      words += tally.words.count
      noise += tally.noise.count
      silence += tally.silence.count
      differences += tally.problems.count
      codes.merge(tally.codes, uniquingKeysWith: +)
    }

    public var text: String {
      let all = codes.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
      return
        "\(nights) nights (\(all.joined(separator: ", "))), \(decided) of them decided by the plan: "
        + "\(noise) woke a person without a reason, \(silence) reasons passed in silence, "
        + "\(words) wrong sentences, \(differences) differences"
    }
  }

  /// Reports each year when it is over; failed ones with their story.
  public static func run(
    _ seeds: Range<UInt64>, nights: Int, atOnce: Int, tell: @Sendable (String) -> Void
  ) async -> Sum {
    var sum = Sum()
    await Parallel.run(seeds, atOnce: atOnce) { seed -> (UInt64, Result<YearTally, any Error>) in
      do { return (seed, .success(try await Year(seed: seed, nights: nights).run())) } catch {
        return (seed, .failure(error))
      }
    } then: { seed, result in
      switch result {
      case .success(let tally):
        sum.add(tally)
        if Simulation.isReplay { tell(tally.story.joined(separator: "\n")) }
        tell(tally.isRight ? tally.summary : tally.failure)
      case .failure(let error):
        sum.isRight = false
        tell("seed \(seed): \(error)")
      }
    }
    return sum
  }
}
