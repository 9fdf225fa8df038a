import Glibc
import SimulationKit

/// Whole simulated runs, one for each seed: `simulate COUNT [FROM]`. `make sim` runs it.
@main
enum Simulate {
  static func main() async {
    let numbers = CommandLine.arguments.dropFirst().map { UInt64($0) }
    guard (1...2).contains(numbers.count), let first = numbers.first, let count = first else {
      tell("simulate COUNT [FROM]")
      exit(64)
    }
    // Behind those of `make test`.
    let from = (numbers.count > 1 ? numbers[1] : nil) ?? 1_000
    // It measures, and nothing waits for it.
    let clock = ContinuousClock()
    let start = clock.now
    let cores = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    // Twice as many as cores: each waits for its database now and then.
    let failures = await SeedRuns.run(from..<(from + count), atOnce: 2 * cores) { seed in
      if (seed - from) % 1_000 == 0 {
        tell("from seed \(seed), after \((clock.now - start).components.seconds) s")
      }
    } failed: { text in
      tell(text)
    }
    let seconds = max(1, (clock.now - start).components.seconds)
    tell(
      "simulated: \(count) seeds from \(from), \(failures) failed, in \(seconds) s "
        + "(\(Int64(count) * 60 / seconds) a minute on \(cores) cores)")
    exit(failures == 0 ? 0 : 1)
  }

  private static func tell(_ text: String) {
    print(text)
    fflush(nil)
  }
}
