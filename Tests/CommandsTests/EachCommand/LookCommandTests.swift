import Glibc
import Base
@testable import Commands
import SandboxKit
import TestSupport
import Testing

@Suite("Commands that only look")
struct LookCommandTests {
  private let trial: CommandTrial
  init() throws { trial = try CommandTrial() }

  @Test("try shows rows as they would be stored and the fields no column takes; nothing is kept")
  func tries() async throws {
    let ended = try await trial.run(
      ["try", "github", "--endpoint", trial.sandbox.endpoint(for: "github"), "--json"],
      environment: ["TRAWL_DATA": trial.data], ends: .complete)
    let looks = try ended.jsonLines
    #expect(
      looks.compactMap { $0["stream"]?.string } == ["profile", "followers", "following", "search"])
    let profile = try #require(looks.first)
    #expect(profile["rows"]?[0]?["login"]?.string == "octocat")
    let unmapped = profile["unmapped"]?.elements.compactMap { $0["path"]?.string } ?? []
    #expect(unmapped.contains("node_id") && !unmapped.contains("login"))
    // One page of one unit of each stream that can be requested.
    #expect(trial.sandbox.requests(api: "github").count == 3)
    #expect(!trial.exists("data"))
    let left = FolderNames.all(of: trial.scratch.path).filter { $0.hasPrefix("trawl-look") }
    #expect(left.isEmpty)
  }

  @Test("try shows what was taken for the rules of a list, and what page 2 would be requested by")
  func taken() async throws {
    for (api, stream, rules, second) in [
      ("youtube-proxy", "videos", ["size", "total"], "page=2"),
      ("youtube", "search", ["size", "next", "total"], "pageToken="),
      // 49 of 50 came; pages of a list that is its first 499 share no record.
      ("giphy", "trending", ["size", "total"], "offset=49"),
      ("newsapi", "sources", [], nil),
    ] {
      let words = ["try", api, "--stream", stream, "--endpoint", trial.sandbox.endpoint(for: api)]
      let ended = try await trial.run(words + ["--json"])
      let look = try ended.json
      #expect(look["taken"]?.elements.map { $0["rule"]?.string } == rules, "\(ended.everything)")
      let pageTwo = look["page_2"]?.string
      #expect(
        second.map { pageTwo?.contains($0) ?? false } ?? (pageTwo == nil), "\(ended.everything)")
      let shown = try await trial.run(
        words, showing: second == nil ? "no page 2: one answer" : "page 2 would be")
      if !rules.isEmpty { #expect(shown.output.contains("taken for the rules of the list")) }
    }
  }

  @Test("check of a job that has run does not take the job's own Link header for something unread")
  func ownLink() async throws {
    try await trial.run(["run", "github"] + trial.github, ends: .complete)
    let ended = try await trial.run(["check", "github"] + trial.github)
    #expect(!ended.output.contains("its answers also have"), "\(ended.output)")
  }

  @Test("check names a place that the answer does not have, with the nearest one that it has")
  func misspelt() async throws {
    for (name, place, slip) in [
      ("giphy", "pagination.total_count", "pagination.total_cuont"),
      ("youtube", "nextPageToken", "nextPageTokn"),
      ("giphy", "pagination.total_count", "pagination.total_count"),
    ] {
      let shipped = try await trial.run(["check", name, "--print"], ends: .complete)
      let path = "\(trial.scratch.path)/\(name).json5"
      Golden.write(shipped.output.replacing(place, with: slip), to: path)
      let ended = try await trial.run(
        ["check", path, "--endpoint", trial.sandbox.endpoint(for: name)])
      let words = "the answer has no \"\(slip)\"; did you mean \"\(place)\"?"
      #expect(ended.output.contains(words) == (slip != place), "\(ended.everything)")
      #expect(slip != place || !ended.output.contains("the answer has no"))
    }
  }

  @Test("try draws on the quotas that runs on the same key draw on, and says where it is counted")
  func triesAreCounted() async throws {
    _ = try await trial.run(["run", "github"] + trial.github)
    let ledger = try Connection("\(trial.data)/ledger.db", .readWrite)
    defer { ledger.close() }
    func spent() throws -> Int64? {
      try ledger.integer(
        "SELECT sum(cost) FROM trawl_uses JOIN trawl_quotas ON trawl_quotas.id = quota_id "
          + "WHERE quota = 'core' AND job = 'github'")
    }
    let (before, asked) = (try #require(try spent()), trial.sandbox.requests().count)
    let ended = try await trial.run(
      ["try", "github", "--stream", "profile"] + trial.github, ends: .complete)
    #expect(trial.sandbox.requests().count == asked + 1)
    #expect(try spent() == before + 1)
    #expect(
      ended.errors.contains("1 request counted against the quotas in \(trial.data)/ledger.db"),
      "\(ended.errors)")

    // A wait that a run was told holds for looks too.
    try ledger.execute("UPDATE trawl_quotas SET blocked_until = 1 << 50, blocked_why = 'enough'")
    let held = try await trial.run(["try", "github"] + trial.github)
    #expect(held.status == .paused && held.everything.contains("enough"), "\(held.everything)")
    #expect(trial.sandbox.requests().count == asked + 1)
  }

  @Test("try shows what does not fit, with the reason, and ends with 3")
  func rejects() async throws {
    trial.keep(job: "people", columns: "login: \"login as integer required\"")
    try await trial.run(
      ["try", "people"], ends: .less, showing: "30 rejected", "would be kept among the rejects")
    let look = try await trial.run(["try", "people", "--json"], ends: .less).json
    #expect(look["rejects"]?.count == 30 && look["rejects"]?[0]?["path"]?.string == "login")
    try await trial.run(
      ["try", "people"], environment: ["TMPDIR": "/none"], ends: .cannotCreate, saying: "set TMPDIR"
    )
  }

  @Test("try shows of a list that cannot be read its own answer, not one of the list before it")
  func dead() async throws {
    let stream = "pages: { by: \"single\" }, records: \"docs\", columns: [\"id integer\"]"
    let ended = try await look(
      "\(stream) }, dead: { get: \"/dead\", key: [\"id\"], \(stream)", #"{"docs": [{"id": 1}]}"#)
    #expect(ended.output.contains("dead  https://api.example/dead\n"), "\(ended.everything)")
  }

  /// `trawl try` of a stream, whose every answer is this, but for a page of prose at `/dead`.
  private func look(
    _ stream: String, _ body: String, _ fields: [HeaderField] = []
  ) async throws -> CommandTrial.Ended {
    let path = "\(trial.scratch.path)/things.json5"
    Golden.write(
      """
      { base: "https://api.example", streams: { things: { get: "/things", key: ["id"], \(stream) } } }
      """, to: path)
    let (time, home) = (trial.time, trial.scratch.path)
    let exchange = ScriptedExchange { request, _ in
      .success(
        .json(
          request, request.address.description.hasSuffix("/dead") ? "<html>" : body,
          [HeaderField("Content-Type", "application/json")] + fields, status: 200, at: time.now))
    }
    return try await trial.watch { console in
      await Program.perform(
        ["try", path], Environment(["HOME": home, "TMPDIR": home]), console, nil, time.timekeeper,
        StandIns(exchange: exchange, time: time.timekeeper))
    }
  }

  @Test(
    "try says what is at the places that the job names, and which rule page 1 speaks against",
    arguments: [
      (#"by: "token", to: "?t", next: "header:X-Next""#, "", "the header X-Next  abc"),
      (#"by: "token", to: "?t", next: "header:X-None""#, "", "the header X-None  is not there"),
      (#"by: "after", to: "?a", next: "id""#, "", "the last record's id  3"),
      (numbered, #"total: "word counted""#, "word  is not a count (counted)"),
      (numbered, #"total: "none counted""#, "none  is not there (counted)"),
      (numbered, #"total: "header:X-Next counted""#, "X-Next  is not a count (counted)"),
      (numbered, #"total: "header:X-None counted""#, "X-None  is not there (counted)"),
      (numbered + #", more: "word""#, "", "word  is neither true nor false"),
      (numbered + #", more: "none""#, "", "none  is not there"),
      (numbered + #", lastPage: "many""#, "", "it announces 200,000 pages, and one run"),
      (#"by: "token", to: "?t", next: "n""#, #"order: "at falling""#, #"write order: "at rising""#),
      (numbered + #", lastPage: "header:X-Pages""#, "", "it announces 200,000 pages, and one run"),
      (numbered, #"order: "at falling""#, "page 1 is rising: leave order out"),
      (#"by: "single""#, #"records: "empty""#, #"there is no record, and 3 records at "docs""#),
    ] as [(String, String, String)])
  func places(pages: String, more: String, told: String) async throws {
    let records = more.contains("records") ? "" : "records: \"docs\", "
    let ended = try await look(
      "\(records)pages: { \(pages) }, columns: [\"id integer\", \"at time\"], \(more)",
      #"""
      {"word": "many", "many": 200000, "empty": [], "docs": [{"id": 1, "at": "2024-03-01T00:00:00Z"},
        {"id": 2, "at": "2024-03-02T00:00:00Z"}, {"id": 3, "at": "2024-03-03T00:00:00Z"}]}
      """#,
      [HeaderField("X-Next", "abc"), HeaderField("X-Pages", "200000")].filter {
        (pages + more).contains($0.name)
      })
    #expect(ended.output.contains(told), "\(ended.everything)")
    #expect(!pages.contains("lastPage") || !ended.output.contains("hints at more pages"))
  }

  private static let numbered = #"by: "number", to: "?page", size: "?n=3""#

  @Test("help of a command is what its --help shows")
  func help() async throws {
    let help = try await trial.run(["help", "run"], ends: .complete, showing: "trawl run: ")
    #expect(try await trial.run(["run", "--help"]).output == help.output)
  }

  @Test("search --json gives each record as an object")
  func searches() async throws {
    try await trial.run(["run", "github"] + trial.github, ends: .complete)
    let found = try #require(try await trial.run("search octocat --json").jsonLines.first)
    #expect(found["table"]?.string == "github_users" && found["title"]?.string == "octocat")
  }

  @Test("try says of a long answer that there are more rows than it has read back")
  func longAnswer() async throws {
    let ended = try await look(
      "records: \".\", pages: { by: \"single\" }, columns: [\"id integer\"]",
      "[" + (1...1_001).map { "{\"id\":\($0)}" }.joined(separator: ",") + "]")
    for words in ["1,001 records; at least 1,000 rows of ", "and at least 997 more like these"] {
      #expect(ended.output.contains(words), "\(ended.everything)")
    }
  }

  @Test("check says every problem of a job file with its place, and asks nothing")
  func checkFile() async throws {
    let file = "\(trial.scratch.path)/bad.json5"
    Golden.write("{ name: \"bad\", base: \"http://127.0.0.1/\", strams: {}, }", to: file)
    try await trial.run(
      ["check", file], ends: .configuration, showing: "\(file):1:43: unknown key \"strams\"",
      "a job file needs \"streams\"")
    #expect(trial.sandbox.requests().isEmpty)
  }

  @Test("check --json gives place, problem and cure of each mistake by themselves")
  func checkJSON() async throws {
    let file = "\(trial.scratch.path)/bad.json5"
    Golden.write(
      """
      { base: "http://127.0.0.1/", streams: { things: {
          get: "/things", recods: "items", columns: ["id whole"], pages: { by: "number" } } } }
      """, to: file)
    let ended = try await trial.run(["check", file, "--json"], ends: .configuration)
    let mistakes = try ended.jsonLines
    #expect(mistakes.count >= 3, "\(ended.output)")
    for mistake in mistakes {
      let place =
        [mistake["file"]?.string ?? ""]
        + ["line", "column"].map { name in
          mistake[name]?.integer.map { "\($0)" } ?? ""
        }
      let problem = mistake["problem"]?.string ?? "?"
      let cure = mistake["cure"]?.string
      let parts = [problem] + (cure.map { [$0] } ?? [])
      #expect(
        mistake["text"]?.string
          == "\(place.joined(separator: ":")): \(parts.joined(separator: "; "))")
    }
    let slip = mistakes.first { $0["problem"]?.string == "unknown key \"recods\"" }
    #expect(slip?["cure"]?.string == "did you mean \"records\"?", "\(ended.output)")
    #expect(slip?["line"]?.integer == 2 && slip?["column"]?.integer == 21, "\(ended.output)")
  }

  @Test("check tells an endpoint that answers, one that is ill and one that is not there")
  func checkEndpoint() async throws {
    let market = ["check", "openmarket", "--endpoint", trial.sandbox.endpoint(for: "openmarket")]
    try await trial.run(market, ends: .complete)
    trial.sandbox.arm(ArmedFault(.healthNo, target: "/healthChecker", count: 100))
    try await trial.run(market, ends: .unreachable, showing: "healthChecker")
    trial.sandbox.disarm()
    try await trial.run(
      ["check", "github", "--endpoint", trial.sandbox.endpoint(for: "github")], ends: .complete,
      showing: "clock", "agrees")
    let port = trial.sandbox.port
    trial.sandbox.stop()
    let dead = DeadPort(of: port)
    defer { withExtendedLifetime(dead) {} }
    try await trial.run(
      ["check", "github", "--endpoint", "http://127.0.0.1:\(port)/github"], ends: .unreachable,
      showing: "refused the connection")
  }

  @Test("check tells how far the machine's clock is off, and which way")
  func checkClock() async throws {
    let trial = try CommandTrial(ahead: .seconds(3600))
    try await trial.run(
      ["check", "github", "--endpoint", trial.sandbox.endpoint(for: "github")], ends: .found,
      showing: "behind the endpoint's", "clock is 1 h ")
  }

  @Test("check --print gives the job file's own text")
  func checkPrint() async throws {
    let ended = try await trial.run(
      ["check", "github", "--print"], ends: .complete, showing: "base: \"https://api.github.com\"")
    let file = "\(trial.scratch.path)/again.json5"
    Golden.write(ended.output, to: file)
    try await trial.run(
      ["run", file, "--dry-run", "--endpoint", trial.sandbox.endpoint(for: "github")],
      ends: .complete)
  }

  @Test("check of the machine finds what is wrong in its folders, and changes nothing")
  func checkMachine() async throws {
    let bare = try await trial.run("check")
    #expect(bare.status == .complete && !trial.exists("data"))
    #expect(bare.output.contains("the first run makes it"))
    _ = try await trial.run(["run", "github"] + trial.github)
    let sound = try await trial.run("check", ends: .complete, showing: "of sound structure")
    // About the machine, and about the job that ran here: its secret, endpoint and clock.
    for words in [
      Version.number, "the library that trawl runs with", ", mode ", " free",
      "the write-ahead log has", "\(trial.data)/ledger.db", " known: ",
      "github: none is read for", "github: \(trial.sandbox.origin) answers", "github: agrees",
    ] {
      #expect(sound.output.contains(words), "\(sound.output)")
    }
    chmod(trial.data, 0o777)
    try await trial.run("check", ends: .found, showing: "everyone can write in it")
    Golden.write("this is not a database", to: "\(trial.data)/trawl.db")
    try await trial.run("check", ends: .damaged)
    #expect(Golden.read("\(trial.data)/trawl.db") == "this is not a database")
  }

  @Test("check of the machine says of which jobs and of how many others it has asked no endpoint")
  func manyJobs() async throws {
    trial.keep(job: "job-1", text: "{ base: }")
    let ended = try await trial.watch { console in
      let context = try trial.context(["check"], console: console)
      var list = FindingList("this machine", context)
      let known = (1...KnownJobsCheck.jobsMax + 2).map { number in
        (job: "job-\(number)", origin: "https://api.example")
      }
      await KnownJobsCheck(context: context).check(known, &list)
      return list.status
    }
    for words in [
      "job-1, of https://api.example, is not checked: its job file cannot be used",
      "job-2, of https://api.example, is not checked: its job file is not in a job folder",
      "those of 2 more jobs are not checked",
    ] {
      #expect(ended.output.contains(words), "\(ended.output)")
    }
  }

  @Test("check of the machine lives with a disk that claims more room than can be counted")
  func endlessDisk() {
    #expect(FreeSpace.bytes(UInt(3), of: UInt(4_096)) == 12_288)
    #expect(Wording.bytes(FreeSpace.bytes(UInt.max, of: UInt(4_096))) == "9,223,372,036.9 GB")
  }

  @Test("a favorite that was forgotten is said to come back by no run")
  func forgottenFavorite() async throws {
    _ = try await trial.run(["run", "github"] + trial.github)
    let key = try #require(
      try trial.rows("SELECT id FROM github_users WHERE login <> 'octocat' LIMIT 1").first)
    _ = try await trial.trawl("forget", "github_users", key)
    let words = ["favorite", "add", "github_users", key, "--data", trial.data]
    try await trial.run(
      words, saying: "it was forgotten, and no run stores it",
      trial.advice("trawl forget --undo github_users \(key)"))
  }

  @Test("a reading command falls back on the system's database and says so")
  func systemDatabase() async throws {
    _ = try await trial.run(["run", "github"] + trial.github)
    let own = Environment(["HOME": "\(trial.scratch.path)/home"])
    let reading = try DataLocation.forReading(data: nil, ledger: nil, own, system: trial.data)
    #expect(reading.folder == trial.data && reading.remark?.contains("system's") == true)
    let chosen = try DataLocation.forReading(data: "/nowhere", ledger: nil, own, system: trial.data)
    #expect(chosen.folder == "/nowhere" && chosen.remark == nil)
  }

  @Test(
    "a writing command stops where the system keeps the job, and makes nothing of the person's own",
    arguments: [
      "run github", "backfill github", "backfill github --from 2015-01-01 --to 2015-01-09",
      "favorite add github_users 583231",
    ])
  func systemKeeps(words: String) async throws {
    _ = try await trial.run(["run", "github"] + trial.github)
    let asked = trial.sandbox.requests().count
    let words = words.split(separator: " ").map(String.init)
    let endpoint = ["--endpoint", trial.sandbox.endpoint(for: "github")]
    var request = try trial.context(words + (words[0] == "favorite" ? [] : endpoint))
    request.systemFolder = trial.data
    let context = request
    let line = "sudo trawl --system \(words.prefix { !$0.hasPrefix("--") }.joined(separator: " "))"
    await #expect {
      switch context.invocation.command {
      case .backfill: try await BackfillCommand(context: context).perform()
      case .favorite: try await FavoriteCommand(context: context).perform()
      default: try await RunCommand(context: context).perform()
      }
    } throws: { error in
      let ending = error as? ExitReport
      return ending?.status == .usage
        && ending?.lines.contains { $0.contains("the system keeps github already") } == true
        && ending?.lines.contains { $0.contains(line) } == true
    }
    #expect(trial.sandbox.requests().count == asked)
    #expect(!trial.exists("home/.local/share/trawl"))
  }
}
