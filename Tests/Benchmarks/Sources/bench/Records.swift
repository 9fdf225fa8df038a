/// The list of records, read by three programs in turn: into an empty database, unchanged, and with new ones in front.
struct Records {
  let bench: Bench

  private var size: String { Results.grouped(bench.count) }
  private var first: String { "first load, \(size) records" }
  private var unchanged: String { "unchanged, \(size) records" }
  private var new: String { "1 % new in front, \(size) records" }

  enum Part { case first, unchanged, new }

  /// All three, or one: a later part includes the ones before it, as it needs what they stored.
  func run(_ only: Part? = nil) throws {
    let last = only ?? .new
    let old = try bench.datasetOfMany()
    let more = bench.count + bench.count / 100
    let grown = last == .new ? try bench.dataset("grown", count: more) : old
    let plain = try bench.write(Job(name: "records"))
    let newest = try bench.write(Job(name: "newest", stream: #"order: "published_at falling","#))
    for _ in 0..<bench.rounds {
      try bench.clean()
      try bench.serve(old)
      try readByTrawl(plain, last)
      if last == .new { try readNewByTrawl(newest, old, grown) }
      for rival in Bench.Rival.allCases {
        try read(rival, last, old, grown)
        try bench.expect(grown.count, in: rival)
      }
    }
    try bench.clean()
    if only ?? .first == .first { compare(first, Wanted(time: 1.25, cpu: 1.5), Wanted(time: 0.7)) }
    if only ?? .unchanged == .unchanged {
      compare(unchanged, Wanted(time: 1.5, cpu: 1.8), Wanted())
    }
    if last == .new { compare(new, Wanted(time: 2), Wanted()) }
  }

  private typealias Wanted = Results.Wanted

  private func compare(_ work: String, _ toBound: Wanted, _ toPython: Wanted) {
    bench.results.compare(work, with: Bench.Rival.bound.rawValue, wanted: toBound)
    bench.results.compare(work, with: Bench.Rival.python.rawValue, wanted: toPython)
  }

  private func readByTrawl(_ job: String, _ last: Part) throws {
    bench.results.add(try bench.run(job), at: first)
    if last != .first { bench.results.add(try bench.run(job), at: unchanged) }
  }

  /// The preparation is not measured.
  private func readNewByTrawl(_ job: String, _ old: Dataset, _ grown: Dataset) throws {
    try File.remove(bench.data)
    try bench.run(job)
    try bench.serve(grown)
    bench.results.add(try bench.run(job), at: new)
  }

  private func read(_ rival: Bench.Rival, _ last: Part, _ old: Dataset, _ grown: Dataset) throws {
    let name = rival.rawValue
    try bench.serve(old)
    bench.results.add(try bench.run(rival, of: "items"), name, at: first)
    if last == .first { return }
    bench.results.add(try bench.run(rival, of: "items"), name, at: unchanged)
    if last == .unchanged { return }
    try bench.serve(grown)
    bench.results.add(try bench.run(rival, of: "items", isNewest: true), name, at: new)
  }
}
