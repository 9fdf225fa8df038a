import Glibc

// `bench TRAWL SOURCES FOLDER quick|full [PART [JSON]]`: Trawl beside what does the same work with less, or by hand.
// Everything is made in FOLDER and removed again, but for the figures.

let parts = ["first", "unchanged", "new", "images"]

func measure(_ bench: Bench, _ part: String) throws {
  let records = Records(bench: bench)
  switch part {
  case "":
    try records.run(upTo: .new, names: [.first, .unchanged, .new])
    try Images(bench: bench).run()
  case "first": try records.run(upTo: .first, names: [.first])
  case "unchanged": try records.run(upTo: .unchanged, names: [.unchanged])
  case "new": try records.run(upTo: .new, names: [.new])
  case "images": try Images(bench: bench).run()
  default: throw Trouble("no workload \"\(part)\"; there are \(parts.joined(separator: ", "))")
  }
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
