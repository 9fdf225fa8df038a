import Glibc

// `bench TRAWL JOBS FOLDER [records|search|ledger|images]`: how fast Trawl stores pages end to end, beside the
// floor of SQLite alone, and images, beside curl and aria2c; and how much memory it takes.
// Everything is made in FOLDER and removed again.

do {
  let words = CommandLine.arguments
  guard words.count == 4 || words.count == 5 else {
    throw Trouble("bench TRAWL JOBS FOLDER [records|search|ledger|images]")
  }
  let part = words.count == 5 ? words[4] : nil
  mkdir(words[3], 0o755)
  guard let absolute = realpath(words[3], nil) else { throw Trouble("no folder \(words[3])") }
  let folder = String(cString: absolute)
  free(absolute)
  if part == nil || part == "records" {
    let bench = try Bench(trawl: words[1], job: words[2] + "/things.json5", folder: folder)
    defer { bench.end() }
    try bench.run()
  }
  for (name, what, job, wanted) in [
    ("search", "a search index", "things-search", 2.0),
    ("ledger", "a quota of a million requests", "things-quota", 1.2),
  ] where part == nil || part == name {
    let bench = try BesideBench(
      what, wanted: wanted, trawl: words[1], jobs: words[2], job: job, folder: folder)
    defer { bench.end() }
    try bench.run()
  }
  if part == nil || part == "images" {
    let bench = try ImageBench(
      trawl: words[1], job: words[2] + "/images.json5", folder: folder + "/images")
    defer { bench.end() }
    try bench.run()
  }
} catch {
  print("bench: \(error)")
  exit(1)
}
