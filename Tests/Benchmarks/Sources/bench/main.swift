import Glibc

// `bench TRAWL JOB FOLDER`: how fast Trawl stores pages end to end, beside the floor of SQLite
// alone, and how much memory it takes. Everything is made in FOLDER and removed again.

do {
  guard CommandLine.arguments.count == 4 else { throw Trouble("bench TRAWL JOB FOLDER") }
  let words = CommandLine.arguments
  let bench = try Bench(trawl: words[1], job: words[2], folder: words[3])
  defer { bench.end() }
  try bench.run()
} catch {
  print("bench: \(error)")
  exit(1)
}
