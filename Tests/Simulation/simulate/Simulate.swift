import Glibc
internal import SimulationKit

/// Simulated runs, one for each seed: `simulate COUNT [FROM]`, for `make sim`. And years of nights: `simulate year
/// NIGHTS COUNT [FROM]`, for `make year`.
@main
enum Simulate {
  static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    let isYear = words.first == "year"
    let numbers = words.dropFirst(isYear ? 1 : 0).map { UInt64($0) }
    let least = isYear ? 2 : 1
    guard (least...least + 1).contains(numbers.count), numbers.allSatisfy({ $0 != nil }) else {
      tell("simulate COUNT [FROM], or simulate year NIGHTS COUNT [FROM]")
      exit(64)
    }
    let given = numbers.compactMap { $0 }
    if isYear {
      await years(nights: Int(given[0]), count: given[1], from: given.count > 2 ? given[2] : 0)
    } else {
      // After the seeds of `make test`.
      await runs(given[0], from: given.count > 1 ? given[1] : 1_000)
    }
  }

  private static let cores = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))

  private static func runs(_ count: UInt64, from: UInt64) async -> Never {
    // Only measures; nothing waits for it.
    let clock = ContinuousClock()
    let start = clock.now
    // Twice the number of cores, since each waits for its database now and then.
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

  private static func years(nights: Int, count: UInt64, from: UInt64) async -> Never {
    // Only measures; nothing waits for it.
    let clock = ContinuousClock()
    let start = clock.now
    let sum = await YearRuns.run(from..<(from + count), nights: nights, atOnce: cores) { tell($0) }
    tell("\(sum.summary), in \((clock.now - start).components.seconds) s on \(cores) cores")
    exit(sum.isRight ? 0 : 1)
  }

  private static func tell(_ text: String) {
    print(text)
    fflush(nil)
  }
}
