/// Trawl compared with itself under less load: a ledger that has seen many requests.
struct WithMore {
  let bench: Bench

  /// Repeats the same requests: the second run has a young ledger, the last an old one.
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
