import Glibc
import Base
@testable import Commands
import SandboxKit
import Store
import TestSupport
import Testing

/// Watched queries, the ping and programs of a user's settings.
@Suite("What settings do behind a run")
struct WatchTests {
  fileprivate static let query = "SELECT id, login AS title FROM folk_users"

  @Test("gives no link in a feed that is cut: it would lead elsewhere", arguments: [2_000, 2_001])
  func longLink(length: Int) {
    let link = "https://a.example/" + String(repeating: "x", count: length - 18)
    let row = WatchedRow(key: "[1]", content: "{\"title\":\"one\",\"link\":\"\(link)\"}")
    let feed = AtomFeed(job: "j", watch: "w", writtenAt: Instant(seconds: 0), rows: [row]).text
    #expect(feed.contains("<link href=\"\(link)\"/>") == (length == 2_000))
    #expect(feed.contains("<link ") == (length == 2_000) && feed.contains("<title>one</title>"))
  }

  @Test("rows that were there are known; new ones go to report, feed and program, each once")
  func news() async throws {
    let trial = try CommandTrial.folk("")
    trial.sendNews()
    try await trial.run("run folk", ends: .complete)
    #expect(trial.lines("got") == [])
    trial.add(2)
    try await trial.run("run folk", ends: .complete)
    let ids = try trial.deliveries().map { $0["id"]?.string ?? "" }
    #expect(ids.count == 2 && Set(ids).count == 2)
    #expect(ids.allSatisfy { $0.hasPrefix("folk/people/[") })
    #expect(try await trial.report()["watches"]?[0]?["new"]?.integer == 2)
    let feed = Golden.read("\(trial.data)/feeds/folk/people.atom") ?? ""
    #expect(feed.split(separator: "<entry>").count == 3, "\(feed)")
    #expect(feed.contains("<id>tag:trawl.invalid,2026:folk/people/%5B"))
    try await trial.run("run folk", ends: .complete)
    #expect(trial.lines("got").count == 2)
    #expect(Golden.read("\(trial.data)/feeds/folk/people.atom") == feed)
  }

  @Test(
    "each change of a row is a delivery of its own",
    arguments: [
      (
        "also back to what it was before the last change",
        [
          ("1 AS id, 'one' AS title", 0), ("1 AS id, 'two' AS title", 1),
          ("1 AS id, 'one' AS title", 2), ("1 AS id, 'two' AS title", 3),
        ]
      ),
      (
        "of a query that was edited only by the columns that it had before",
        [
          ("1 AS id, 'one' AS title", 0), ("1 AS id, 'one' AS title, 2 AS more", 0),
          ("1 AS id, 2 AS more, 'one' AS title", 0), ("1 AS id, 'one' AS title", 0),
          ("1 AS id, 'two' AS title, 2 AS more", 1), ("1 AS id, 'two' AS title, 3 AS more", 2),
        ]
      ),
      (
        "also beside a row whose key differs in the spelling of a letter",
        (1...3).map {
          ("'caf\u{e9}' AS id, 0 AS title UNION ALL SELECT 'cafe\u{301}', \($0)", $0 - 1)
        }
      ),
    ] as [(String, [(String, Int)])])
  func deliveries(what: String, nights: [(String, Int)]) async throws {
    let trial = try CommandTrial.folk("")
    for (columns, sent) in nights {
      trial.sendNews(of: "SELECT \(columns)")
      trial.time.advance(by: .seconds(60))
      try await trial.run("run folk", ends: .complete)
      let ids = try trial.deliveries().map { $0["id"]?.string ?? "" }
      #expect(ids.count == sent && Set(ids).count == sent, "\(columns): \(ids)")
    }
  }

  @Test("a record that is forgotten leaves feed, report and book, however short its key")
  func forgotten() async throws {
    let ids = Locked([7])
    let server = ScriptedServer { _ in
      let rows = ids.withLock { $0 }.map { #"{"id":\#($0),"name":"n\#($0)"}"# }
      return ScriptedServer.json("[\(rows.joined(separator: ","))]")
    }
    defer { server.stop() }
    let trial = try CommandTrial()
    trial.keep(
      job: "people",
      text: """
        { base: "\(server.origin)", streams: { people: { get: "/people", pages: { by: "single" },
          records: ".", columns: ["id integer", "name"] } } }
        """)
    let query = "SELECT id, name FROM folk_people"
    Golden.write(
      "{ name: \"folk\", use: \"people\", watch: { new: { sql: \"\(query)\" } } }",
      to: trial.file(of: "folk"))
    try await trial.run("run folk")
    ids.withLock { $0 += [8, 9] }
    try await trial.run("run folk")
    func shown() async throws -> [String] {
      let rows = try await trial.report()["watches"]?[0]?["rows"]
      let texts = rows?.elements.map { String(decoding: $0.json, as: UTF8.self) } ?? []
      let feed = Golden.read("\(trial.data)/feeds/folk/new.atom") ?? ""
      return try texts + [feed]
        + trial.rows("SELECT fact FROM trawl_facts WHERE kind = 'watched'")
    }
    func places(of name: String) async throws -> Int {
      try await shown().count { $0.contains(name) }
    }
    #expect(try await places(of: "n8") == 3)
    try await trial.run("forget folk_people 8", ends: .complete)
    #expect(try await places(of: "n8") == 0)
    // The report and the book keep the other row; the next run writes the feed again.
    #expect(try await places(of: "n9") == 2)
    try await trial.run("run folk")
    #expect(trial.exists("data/feeds/folk/new.atom"))
    #expect(try await places(of: "n8") == 0)
  }

  @Test("a program that fails turns the exit code once, no verdict, and gets the rows next time")
  func again() async throws {
    let trial = try CommandTrial.folk("watch: { people: { sql: \"\(Self.query)\" } }")
    _ = try await trial.run("run folk")
    let failing = "watch: { people: { sql: \"\(Self.query)\", send: [\"/nowhere/tell\"] } }"
    trial.settle(failing)
    trial.add(1)
    let failed = try await trial.run("run folk", ends: .less)
    let report = try await trial.report()
    #expect(report["lists"]?[0]?["verdict"]?.string == "complete")
    #expect(
      report["watches"]?[0]?["problem"]?.string?.contains("/nowhere/tell cannot be started")
        == true)
    #expect(report["needs_person"]?.boolean == true)
    #expect(failed.errors.contains("the watch people: "), "\(failed.errors)")
    // Reported once; the rows stay due.
    let again = try await trial.run("run folk")
    #expect(again.status == .complete && !again.errors.contains("the watch"), "\(again.errors)")
    trial.sendNews()
    try await trial.run("run folk", ends: .complete)
    #expect(trial.lines("got").count == 1)
  }

  @Test("a query that never ends is cut at its time")
  func endless() async throws {
    let sql =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    let trial = try CommandTrial.folk("watch: { endless: { sql: \"\(sql)\", within: \"1s\" } }")
    try await trial.run("run folk", ends: .less)
    let report = try await trial.report()
    #expect(
      report["watches"]?[0]?["problem"]?.string == "its query took longer than 1 s")
  }

  @Test(
    "the ping and the program get the run's facts; a pause is a sign of life, a failure is none")
  func hooks() async throws {
    let trial = try CommandTrial.folk("")
    let write = "printf '%s|%s|%s\\\\n' $TRAWL_JOB $TRAWL_EXIT_CODE \\\"$TRAWL_VERDICTS\\\" >> "
    trial.settle(
      """
      after: ["sh", "-c", "\(write)'\(trial.scratch.path)/after'; test -r $TRAWL_REPORT"],
      ping: ["sh", "-c", "echo alive >> '\(trial.scratch.path)/ping'"],
      """)
    let ended = try await trial.run("run folk")
    #expect(ended.status == .complete && !ended.errors.contains("after:"), "\(ended.errors)")
    try await trial.run("run folk --set user=nobody-at-all", ends: .less)
    try await trial.run("run folk --max-requests 0", ends: .paused)
    #expect(trial.lines("after") == ["folk|0|1 complete", "folk|3|1 absent", "folk|75|1 paused"])
    #expect(trial.lines("ping") == ["alive", "alive"])
  }

  @Test("the ping's address is requested once behind a success; one that is gone changes nothing")
  func address() async throws {
    let trial = try CommandTrial.folk("")
    trial.settle("ping: \"\(trial.sandbox.endpoint(for: "github"))/users/octocat\"")
    let before = trial.sandbox.requests(api: "github").count
    try await trial.run("run folk", ends: .complete)
    let asked = trial.sandbox.requests(api: "github").dropFirst(before)
    #expect(asked.last?.target.hasSuffix("/users/octocat") == true)
    #expect(asked.count { !$0.target.contains("followers") } == 1)
    trial.settle("ping: \"http://127.0.0.1:9/secret-uuid\"")
    let gone = try await trial.run(
      "run folk", ends: .complete, saying: "could not be notified of this run")
    #expect(!gone.errors.contains("secret-uuid"))
    trial.settle("ping: \"\(trial.sandbox.endpoint(for: "github"))/users/nobody-at-all\"")
    try await trial.run(
      "run folk", ends: .complete, saying: "could not be notified of this run: it answers 404")
  }

  @Test("a member that comes newly is told once")
  func newFields() async throws {
    let place = ScratchFolder()
    let scratch = try DataFolder(creating: "\(place.path)/data")
    let time = VirtualTime()
    let store = try await RecordStore.open(scratch, RecordStore.Settings(time: time.timekeeper))
    let first = try await store.note(fields: ["a", "b.c"], of: "users", job: "things")
    #expect(first.isFirst && first.new == ["a", "b.c"])
    #expect(try await store.note(fields: ["a"], of: "users", job: "things").new == [])
    let later = try await store.note(fields: ["a", "d"], of: "users", job: "things")
    #expect(!later.isFirst && later.new == ["d"])
    #expect(try await store.note(fields: ["a", "d"], of: "users", job: "things").new == [])
    // All fields had columns: later ones are new.
    _ = try await store.note(fields: [], of: "clubs", job: "things")
    let sudden = try await store.note(fields: ["size"], of: "clubs", job: "things")
    #expect(!sudden.isFirst && sudden.new == ["size"])
    for spelling in ["th\u{e9}", "the\u{301}"] {
      #expect(try await !store.note(fields: [spelling], of: "clubs", job: "things").new.isEmpty)
    }
    let endless = (1...900).map { "x\($0)" }
    _ = try await store.note(fields: endless, of: "users", job: "things")
    #expect(try await store.note(fields: ["y"], of: "users", job: "things").new == [])
    await store.close()
  }

  /// One row more than are watched.
  private static let numbers =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10001) SELECT i FROM n"

  @Test(
    "a query that fails, writes, has no such key, two rows with one, or too many is told once, harms nothing, and calls a person in every command until it is mended",
    arguments: [
      ("SELECT nothing FROM folk_users", "", "the watch people: ", query, ""),
      ("DELETE FROM folk_users", "", "the watch people: ", query, ""),
      (query, ", key: \"nowhere\"", "the watch people: ", query, ""),
      (
        "SELECT 'a' AS site, login FROM folk_users", "", "two rows with the key [\"a\"]",
        "SELECT 'a' AS site, login FROM folk_users", ", key: [\"login\"]"
      ),
      (numbers, "", "more than 10,000 rows", numbers + " ORDER BY i DESC LIMIT 10000", ""),
    ])
  func calls(
    sql: String, key: String, problem: String, mended: String, mendedKey: String
  ) async throws {
    let trial = try CommandTrial.folk("watch: { people: { sql: \"\(sql)\"\(key) } }")
    try await trial.run("run folk", ends: .less, saying: problem)
    let second = try await trial.run("run folk", ends: .complete)
    #expect(!second.errors.contains("the watch"), "\(second.errors)")
    #expect(try await trial.report()["needs_person"]?.boolean == true)
    let status = try await trial.run("status folk --json").json
    #expect(status["needs_person"]?.boolean == true)
    #expect(status["lists"]?[0]?["rows"]?.integer ?? 0 > 0)
    try await trial.run(
      "status folk --alert", ends: .found, showing: "A watch of the settings needs mending")
    trial.settle("watch: { people: { sql: \"\(mended)\"\(mendedKey) } }")
    try await trial.run("run folk", ends: .complete)
    #expect(try await trial.report()["needs_person"]?.boolean == false)
    try await trial.run("status folk --alert", ends: .found, showing: "folk recovered")
  }

  @Test("a program behind each run that fails calls a person until it works; who is pinged notices")
  func brokenHook() async throws {
    let trial = try CommandTrial.folk(
      "after: [\"sh\", \"-c\", \"exit 3\"], ping: [\"sh\", \"-c\", \"exit 3\"]")
    try await trial.run("run folk", ends: .complete, saying: "after: ")
    try await trial.run("status folk --alert", ends: .found, showing: "(`after`) failed")
    #expect(try await trial.run("status folk").output.contains("(`after`) failed"))
    trial.settle("ping: [\"sh\", \"-c\", \"exit 3\"]")
    try await trial.run("run folk", ends: .complete)
    let over = try await trial.run("status folk --alert", ends: .found)
    #expect(over.output.hasPrefix("folk recovered"), "\(over.output)")
    #expect(!(try await trial.run("status folk").output.contains("(`after`) failed")))
  }

  @Test(
    "a copy that cannot be published calls a person in the report and the hook of that run, not of the next"
  )
  func publishing() async throws {
    let trial = try CommandTrial.folk("")
    let after =
      "after: [\"sh\", \"-c\", \"echo $TRAWL_NEEDS_PERSON >> '\(trial.scratch.path)/after'\"]"
    trial.settle("publish: \"\(trial.scratch.path)/shelf/folk.db\", \(after)")
    for isThere in [false, true] {
      if isThere { mkdir("\(trial.scratch.path)/shelf", 0o700) }
      let ended = try await trial.run("run folk")
      #expect(ended.status == (isThere ? .complete : .cannotCreate), "\(ended.everything)")
      #expect(try await trial.report()["needs_person"]?.boolean == !isThere)
      let index = Golden.read("\(trial.data)/reports/index.html") ?? ""
      #expect(index.contains("1 needs you") == !isThere, "\(index.prefix(400))")
    }
    #expect(trial.lines("after") == ["1", "0"])
  }
}

extension CommandTrial {
  /// With a job `folk` that uses `people` with these settings.
  fileprivate static func folk(_ members: String) throws -> CommandTrial {
    let trial = try CommandTrial()
    trial.keep(job: "people")
    trial.settle(members)
    return trial
  }

  fileprivate func settle(_ members: String) {
    keep(job: "folk", text: "{ name: \"folk\", use: \"people\", \(members) }")
  }

  /// Watches a query whose news a program collects in the file `got`.
  fileprivate func sendNews(of sql: String = WatchTests.query) {
    let program = "cat >> '\(scratch.path)/got'"
    settle("watch: { people: { sql: \"\(sql)\", send: [\"sh\", \"-c\", \"\(program)\"] } }")
  }

  /// Adds followers.
  fileprivate func add(_ count: Int) {
    time.advance(by: .seconds(60))
    sandbox.drift("github", insert: count, delete: 0)
  }

  fileprivate func lines(_ file: String) -> [String] {
    (Golden.read("\(scratch.path)/\(file)") ?? "").split(separator: "\n").map(String.init)
  }

  /// What the program of `sendNews` got.
  fileprivate func deliveries() throws -> [JSONValue] {
    try lines("got").map { try JSONDocument.read(Array($0.utf8)).root }
  }

  fileprivate func report() async throws -> JSONValue {
    try await run("report folk --json").json
  }
}
