import Glibc

/// Trawl and curl on the same list of images: curl only writes files; Trawl also hashes, recognises, stores each byte
/// sequence once, syncs and records.
struct Images {
  static let perPage = 500

  let bench: Bench
  private var images: Int { bench.isFull ? 20_000 : 5_000 }
  /// Every tenth is a copy of the one before it.
  private var distinct: Int { images - images / 10 }

  func run() throws {
    try makeFiles()
    let work = "\(Results.grouped(images)) images"
    // Each round has folders of its own, which stay until the end: ext4 is slow to create files after many were
    // removed.
    for round in 1...bench.rounds {
      let data = "\(bench.folder)/images-\(round)"
      bench.results.add(try bench.run("\(bench.sources)/images.json5", in: data), at: work)
      try expect(distinct, in: "\(data)/media")
      let out = "\(bench.folder)/curl-\(round)"
      bench.results.add(try fetchByCurl(into: out), "curl", at: work)
      try expect(images, in: out)
    }
    bench.results.compare(work, with: "curl", wanted: Results.Wanted(time: 1.1, cpu: 1.2))
  }

  private func fetchByCurl(into out: String) throws -> Process.Usage {
    try File.makeFolder(out)
    var list = ""
    for number in 0..<images { list += "url=\"\(url(number))\"\noutput=\"\(out)/\(number).jpg\"\n" }
    try File.write(list, to: "\(bench.folder)/curl.txt")
    return try bench.succeed([
      "/usr/bin/curl", "--silent", "--show-error", "--parallel", "--parallel-max", "32", "--config",
      "\(bench.folder)/curl.txt",
    ])
  }

  private func expect(_ files: Int, in path: String) throws {
    let found = try bench.output(["/bin/sh", "-c", "find '\(path)' -type f | wc -l"])
    guard Int(found) == files else { throw Trouble("\(found) files in \(path), not \(files)") }
  }

  // MARK: the images

  private func url(_ number: Int) -> String { "\(bench.server.address)/pictures/\(number).jpg" }

  private func makeFiles() throws {
    let folder = "\(bench.www)/pictures"
    try File.makeFolder(folder)
    var random = Random(1)
    var bytes: [UInt8] = []
    for number in 0..<images {
      if number % 10 != 9 { bytes = Self.jpeg(4_000 + random.below(36_000), &random) }
      try File.write(bytes, to: "\(folder)/\(number).jpg")
    }
    for page in 0..<(images / Self.perPage) {
      let records = (page * Self.perPage..<(page + 1) * Self.perPage).map {
        #"{"id":\#($0),"url":"\#(url($0))"}"#
      }
      try File.write(
        #"{"total":\#(images),"pictures":[\#(records.joined(separator: ","))]}"#,
        to: "\(folder)/\(page + 1).json")
    }
  }

  /// A valid JPEG by its markers: one frame, one scan, random bytes.
  private static func jpeg(_ count: Int, _ random: inout Random) -> [UInt8] {
    var bytes: [UInt8] = [
      0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 64, 0, 64, 1, 1, 0x11, 0, 0xFF, 0xDA, 0, 8, 1, 1, 0, 0,
      63, 0,
    ]
    bytes.reserveCapacity(count + 8)
    while bytes.count < count - 2 {
      withUnsafeBytes(of: random.bits()) { for byte in $0 { bytes.append(byte & 0xFE) } }
    }
    return bytes + [0xFF, 0xD9]
  }
}
