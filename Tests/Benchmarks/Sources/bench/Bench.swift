import Glibc

/// The folders of the workloads, and the programs that they compare.
final class Bench {
  let trawl: String
  /// The folder of the Python rival and the image job.
  let sources: String
  let folder: String
  let isFull: Bool
  let results = Results()
  let server: Server
  private var datasets: [String: Dataset] = [:]

  init(trawl: String, sources: String, folder: String, isFull: Bool) throws {
    self.trawl = trawl
    self.sources = sources
    self.folder = folder
    self.isFull = isFull
    for name in ["", "/www", "/jobs"] { try File.makeFolder(folder + name) }
    server = try Server(folder: folder, www: folder + "/www")
  }

  func end() { server.end() }

  var rounds: Int { isFull ? 5 : 3 }
  /// The records of the long list.
  var count: Int { isFull ? 1_000_000 : 100_000 }
  var www: String { folder + "/www" }
  var data: String { folder + "/data" }

  // MARK: datasets

  /// Served as `/NAME?page=N`; created by the first workload that needs it.
  func dataset(_ name: String, count: Int, perPage: Int = Dataset.perPage) throws -> Dataset {
    if let made = datasets[name] { return made }
    let made = try Dataset("\(www)/\(name)", count: count, perPage: perPage)
    datasets[name] = made
    return made
  }

  /// The long list.
  func datasetOfMany() throws -> Dataset { try dataset("old", count: count) }

  /// Many short answers: one record a page.
  func datasetOfOne() throws -> Dataset {
    try dataset("single", count: isFull ? 10_000 : 1_000, perPage: 1)
  }

  /// Sets what `/items` serves.
  func serve(_ dataset: Dataset) throws { try File.link("\(www)/items", to: dataset.folder) }

  func write(_ job: Job) throws -> String {
    let path = "\(folder)/jobs/\(job.name).json5"
    try File.write(job.text, to: path)
    return path
  }

  // MARK: the programs

  /// One run into `data`; every list must be complete.
  @discardableResult
  func run(_ jobs: String..., in data: String? = nil, farAway: Bool = false) throws -> Process.Usage
  {
    try succeed(
      [trawl, "run"] + jobs + [
        "--endpoint", farAway ? server.addressFarAway : server.address, "--data", data ?? self.data,
        "--quiet",
      ])
  }

  enum Rival: String, CaseIterable {
    case bound
    case python = "Python"
  }

  /// Reads the same list into a database of its own; `flights` are concurrent requests or threads.
  func run(
    _ rival: Rival, of list: String, flights: Int? = nil, isNewest: Bool = false,
    farAway: Bool = false
  )
    throws -> Process.Usage
  {
    let program: [String]
    switch rival {
    case .bound: program = [Self.beside("bound")]
    case .python: program = ["/usr/bin/env", "python3", sources + "/rival.py"]
    }
    let url = (farAway ? server.addressFarAway : server.address) + "/" + list
    // The default is what each is fastest with.
    let most = flights ?? (rival == .bound ? 8 : 4)
    return try succeed(
      program + [url, database(of: rival), "\(most)"] + (isNewest ? ["newest"] : []))
  }

  private func database(of rival: Rival) -> String { "\(folder)/\(rival).db" }

  func clean() throws {
    try File.remove(data)
    for rival in Rival.allCases {
      let path = database(of: rival)
      try File.remove(path, path + "-wal", path + "-shm")
    }
  }

  /// Each must store every record; otherwise it is no rival.
  func expect(_ count: Int, in rival: Rival) throws {
    try expect(count, named: rival.rawValue, in: database(of: rival))
  }

  func expect(_ count: Int, named name: String, in database: String) throws {
    let stored = try output(["/usr/bin/sqlite3", database, "SELECT count(*) FROM items"])
    guard Int(stored) == count else {
      throw Trouble("\(name) stored \(stored) records, not \(count)")
    }
  }

  /// The first word of a program's output.
  func output(_ words: [String]) throws -> String {
    _ = try succeed(words)
    return try File.read(log).split { $0 == " " || $0 == "\n" }.first.map(String.init) ?? ""
  }

  private var log: String { folder + "/output" }

  func succeed(_ words: [String]) throws -> Process.Usage {
    let usage = try Process(words, output: log).ended()
    guard usage.code == 0 else {
      throw Trouble(
        "\(words.joined(separator: " ")) ended with \(usage.code): \(try File.read(log))")
    }
    // Earlier writes must not count for the next program.
    sync()
    return usage
  }

  private static func beside(_ name: String) -> String {
    let own = CommandLine.arguments[0]
    let end = own.lastIndex(of: "/").map { own.index(after: $0) } ?? own.startIndex
    return own[..<end] + name
  }

  /// The one-minute load: on a busy machine seconds mean less, ratios still something.
  static var load: String {
    guard let text = try? File.read("/proc/loadavg") else { return "unknown" }  // no Linux, no load
    return text.split(separator: " ").first.map(String.init) ?? "unknown"
  }
}
