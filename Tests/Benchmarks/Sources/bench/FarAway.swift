/// Answers are 20 ms late, and ten requests are in flight.
struct FarAway {
  static let flights = 10

  let bench: Bench

  private var isPossible: Bool {
    if !bench.server.canDelay {
      bench.results.remark(
        "nginx has no module echo (libnginx-mod-http-echo): nothing is measured 20 ms away")
    }
    return bench.server.canDelay
  }

  /// Numbered pages of one list with a counted total.
  func pages() throws {
    guard isPossible else { return }
    let count = bench.isFull ? 100_000 : 30_000
    let work =
      "\(Results.grouped(count / Dataset.perPage)) pages, 20 ms away, \(Self.flights) in flight"
    try bench.serve(try bench.dataset("near", count: count))
    let job = try bench.write(Job(name: "away", head: "atOnce: \(Self.flights),"))
    for _ in 0..<bench.rounds {
      try bench.clean()
      bench.results.add(try bench.run(job, farAway: true), at: work)
      for rival in Bench.Rival.allCases {
        let usage = try bench.run(rival, of: "items", flights: Self.flights, farAway: true)
        bench.results.add(usage, rival.rawValue, at: work)
      }
    }
    try bench.clean()
    bench.results.compare(work, with: Bench.Rival.bound.rawValue)
    bench.results.compare(
      work, with: Bench.Rival.python.rawValue, wanted: Results.Wanted(time: 1.3))
  }

  /// As many lists of one job as records, each a single answer. The others read the same answers as pages of one list.
  func lists() throws {
    guard isPossible else { return }
    let single = try bench.datasetOfOne()
    let work = "\(Results.grouped(single.count)) lists, 20 ms away, \(Self.flights) in flight"
    let names = (1...single.count).map { #""\#($0)""# }.joined(separator: ", ")
    let job = try bench.write(
      Job(
        name: "lists", head: "atOnce: \(Self.flights), params: { list: [\(names)] },",
        get: "/single/{list}.json",
        pages: Job.singleAnswer, listName: "list {list}"))
    for _ in 0..<bench.rounds {
      try bench.clean()
      bench.results.add(try bench.run(job, farAway: true), at: work)
      let usage = try bench.run(.python, of: "single", flights: Self.flights, farAway: true)
      bench.results.add(usage, Bench.Rival.python.rawValue, at: work)
    }
    try bench.clean()
    bench.results.compare(
      work, with: Bench.Rival.python.rawValue, wanted: Results.Wanted(time: 1.3))
    let own = bench.results.usage(of: work)
    let least = Server.delay * Double(single.count) / Double(Self.flights)
    bench.results.remark(
      "\(Results.hundredths(own.seconds / least)) times what \(Self.flights) in flight must wait; "
        + "\(Results.hundredths(own.cpuSeconds * 1000 / Double(single.count))) ms of CPU a list, wanted 0.30"
    )
  }
}
