/// What Trawl does, beside the same with less: a search index, a ledger that has seen many requests.
struct WithMore {
  let bench: Bench

  func search() throws {
    let count = bench.isFull ? 1_000_000 : 100_000
    let work = "with search, \(Results.grouped(count)) records"
    try bench.serve(try bench.dataset("old", count: count))
    let plain = try bench.write(Job(name: "records"))
    let more = try bench.write(Job(name: "search", stream: #"search: ["title", "summary"],"#))
    var sizes: [String] = []
    for _ in 0..<bench.rounds {
      try bench.clean()
      bench.results.add(try bench.run(more), at: work)
      let size = try File.size(bench.data + "/trawl.db")
      try bench.clean()
      bench.results.add(try bench.run(plain), "without", at: work)
      sizes = [size, try File.size(bench.data + "/trawl.db")].map(Results.megabytes)
    }
    try bench.clean()
    bench.results.compare(work, with: "without", wanted: Results.Wanted(cpu: 2))
    bench.results.remark("the database has \(sizes[0]) MB with its index, \(sizes[1]) without")
  }

  /// The same requests again and again: the second run stands for a young ledger, the last for an old one.
  func ledger() throws {
    let runs = 10
    let single = try bench.datasetOfOne()
    let work = "a quota, \(Results.grouped(runs * single.count)) uses in its window"
    let job = try bench.write(
      Job(
        name: "ledger", head: #"quotas: { all: { allow: 1000000, per: "day" } },"#,
        stream: "spends: { all: 1 },",
        get: "/single"))
    try bench.clean()
    for number in 1...runs {
      let usage = try bench.run(job)
      if number == 2 { bench.results.add(usage, "its second run", at: work) }
      if number == runs { bench.results.add(usage, at: work) }
    }
    try bench.clean()
    bench.results.compare(work, with: "its second run", wanted: Results.Wanted(cpu: 1.2))
  }
}
