import Glibc

// `bench TRAWL SOURCES FOLDER quick|full [PART [JSON]]`: compares Trawl with tools that do the same work with less.
// All files are created in FOLDER and removed, except the results.

/// The workloads by name, in the table's order.
enum Parts {
  static let all: [(name: String, run: @Sendable (Bench) throws -> Void)] = [
    ("first", { try Records(bench: $0).run(.first) }),
    ("unchanged", { try Records(bench: $0).run(.unchanged) }),
    ("new", { try Records(bench: $0).run(.new) }),
    ("search", { try AfterYears(bench: $0).search() }),
    ("ledger", { try AfterYears(bench: $0).ledger() }),
    ("images", { try Images(bench: $0).run() }),
    ("away", { try FarAway(bench: $0).pages() }),
    ("lists", { try FarAway(bench: $0).lists() }),
    ("beside", { try AfterYears(bench: $0).beside() }),
    ("prove", { try AfterYears(bench: $0).prove() }),
    ("start", { try AfterYears(bench: $0).start() }),
  ]
  /// Only on request: needs `make rivals`, and is slow.
  static let tools: (name: String, run: @Sendable (Bench) throws -> Void) =
    ("rivals", { try Tools(bench: $0).run() })
}

func measure(_ bench: Bench, _ name: String) throws {
  if name.isEmpty {
    try Records(bench: bench).run()
    for part in Parts.all.dropFirst(3) { try part.run(bench) }
    return
  }
  let known = Parts.all + [Parts.tools]
  guard let part = known.first(where: { $0.name == name }) else {
    throw Trouble("no workload \"\(name)\"; there are \(known.map(\.name).joined(separator: ", "))")
  }
  try part.run(bench)
}

do {
  let words = CommandLine.arguments
  guard (5...7).contains(words.count), ["quick", "full"].contains(words[4]) else {
    throw Trouble("bench TRAWL SOURCES FOLDER quick|full [PART [JSON]]")
  }
  mkdir(words[3], 0o755)
  guard let absolute = realpath(words[3], nil) else { throw Trouble("no folder \(words[3])") }
  let folder = String(cString: absolute)
  free(absolute)
  let bench = try Bench(
    trawl: words[1], sources: words[2], folder: folder + "/work", isFull: words[4] == "full")
  defer { bench.end() }
  print("medians of \(bench.rounds) rounds in turns, \(words[4]); load \(Bench.load)")
  Results.printHead()
  try measure(bench, words.count > 5 ? words[5] : "")
  try File.write(
    bench.results.json(isFull: bench.isFull),
    to: words.count > 6 ? words[6] : folder + "/bench.json")
  try File.remove(bench.folder)
} catch {
  print("bench: \(error)")
  exit(1)
}
