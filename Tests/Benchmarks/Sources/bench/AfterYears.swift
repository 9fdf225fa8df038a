/// The costs of a folder or a ledger that has grown.
struct AfterYears {
  let bench: Bench

  /// One more job in a folder of many, its first and second run, compared with the same job in its own folder.
  func beside() throws {
    let count = bench.isFull ? 560 : 200
    _ = try bench.datasetOfOne()
    let many = bench.folder + "/many"
    func job(_ number: Int) throws -> String {
      try bench.write(Job(name: "beside-\(number)", get: "/single/1.json", pages: Job.singleAnswer))
    }
    for number in 0..<count { try bench.run(try job(number), in: many) }
    let works = ["first", "second"].map { "\($0) run beside \(count) jobs" }
    for round in 0..<bench.rounds {
      let more = try job(count + round)
      try bench.clean()
      for work in works {
        bench.results.add(try bench.run(more, in: many), at: work)
        bench.results.add(try bench.run(more), "alone", at: work)
      }
    }
    try File.remove(many)
    try bench.clean()
    for work in works {
      bench.results.compare(work, with: "alone", wanted: Results.Wanted(time: 1.5, cpu: 1.5))
    }
  }

  /// Proving all claims, compared with SQLite's check of the file alone.
  func prove() throws {
    try compare(
      "prove", ["prove"], over: Job(name: "records"), with: "quick_check", "PRAGMA quick_check",
      wanted: Results.Wanted(time: 2))
  }

  /// A word that no text contains, compared with SQLite's own search, which knows case only in ASCII.
  func search() throws {
    try compare(
      "search", ["search", "qqqq"],
      over: Job(name: "search", stream: #"search: ["title", "summary"],"#), with: "LIKE",
      "SELECT count(*) FROM search_items WHERE title LIKE '%qqqq%' OR summary LIKE '%qqqq%'",
      wanted: Results.Wanted(cpu: 2))
  }

  /// A command over the long list, in turns with a query of the sqlite3 program.
  private func compare(
    _ name: String, _ words: [String], over job: Job, with other: String, _ sql: String,
    wanted: Results.Wanted
  ) throws {
    let work = "\(name), \(Results.grouped(bench.count)) records"
    try bench.serve(try bench.datasetOfMany())
    try bench.clean()
    try bench.run(try bench.write(job))
    for _ in 0..<bench.rounds {
      let usage = try bench.succeed([bench.trawl] + words + ["--data", bench.data])
      bench.results.add(usage, at: work)
      let query = try bench.succeed(["/usr/bin/sqlite3", bench.data + "/trawl.db", sql])
      bench.results.add(query, other, at: work)
    }
    try bench.clean()
    bench.results.compare(work, with: other, wanted: wanted)
  }

  /// Repeats the same requests under a quota: the second run has a young ledger, the last an old one.
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

  func start() throws {
    let work = "start: --version"
    for _ in 0..<21 {
      bench.results.add(try bench.succeed([bench.trawl, "--version"]), at: work)
      bench.results.add(try bench.succeed(["/usr/bin/curl", "--version"]), "curl", at: work)
    }
    bench.results.compare(work, with: "curl")
  }
}
