import Glibc

/// Trawl beside curl and aria2c on the same list of images from the same server: those two only
/// write files; Trawl also hashes, recognises, stores each byte sequence once, syncs and records.
struct ImageBench {
  static let images = 20_000
  /// Every tenth has the bytes of the one before it.
  static let distinct = images - images / 10
  static let perPage = 500
  static let rounds = 3
  static let peakMax = 60_000_000

  let trawl: String
  let job: String
  let folder: String
  private let server: ImageServer
  private let aria: String?

  init(trawl: String, job: String, folder: String) throws {
    self.trawl = trawl
    self.job = job
    self.folder = folder
    let places: [String] = ["/usr/bin/aria2c", "/usr/local/bin/aria2c"]
    aria = places.first { access($0, X_OK) == 0 }
    try Process.removeAll([folder])
    for path in [folder, "\(folder)/www"] { mkdir(path, 0o755) }
    server = try ImageServer(folder: folder)
    try makeFiles()
  }

  func end() { server.end() }

  func run() throws {
    print("")
    print(
      "\(Bench.grouped(Self.images)) images of 4 to 40 KB, a tenth of them duplicates, from nginx "
        + "on loopback; load \(Bench.load)")
    if aria == nil {
      print("aria2c is not installed: only curl is compared (apt-get install aria2)")
    }
    print("")
    Bench.row(["round", "Trawl s", "curl s", "aria2c s", "to faster", "to aria2c", "Trawl CPU s"])
    var all: [[Double]] = []
    var peak = 0
    for number in 1...Self.rounds {
      let own = try fetch(number)
      let curl = try fetchByCurl(number)
      let other = try aria.map { try fetchByAria($0, number) } ?? .infinity
      peak = max(peak, own.peak)
      let round = [
        own.seconds, curl, other, own.seconds / min(curl, other), own.seconds / other,
        own.cpuSeconds,
      ]
      all.append(round)
      Bench.row(["\(number)"] + round.map(Bench.hundredths))
    }
    let middle = (0..<6).map { column in Bench.median(all.map { $0[column] }) }
    Bench.row(["median"] + middle.map(Bench.hundredths))
    print("")
    print("time, over the faster's  \(Bench.hundredths(middle[3]))   wanted: at most 1.25")
    if aria != nil {
      print("time, over aria2c's      \(Bench.hundredths(middle[4]))   wanted: at most 1.00")
    }
    print("peak memory              \(Bench.megabytes(peak))   wanted: below 60 MB")
    try Process.removeAll([folder])
  }

  // MARK: the three

  // Each round has folders of its own, which stay to the end: ext4 is slow to make files where many
  // were just removed.

  private func fetch(_ round: Int) throws -> Process.Usage {
    let data = "\(folder)/data-\(round)"
    let usage = try Process(
      [
        trawl, "run", job, "--endpoint", "http://127.0.0.1:\(server.port)", "--data", data,
        "--quiet",
      ], output: "\(folder)/trawl.log"
    ).ended()
    guard usage.code == 0 else {
      throw Trouble("trawl ended with \(usage.code): see \(folder)/trawl.log")
    }
    let files = try count("\(data)/media")
    guard files == Self.distinct else { throw Trouble("trawl stored \(files) files") }
    return usage
  }

  private func fetchByCurl(_ round: Int) throws -> Double {
    var list = ""
    for number in 0..<Self.images {
      list += "url=\"\(url(number))\"\noutput=\"\(folder)/curl-\(round)/\(number).jpg\"\n"
    }
    try ImageServer.write(list, to: "\(folder)/curl.txt")
    return try timed(
      [
        "/usr/bin/curl", "--silent", "--show-error", "--parallel", "--parallel-max", "32",
        "--config", "\(folder)/curl.txt",
      ], into: "\(folder)/curl-\(round)")
  }

  private func fetchByAria(_ program: String, _ round: Int) throws -> Double {
    try timed(
      [
        program, "-j16", "-i", "\(folder)/aria.txt", "-d", "\(folder)/aria-\(round)",
        "--quiet=true", "--file-allocation=none", "--no-conf=true",
      ], into: "\(folder)/aria-\(round)")
  }

  private func timed(_ words: [String], into out: String) throws -> Double {
    mkdir(out, 0o755)
    let usage = try Process(words, output: "\(folder)/other.log").ended()
    guard usage.code == 0 else { throw Trouble("\(words[0]) ended with \(usage.code)") }
    let files = try count(out)
    guard files == Self.images else { throw Trouble("\(words[0]) stored \(files) files") }
    return usage.seconds
  }

  private func count(_ path: String) throws -> Int {
    // What was written before belongs to the program that wrote it, not to the next one's time.
    let told = try Bench.output(
      ["/bin/sh", "-c", "sync -f '\(path)'; find '\(path)' -type f | wc -l"], in: folder)
    return Int(told) ?? -1
  }

  private func url(_ number: Int) -> String { "http://127.0.0.1:\(server.port)/\(number).jpg" }

  // MARK: what is served

  private func makeFiles() throws {
    var random: UInt64 = 1
    var bytes: [UInt8] = []
    var aria = ""
    for number in 0..<Self.images {
      if number % 10 != 9 { bytes = Self.jpeg(4_000 + Int(Self.draw(&random) % 36_000), &random) }
      try ImageServer.write(bytes, to: "\(folder)/www/\(number).jpg")
      aria += "\(url(number))\n  out=\(number).jpg\n"
    }
    try ImageServer.write(aria, to: "\(folder)/aria.txt")
    for page in 0..<(Self.images / Self.perPage) {
      let records = (page * Self.perPage..<(page + 1) * Self.perPage).map {
        #"{"id":\#($0),"url":"http://127.0.0.1:\#(server.port)/\#($0).jpg"}"#
      }
      try ImageServer.write(
        #"{"total":\#(Self.images),"pictures":[\#(records.joined(separator: ","))]}"#,
        to: "\(folder)/www/list-\(page + 1).json")
    }
  }

  /// A whole JPEG by its marks: one frame, one scan, and bytes that mean nothing.
  private static func jpeg(_ count: Int, _ random: inout UInt64) -> [UInt8] {
    var bytes: [UInt8] = [
      0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 64, 0, 64, 1, 1, 0x11, 0, 0xFF, 0xDA, 0, 8, 1, 1, 0, 0,
      63, 0,
    ]
    bytes.reserveCapacity(count + 8)
    while bytes.count < count - 2 {
      withUnsafeBytes(of: draw(&random)) { for byte in $0 { bytes.append(byte & 0xFE) } }
    }
    return bytes + [0xFF, 0xD9]
  }

  private static func draw(_ state: inout UInt64) -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
