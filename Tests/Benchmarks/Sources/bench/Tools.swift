import Glibc

/// The list of records with common tools, called by `rivals.py`.
struct Tools {
  private static let names = ["dlt", "sling"]

  let bench: Bench

  private var python: String { ".build/rivals/bin/python" }

  func run() throws {
    guard access(python, X_OK) == 0 else { throw Trouble("dlt and Sling are missing: make rivals") }
    let works = [
      "first load, \(Results.grouped(bench.count)) records",
      "unchanged, \(Results.grouped(bench.count)) records",
    ]
    let old = try bench.datasetOfMany()
    let job = try bench.write(Job(name: "records"))
    try bench.serve(old)
    for _ in 0..<bench.rounds {
      try bench.clean()
      for work in works { bench.results.add(try bench.run(job), at: work) }
      for name in Self.names {
        let folder = "\(bench.folder)/\(name)"
        try File.makeFolder(folder)
        for work in works {
          let words = [
            python, bench.sources + "/rivals.py", "load", name, bench.server.address, folder,
          ]
          bench.results.add(try bench.succeed(words), name, at: work)
        }
        try bench.expect(bench.count, named: name, in: "\(folder)/\(name).db")
      }
    }
    for work in works {
      for name in Self.names { bench.results.compare(work, with: name) }
    }
  }
}
