import Glibc

/// The same load with something more: a search index, or a quota. Plain and not take turns, and the
/// ratio of their processor times is told, which other programs on the machine move little.
struct BesideBench {
  static let records = 100_000
  static let rounds = 3

  let what: String
  let wanted: Double
  let plain: Bench
  let more: Bench

  init(
    _ what: String, wanted: Double, trawl: String, jobs: String, job: String, folder: String
  ) throws {
    self.what = what
    self.wanted = wanted
    plain = try Bench(trawl: trawl, job: "\(jobs)/things.json5", folder: folder)
    more = try Bench(trawl: trawl, job: "\(jobs)/\(job).json5", folder: folder)
  }

  func end() {
    plain.end()
    more.end()
  }

  func run() throws {
    print("")
    print("\(Bench.grouped(Self.records)) records with \(what), and without; load \(Bench.load)")
    print("")
    Bench.row(["round", "CPU s", "without", "ratio", "MB", "without"])
    var ratios: [Double] = []
    for number in 1...Self.rounds {
      let (one, size) = try plain.load(Self.records)
      let (other, larger) = try more.load(Self.records)
      ratios.append(other.cpuSeconds / one.cpuSeconds)
      Bench.row(
        ["\(number)"]
          + [other.cpuSeconds, one.cpuSeconds, other.cpuSeconds / one.cpuSeconds].map(
            Bench.hundredths) + [larger, size].map(Bench.megabytes))
    }
    print("")
    print(
      "CPU, over that without   \(Bench.hundredths(Bench.median(ratios)))   wanted: at most "
        + Bench.hundredths(wanted))
  }
}
