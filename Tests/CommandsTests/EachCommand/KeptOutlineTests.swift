import Glibc
import Base
@testable import Commands
@testable import Jobs
import TestSupport
import Testing

/// What job files say, kept beside the index of reports.
@Suite("What is kept of job files")
struct KeptOutlineTests {
  private let scratch = ScratchFolder()
  private var library: JobLibrary {
    JobLibrary(userFolder: "\(scratch.path)/own", systemFolder: "\(scratch.path)/system")
  }

  /// A machine on which no file was written a moment ago.
  private static let later: @Sendable () -> Int64 = { FilePlace.now + 3_000_000_000 }

  init() {
    for folder in ["own", "system"] { mkdir("\(scratch.path)/\(folder)", 0o700) }
  }

  private func write(_ name: String, _ members: String, in folder: String = "own") {
    Golden.write("{ name: \"\(name)\", \(members) }", to: "\(scratch.path)/\(folder)/\(name).json5")
  }

  private func kept(now: @escaping @Sendable () -> Int64 = later) -> KeptOutlines {
    KeptOutlines("\(scratch.path)/.jobs.json", library, now: now)
  }

  /// As the survey does it.
  private func read(_ word: String, _ kept: KeptOutlines) throws -> JobOutline {
    let looks = Locked<[FileLook]>([])
    let outline = JobOutline(try library.noting(looks).job(word))
    kept.keep(outline, word, looks.withLock { $0 })
    return outline
  }

  /// Reads all, and hands what was written of it to a program that begins.
  private func keep(_ words: [String]) throws -> KeptOutlines {
    let first = kept()
    for word in words { _ = try read(word, first) }
    try first.write()
    return kept()
  }

  private static let stream =
    "base: \"https://api.example.org/v1\", streams: { all: { get: \"/all\", records: \".\", "
    + "into: \"things\", key: [\"id\"], columns: { id: \"id as integer\" } } }"

  private static func searching(_ words: String) -> String {
    "base: \"https://api.example.org\", params: { word: [\(words)] }, "
      + "streams: { found: { kind: \"search\", get: \"/find/{word}\", records: \".\", "
      + "into: \"found\", key: [\"id\"], columns: { id: \"id as integer\" } } }"
  }

  /// Every way in which a job says something that tells how it stands.
  private static let shapes: [String] = {
    let ages = ["", "every: \"1d\", ", "every: \"90m\", account: \"ours\", "]
    let secrets = [
      "", "auth: { header: \"Authorization\", prefix: \"Bearer \", secret: \"one\" }, ",
      "auth: { query: \"key\", secret: \"one\", env: \"ONE_KEY\", optional: true }, ",
      "auth: { basic: true, user: \"me\", secret: \"one\", env: \"ONE_KEY\" }, ",
      "auth: { basic: true, secret: \"one\", env: \"ONE_KEY\" }, ",
      "auth: [{ query: \"id\", secret: \"one\", env: \"ONE_KEY\" }, "
        + "{ header: \"X-Two\", secret: \"two\", env: \"TWO_KEY\" }], ",
    ]
    let quotas = [
      "", "quotas: { hour: { allow: 60, per: \"1h\", allowWithoutKey: 7 } }, ",
      "quotas: { day: { allow: 100, per: \"day\", resets: \"00:00 America/Los_Angeles\" }, "
        + "second: { allow: 2, per: \"1s\", burst: 1 } }, ",
    ]
    let streams = [
      stream, searching("\"sea\", \"é\", \"a, b\""), searching(""),
    ]
    let heads = secrets.flatMap { secret in
      // A quota without a key is one of a job that has one.
      quotas.map { secret.isEmpty ? $0.replacing(", allowWithoutKey: 7", with: "") : secret + $0 }
    }
    return ages.flatMap { age in
      heads.flatMap { head in streams.map { age + head + $0 } }
    }
  }()

  private static let environments = [
    Environment([:]), Environment(["ONE_KEY": "first-7c1f"]),
    Environment(["ONE_KEY": "first-7c1f", "TWO_KEY": "second-90be"]),
  ]

  private func expectSame(_ one: JobOutline, _ other: JobOutline, _ what: String) {
    #expect(one.every == other.every && one.restsUntilNews == other.restsUntilNews, "\(what)")
    #expect(one.streams.map(\.name) == other.streams.map(\.name), "\(what)")
    #expect(one.streams.map(\.delay) == other.streams.map(\.delay), "\(what)")
    #expect(one.streams.map(\.lists) == other.streams.map(\.lists), "\(what)")
    for environment in Self.environments {
      var statuses: [JobStatus] = []
      for outline in [one, other] {
        let file = JobFileText(outline: outline)
        var status = JobStatus(neverRan: file)
        status.compare(with: file, environment: environment, now: Instant(seconds: 1_790_000_000))
        statuses.append(status)
      }
      #expect(statuses[0].overview == statuses[1].overview, "\(what)")
      #expect(statuses[0].asks == statuses[1].asks, "\(what)")
      #expect(statuses[0].quotaNote == statuses[1].quotaNote, "\(what)")
      #expect(statuses[0].schedule == statuses[1].schedule, "\(what)")
    }
  }

  @Test("is what they say, of every shape, of every job that ships, and of settings over each")
  func same() throws {
    var words: [String] = library.names
    for shipped in words {
      write("my-\(shipped)", "use: \"\(shipped)\", every: \"6h\", account: \"mine\"")
      words.append("my-\(shipped)")
    }
    for (number, shape) in Self.shapes.enumerated() {
      write("shape-\(number)", shape)
      words.append("shape-\(number)")
      if number % 7 == 0 { words.append("\(scratch.path)/own/shape-\(number).json5") }
    }
    let kept = try keep(words)
    let fresh = self.kept()
    var count = 0
    for word in words {
      let now = try read(word, fresh)
      let earlier = kept.outline(word)
      #expect((earlier != nil) == now.canBeKept, "\(word)")
      guard let earlier else { continue }
      count += 1
      expectSame(now, earlier, word)
    }
    #expect(count > 170)
  }

  /// What somebody does to files, after which they have to be read.
  private static let changes: [(what: String, change: @Sendable (String) -> Void)] = [
    ("an edit", { Golden.write("{ name: \"job\", \(stream) } ", to: "\($0)/own/job.json5") }),
    (
      "an edit of as many bytes",
      {
        let text = Golden.read("\($0)/own/job.json5") ?? ""
        Golden.write(text.replacing("/all", with: "/ALL"), to: "\($0)/own/job.json5")
      }
    ),
    (
      "an edit that sets the time back",
      { folder in
        var facts = stat()
        stat("\(folder)/own/job.json5", &facts)
        let text = Golden.read("\(folder)/own/job.json5") ?? ""
        Golden.write(text.replacing("/all", with: "/ALL"), to: "\(folder)/own/job.json5")
        let times = [facts.st_atim, facts.st_mtim]
        #expect(utimensat(AT_FDCWD, "\(folder)/own/job.json5", times, 0) == 0)
      }
    ),
    (
      "another file in its place",
      { folder in
        Golden.write(Golden.read("\(folder)/own/job.json5") ?? "", to: "\(folder)/new")
        #expect(rename("\(folder)/new", "\(folder)/own/job.json5") == 0)
      }
    ),
    ("its removal", { #expect(unlink("\($0)/own/job.json5") == 0) }),
    (
      "another name",
      { #expect(rename("\($0)/own/job.json5", "\($0)/own/other.json5") == 0) }
    ),
    ("other rights", { #expect(chmod("\($0)/own/job.json5", 0o640) == 0) }),
  ]

  @Test("is not believed behind any change of a file", arguments: changes.indices)
  func changed(_ index: Int) throws {
    let (what, change) = Self.changes[index]
    write("job", Self.stream)
    write("mine", "use: \"job\"", in: "system")
    write("beside", Self.stream)
    let path = "\(scratch.path)/own/job.json5"
    let words = ["job", "mine", "beside", path]
    let still = try keep(words)
    for word in words { #expect(still.outline(word) != nil, "\(word)") }
    change(scratch.path)
    let kept = kept()
    for word in ["job", "mine", path] { #expect(kept.outline(word) == nil, "\(what): \(word)") }
    #expect(kept.outline("beside") != nil, "\(what)")
  }

  @Test("is not believed where a file stands before it, or other folders are looked through")
  func before() throws {
    write("job", Self.stream, in: "system")
    write("mine", "use: \"job\"")
    write("my-github", "use: \"github\"")
    let words = ["job", "mine", "github", "my-github"]
    let still = try keep(words)
    for word in words { #expect(still.outline(word) != nil, "\(word)") }
    for name in ["job", "github"] { write(name, "every: \"1h\", " + Self.stream) }
    let kept = kept()
    for word in words { #expect(kept.outline(word) == nil, "\(word)") }
    let elsewhere = KeptOutlines(
      "\(scratch.path)/.jobs.json",
      JobLibrary(userFolder: nil, systemFolder: "\(scratch.path)/own"),
      now: Self.later)
    for word in words { #expect(elsewhere.outline(word) == nil, "\(word)") }
  }

  @Test("is nothing of a file that was written a moment before, or will have been")
  func fresh() throws {
    write("job", Self.stream)
    for ahead: Int64 in [-3_000_000_000, 0, 1_900_000_000] {
      let kept = kept { FilePlace.now + ahead - 1_000_000_000 }
      _ = try read("job", kept)
      #expect(kept.outline("job") == nil)
    }
    let kept = kept()
    _ = try read("job", kept)
    #expect(kept.outline("job") != nil)
  }

  @Test("is nothing where one byte of it is another, or it is cut")
  func damaged() throws {
    write("job", "every: \"1d\", " + Self.stream)
    #expect(try keep(["job"]).outline("job") != nil)
    let path = "\(scratch.path)/.jobs.json"
    let whole = Array((Golden.read(path) ?? "").utf8)
    #expect(whole.count > 300)
    for at in whole.indices {
      var bytes = whole
      bytes[at] ^= 1
      try ReportFolder.replace(path, with: at % 2 == 0 ? bytes : Array(whole[..<at]))
      #expect(kept().outline("job") == nil, "byte \(at)")
    }
    unlink(path)
    #expect(kept().outline("job") == nil)
  }

  @Test("is written only where it is another, and without what nobody asks for any more")
  func written() throws {
    write("job", Self.stream)
    write("other", Self.stream)
    _ = try keep(["job", "other"])
    let first = FileLook(at: "\(scratch.path)/.jobs.json")
    let same = kept()
    #expect(same.outline("job") != nil && same.outline("other") != nil)
    try same.write()
    #expect(FileLook(at: "\(scratch.path)/.jobs.json") == first)
    let less = kept()
    #expect(less.outline("job") != nil)
    try less.write()
    #expect(kept().outline("other") == nil && kept().outline("job") != nil)
  }
}
