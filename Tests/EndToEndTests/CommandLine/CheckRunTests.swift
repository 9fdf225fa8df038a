import Base
import Glibc
import TestSupport
import Testing

@Suite("trawl check asks what a run would ask first", .prompt)
struct CheckRunTests {
  private let home = Home()

  /// Four streams of the same form, each with its own path.
  private static func job(_ server: AnswerServer, _ home: Home) -> String {
    let streams = ["books", "empty", "silent", "closed"].map { name in
      "\(name): { get: \"/\(name)\", records: \"items\", key: [\"id\"], "
        + "pages: { by: \"single\" }, columns: [\"id integer\"] },"
    }
    return home.write(
      """
      { name: "shelf", about: "books", base: "\(server.origin)",
        streams: { \(streams.joined(separator: "\n")) } }
      """, to: "shelf.json5")
  }

  private static func server() -> AnswerServer {
    AnswerServer { call in
      switch call.target {
      case "/books": .json("{\"items\": [{\"id\": 1}, {\"id\": 2}]}")
      case "/empty": .json("{\"items\": []}")
      case "/silent": AnswerServer.Reply(status: 204)
      default: .json("{\"message\": \"not for you\"}", status: 403)
      }
    }
  }

  @Test(
    "and ends at the first Ctrl-C, as trawl try does, while a server takes its request and never answers",
    arguments: ["check", "try"])
  func silence(command: String) async throws {
    let asking = Locked<BinaryRun?>(nil)
    let server = ScriptedServer { _ in
      asking.withLock { $0?.kill(SIGINT) }
      return [.hold]
    }
    defer { server.stop() }
    let job = home.write(Shelf.job(base: server.origin), to: "shelf.json5")
    let run = asking.start { home.start([command, job, "--data", home.data]) }
    let ended = await run.end()
    asking.withLock { $0 = nil }
    #expect(ended.status == 128 + SIGINT && server.bytesSent.count == 1, "\(ended)")
    #expect(!ended.everything.holds("is kept"), "\(ended)")
  }

  @Test("and sends nothing where one of its words names no job")
  func unknownWord() async throws {
    let server = Self.server()
    await home.trawl(
      "check", Self.job(server, home), "nosuch", ends: 64, saying: "there is no job \"nosuch\"")
    #expect(server.calls.isEmpty)
  }

  @Test("and says of each stream what was read and what was not, one request each; nothing is kept")
  func asks() async throws {
    let server = Self.server()
    await home.trawl(
      "check", Self.job(server, home), ends: 4,
      saying: "page 1 of its 4 streams, one request each",
      showing: "books: 2 records (HTTP 200", "empty: no record (HTTP 200",
      "silent: no record (HTTP 204",
      "closed was not read (HTTP 403")
    #expect(server.calls.map(\.target).sorted() == ["/books", "/closed", "/empty", "/silent"])
    #expect(!home.holds(home.database))
  }

  @Test("and says how many records of page 1 do not fit: a problem where none does")
  func misfits() async throws {
    let server = AnswerServer { call in
      .json("{\"items\": [\(call.target == "/v1/some" ? "{\"id\": 1}, " : ""){\"id\": [2]}]}")
    }
    for (get, told, status) in [("/some", "1 of 2 records", 0), ("/all", "1 of 1 record", 4)] {
      let job = home.write(Shelf.job(base: server.origin, get: get), to: "shelf.json5")
      await home.trawl(
        "check", job, ends: Int32(status), showing: "books: \(told) does not fit: id: a list",
        home.advice("trawl try \(job)") + " shows them")
    }
  }

  @Test("and nothing where a value is lacking, which --offline only notes, or makes no request")
  func values() async throws {
    let server = Self.server()
    let more = "params: { shop: {}, shelf: [\"a\"] },"
    let job = home.write(
      Shelf.job(base: "\(server.origin)/{shop}", get: "/{shelf}", more: more), to: "shelf.json5")
    await home.trawl("check", job, ends: 64, showing: "needs one value of \"shop\"")
    await home.trawl("check", job, "--offline", ends: 0, showing: "needs one value of \"shop\"")
    await home.trawl(
      "check", job, "--offline", "--set", "shop=acme", "--set", "shelf=..", ends: 64,
      showing: "\"..\" can be no part of the path")
    #expect(server.calls.isEmpty)
  }

  @Test("and names a quota of another job with the same name and other numbers")
  func quotas() async throws {
    let server = AnswerServer { _ in .json("{\"items\": [{\"id\": 1, \"title\": \"One\"}]}") }
    home.makeFolder("\(home.settings)/trawl/jobs")
    func job(_ name: String, _ quota: String, in folder: String) -> String {
      home.write(
        Shelf.job(base: server.origin, name: name, more: "quotas: { all: { \(quota) } },"),
        to: "\(folder)/\(name).json5")
    }
    let own = job("own", "allow: 100, per: \"hour\"", in: home.scratch.path)
    // Two ran here, from wherever, the last with our number; one is found by its name.
    for (name, allow) in [("twin", 50), ("like", 100)] {
      await home.trawl(
        "run", job(name, "allow: \(allow), per: \"hour\"", in: home.scratch.path), ends: 0)
    }
    _ = job("slow", "allow: 100, per: \"minute\"", in: "\(home.settings)/trawl/jobs")
    await home.trawl(
      "check", own, "--offline", ends: 0,
      showing:
        "all is 100 an hour here and 50 an hour in twin: they are counted together, each by its own number",
      "all is 100 an hour here and 100 a minute in slow: they are counted apart")
  }

  /// What is done first, in a shell; `K` is the folder of the user's settings.
  private static let machines: [(line: String, ends: Int32, words: [String])] = [
    ("ln -s /nowhere/at/all \"$D\"", 73, ["a symbolic link that leads nowhere", "--data DIR"]),
    ("ln -s /nowhere/at/all \"$D\"; D=\"$D/in\"", 73, ["a symbolic link that leads nowhere"]),
    ("touch \"$D\"", 73, ["is not a folder"]),
    ("touch \"$D\"; D=\"$D/in\"", 73, ["/in cannot be looked at: Not a directory"]),
    ("D=/proc/self/task", 4, ["only 0 bytes are free", "images are not fetched below 500.0 MB"]),
    ("touch \"$K\"", 78, ["/jobs cannot be read: Not a directory"]),
    (
      "mkdir -p \"$K/jobs\"; echo '{ name: \"bad\" }' > \"$K/jobs/bad.json5\"; "
        + "echo '{ name: \"mine\", use: \"github\" }' > \"$K/jobs/mine.json5\"",
      78, ["/bad.json5:1:1: a job file needs \"base\"", "/mine.json5: 4 streams"]
    ),
    (
      "mkdir -p \"$K/keys\"; cd \"$K/keys\"; chmod 700 .; echo canary > open; echo canary > own; "
        + "chmod 640 open; chmod 600 own; ln -s /nowhere/at/all none",
      77,
      [
        "/open can be read by others", "chmod 600 ", "/own is there, for you alone",
        "/none: No such file or directory",
      ]
    ),
    (
      "mkdir -p \"$K/keys\"; echo canary > \"$K/keys/own\"; chmod 777 \"$K/keys\"", 77,
      ["others can write in its folder (mode 0777); run: chmod 700 "]
    ),
    ("unset HOME XDG_CONFIG_HOME", 0, ["there is no HOME, so no key folder"]),
  ]

  @Test(
    "of the machine names what would stop a run, or let others have a key, with its cure",
    arguments: machines.map { $0.line })
  func machine(line: String) async throws {
    let row = try #require(Self.machines.first { $0.line == line })
    let ended = await home.shell(
      "\(line)\nexec \"$T\" check --data \"$D\"", ["K": "\(home.settings)/trawl"],
      ends: row.ends, without: "canary")
    Words.expect(row.words, in: ended.output, at: #_sourceLocation)
  }

  @Test("of the machine says which endpoints of its jobs are ill, or why they are not asked")
  func endpoints() async throws {
    await home.trawl("favorite", "add", "giphy", "a", ends: 0)
    await home.trawl("check", ends: 0, showing: "none is checked: no job has run here yet")
    let status = Locked(200)
    let server = AnswerServer { _ in
      .json("{\"items\": [{\"id\": 1, \"title\": \"One\"}]}", status: status.withLock { $0 })
    }
    let jobs = "\(home.settings)/trawl/jobs"
    home.makeFolder(jobs)
    for (name, more) in [("shelf", ""), ("ward", "health: \"/health\",")] {
      home.write(
        Shelf.job(base: server.origin, name: name, more: more), to: "\(jobs)/\(name).json5")
    }
    await home.trawl("run", "shelf", "ward", ends: 0)
    let asked = server.calls.count
    await home.trawl(
      "check", "--ca", "/nowhere.pem", ends: 78,
      showing: "shelf: it was not asked: the file of certificates /nowhere.pem (--ca)")
    await home.shell(
      "TMPDIR=/nowhere exec \"$T\" check --data \"$D\"", ends: 73,
      showing: "shelf: it was not asked: ", "set TMPDIR to a folder that can be written")
    #expect(server.calls.count == asked)
    status.withLock { $0 = 503 }
    await home.trawl(
      "check", ends: 69, showing: "shelf: \(server.origin)/v1 answers HTTP 503",
      "ward: \(server.origin)/v1/health is not healthy: it answers 503")
    server.stop()
    await home.trawl(
      "check", ends: 69, showing: "refused the connection",
      "check the network, the address and any proxy")
  }

  @Test("of the machine names a damaged database and a log that grew, with what mends them")
  func database() async throws {
    let server = AnswerServer { _ in .json("{\"items\": [{\"id\": 1, \"title\": \"One\"}]}") }
    let job = home.write(Shelf.job(base: server.origin), to: "shelf.json5")
    await home.trawl("run", job, ends: 0)
    await home.shell(
      #"sqlite3 "$D/trawl.db" 'SELECT count(*) FROM shelf_books' ".shell '$T' check --offline --data '$D'""#,
      ends: 0, showing: "the database is open in sqlite3 (")
    await home.shell(
      "truncate -s 70M \"$D/trawl.db-wal\"; exec \"$T\" check --offline --data \"$D\"", ends: 4,
      showing: "the write-ahead log has grown to 73.4 MB", "the next run shrinks it, unless")
    await home.shell(
      """
      sqlite3 "$D/trawl.db" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
      root=$(sqlite3 "$D/trawl.db" "SELECT rootpage FROM sqlite_schema WHERE name = 'shelf_books'")
      tr '\\0' Z </dev/zero | dd of="$D/trawl.db" bs=4096 seek=$((root - 1)) count=1 conv=notrunc iflag=fullblock
      exec "$T" check --offline --data "$D"
      """, ends: 65, showing: "\(home.database) is damaged: ", "names them all; a backup mends it")
  }

  @Test("and nothing with --offline, which reads the file alone")
  func offline() async throws {
    let server = Self.server()
    await home.trawl("check", Self.job(server, home), "--offline", ends: 0)
    #expect(server.calls.isEmpty)
    // Without a key, too: a build server has none.
    await home.trawl("check", "newsapi", "--offline", ends: 0, showing: "needs a secret")
  }

  @Test("-q is silent on a pause, and on a run that another one keeps from beginning")
  func quiet() async throws {
    let server = Self.server()
    let run = "\"$T\" run \(Self.job(server, home)) --stream books --data \"$D\" -q"
    home.makeFolder("\(home.data)/locks")
    // The lock is another process's while the run begins.
    for line in ["\(run) --max-requests 0", "exec flock \"$D/locks/shelf.lock\" \(run)"] {
      let text = await home.shell(line)
      #expect(text.status == 75 && text.everything.isEmpty, "\(text)")
      let json = await home.shell("\(line) --json")
      #expect(json.status == 75 && json.errors.isEmpty, "\(json)")
    }
  }
}
