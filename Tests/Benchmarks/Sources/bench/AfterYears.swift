/// The costs of a folder that has grown.
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
    let count = bench.isFull ? 1_000_000 : 100_000
    let work = "prove, \(Results.grouped(count)) records"
    try bench.serve(try bench.dataset("old", count: count))
    try bench.clean()
    try bench.run(try bench.write(Job(name: "records")))
    for _ in 0..<bench.rounds {
      bench.results.add(try bench.succeed([bench.trawl, "prove", "--data", bench.data]), at: work)
      let check = try bench.succeed([
        "/usr/bin/sqlite3", bench.data + "/trawl.db", "PRAGMA quick_check",
      ])
      bench.results.add(check, "quick_check", at: work)
    }
    try bench.clean()
    bench.results.compare(work, with: "quick_check", wanted: Results.Wanted(time: 2))
  }

  /// A word that no text contains, compared with SQLite's own search, which knows case only in ASCII.
  func search() throws {
    let count = bench.isFull ? 1_000_000 : 100_000
    let work = "search, \(Results.grouped(count)) records"
    try bench.serve(try bench.dataset("old", count: count))
    try bench.clean()
    let job = Job(name: "search", stream: #"search: ["title", "summary"],"#)
    try bench.run(try bench.write(job))
    let like =
      "SELECT count(*) FROM search_items WHERE title LIKE '%qqqq%' OR summary LIKE '%qqqq%'"
    for _ in 0..<bench.rounds {
      let found = try bench.succeed([bench.trawl, "search", "qqqq", "--data", bench.data])
      bench.results.add(found, at: work)
      bench.results.add(
        try bench.succeed(["/usr/bin/sqlite3", bench.data + "/trawl.db", like]), "LIKE", at: work)
    }
    try bench.clean()
    bench.results.compare(work, with: "LIKE", wanted: Results.Wanted(cpu: 2))
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
