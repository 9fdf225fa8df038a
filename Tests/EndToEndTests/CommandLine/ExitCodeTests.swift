import Glibc
import SandboxKit
import TestSupport
import Testing

/// The exit codes of a run that is no success, but for 69, which is in CauseTests; TruthTests have those that are.
@Suite("Exit codes of a run", .prompt)
struct ExitCodeTests {
  private let home = Home()

  @Test("1: some list failed, and the next run mends it")
  func failed() async throws {
    let sandbox = try Sandbox.small()
    // A redirect that is not followed is no temporary failure, so it is not retried.
    sandbox.arm(ArmedFault(.redirectGopher, target: "/followers", count: 1000))
    await home.run(home.arguments("github", sandbox), ends: 1)
    let verdicts = try home.tables.verdicts()
    #expect(verdicts["followers of octocat"] == "failed")
    #expect(verdicts["profile of octocat"] == "complete")
    sandbox.disarm()
    await home.run(home.arguments("github", sandbox), ends: 0)
    try TruthTests.expectTruth(of: sandbox, in: home)
  }

  private static let auth = #"auth: { to: "header:X-Key", secret: "shelf-key $SHELF_KEY" },"#

  @Test(
    "77: the API refuses the key, by its status, by its body, or in the health check",
    arguments: ["401", "403", "body", "health"])
  func key(way: String) async throws {
    let server = AnswerServer { call in
      if way == "health", call.target != "/v1/health" { return .json("{}") }
      return .json(#"{"code":"badKey"}"#, status: way == "body" ? 400 : way == "403" ? 403 : 401)
    }
    let more = """
      \(Self.auth) \(way == "health" ? "health: \"/health\"," : "")
      errors: [{ where: "code", is: "badKey", \(way == "body" ? "" : "status: 418, ")then: "key" }],
      """
    let job = home.write(Shelf.job(base: server.origin, more: more), to: "shelf.json5")
    for more in [[], ["--json"]] {
      let ended = await home.run(
        ["run", job, "--data", home.data] + more, ["SHELF_KEY": "0123456789abcdef"], ends: 77,
        saying: "shelf: failed: ")
      #expect(more.isEmpty == ended.errors.holds(home.advice("trawl key \(job)")))
    }
    #expect(server.calls.count == 2, "it is asked once in each run")
  }

  @Test("77: a refused key that is used before a stored one is named by where it came from")
  func variable() async throws {
    let server = AnswerServer { _ in .json(#"{"code":"badKey"}"#, status: 401) }
    let job = home.write(Shelf.job(base: server.origin, more: Self.auth), to: "shelf.json5")
    let words = "the key came from $SHELF_KEY, which is used before a stored one"
    await home.trawl(
      "run", job, "--send-key-to", server.origin, with: ["SHELF_KEY": "0123456789abcdef"], ends: 77,
      saying: words)
    await home.trawl("status", "shelf", showing: words)
  }

  @Test(
    "74: no thread can be started, or no file may be as long as it must be; no bug, and no hang")
  func limits() async throws {
    // Stacks of 1 GB in an address space of 2 GB.
    await home.shell(
      "ulimit -s 1000000; ulimit -v 2000000; exec \"$T\" version", ends: 74, saying: "TasksMax=")
    let sandbox = try Sandbox.small()
    await home.shell(
      "ulimit -f 100; exec \"$T\" run github --endpoint $E --data \"$D\"",
      ["E": sandbox.endpoint(for: "github")], ends: 74, saying: "ulimit -f")
  }

  @Test(
    "a folder on a file system that can only be read is read and copied, and who must write says why",
    .enabled(if: SmallDisk.isPossible, "this process may not mount"))
  func readOnly() async throws {
    let sandbox = try Sandbox.small()
    await home.run(home.arguments("github", sandbox), ends: 0)
    let line = """
      unshare --mount --propagation private sh -c '
        mount --bind "$D" "$D" && mount -o remount,ro,bind "$D" || exit 99
        $T media gc --data "$D"; echo "gc $?"
      '
      rm -f "$D"/*.db-wal "$D"/*.db-shm
      unshare --mount --propagation private sh -c '
        mount --bind "$D" "$D" && mount -o remount,ro,bind "$D" || exit 99
        $T status --data "$D" >&2; echo "status $?"
        $T prove --data "$D" >&2; echo "prove $?"
        $T check --offline --data "$D" >&2; echo "check $?"
        $T backup "$D-copy.db" --data "$D"; echo "backup $?"
        $T reset progress github --yes --data "$D"; echo "reset $?"
      '
      """
    await home.shell(
      line, saying: "the file system can only be read", showing: "\nstatus 0\n", "\nprove 0\n",
      "\ncheck 0\n", "\nbackup 0\n", "\nreset 74\n", "gc 74\n", "all proved; with the quotas")
  }

  @Test("3: a reject is told when it is new, and not again")
  func less() async throws {
    let server = AnswerServer { _ in
      .json("{\"items\":[{\"id\":1,\"title\":\"a\"},{\"id\":\"x\",\"title\":\"b\"}]}")
    }
    let job = home.write(Shelf.job(base: server.origin), to: "shelf.json5")
    // A log says why, with --json too.
    await home.trawl("run", job, "--json", ends: 3, saying: "shelf: less than expected: ")
    #expect(try home.tables.texts("SELECT id FROM shelf_books") == ["1"])
    #expect(try home.count("trawl_rejects") == 1)
    await home.trawl("run", job, ends: 0)
  }

  @Test("64: nothing of what was named could be requested, and the cure is named")
  func idle() async throws {
    let server = AnswerServer { _ in .json("{}") }
    let place = ["--endpoint", server.origin, "--data", home.data]
    await home.run(
      ["run", "github", "--stream", "search"] + place, ends: 64,
      saying: home.advice("trawl run github --stream search --set words=WORDS"))
    for (job, line) in [
      ("crossref", "--set filter=FILTER"), ("stackexchange", "--set tag=TAG"),
      ("mastodon", "--set user=USER, or --set tag=TAG"),
    ] {
      await home.run(
        ["run", job] + place, ends: 64,
        saying: "\(job) needs a value: " + home.advice("trawl run \(job) \(line)"))
    }
    let status = await home.trawl("status", showing: "stackexchange")
    for line in status.output.pieces(around: "\n") where line.holds("stackexchange") {
      let advice = home.advice("trawl run stackexchange --set tag=TAG")
      #expect(line.holds("idle") && line.holds(advice), "\(line)")
    }
    await home.run(
      ["backfill", "github", "--set", "words=swift", "--from", "2130-01-01", "--to", "2131-01-01"]
        + place, ends: 64, saying: "future")
    #expect(server.calls.isEmpty)
    // A name without a job is a mistake; a job that has not run yet is not.
    await home.trawl("status", "githup", ends: 64, saying: "did you mean \"github\"?")
    await home.trawl("status", "giphy", ends: 0)
  }

  @Test(
    "65: a newer, foreign or damaged database is left as it is",
    arguments: [
      "sqlite3 \"$D/trawl.db\" 'PRAGMA user_version = 999'",
      "rm -f \"$D\"/trawl.db*; sqlite3 \"$D/trawl.db\" 'CREATE TABLE mine (a); INSERT INTO mine VALUES (1)'",
      "rm -f \"$D\"/trawl.db*; yes 'not a database' | head -c 8192 > \"$D/trawl.db\"",
      "rm -f \"$D\"/trawl.db-*; truncate -s 50 \"$D/trawl.db\"",
      // All its pages but the first.
      "tr '\\0' Z </dev/zero | dd of=\"$D/trawl.db\" bs=4096 seek=1 conv=notrunc iflag=fullblock "
        + "count=$(($(stat -c %s \"$D/trawl.db\") / 4096 - 1))",
    ])
  func damaged(spoil: String) async throws {
    let sandbox = try Sandbox.small(followers: 10, users: 30)
    await home.run(home.arguments("github", sandbox), ends: 0)
    await home.shell(
      "sqlite3 \"$D/trawl.db\" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null; \(spoil)", ends: 0)
    let before = await Self.sum(home)
    let mark = sandbox.lastRequest
    await home.run(home.arguments("github", sandbox), ends: 65, saying: "trawl.db")
    #expect(await Self.sum(home) == before)
    #expect(sandbox.lastRequest == mark)
  }

  @Test("65: a ledger that is none of ours is left as it is")
  func damagedLedger() async throws {
    let sandbox = try Sandbox.small(followers: 10, users: 30)
    let text = String(repeating: "no ledger\n", count: 500)
    let ledger = home.write(text, to: "ledger.db")
    await home.run(home.arguments("github", sandbox, ["--ledger", ledger]), ends: 65)
    #expect(Golden.read(ledger) == text)
    #expect(sandbox.requests().isEmpty)
  }

  private static func sum(_ home: Home) async -> String {
    await home.shell("sha256sum \"$D/trawl.db\"").output
  }

  @Test("75: a budget of requests is a pause, and the same command resumes it")
  func paused() async throws {
    let sandbox = try Sandbox.small(followers: 60, users: 150)
    let job = home.write(JobText.unlimited(pageSize: 10), to: "github.json5")
    await home.run(home.arguments(job, sandbox, ["--max-requests", "5"]), ends: 75)
    #expect(Asked(sandbox).api.count == 5)
    #expect(try home.tables.verdicts()["followers of octocat"] == "paused")
    await home.run(home.arguments(job, sandbox), ends: 0)
    #expect(Asked.repeated(Asked(sandbox).api).isEmpty)
    try TruthTests.expectTruth(of: sandbox, in: home)
  }

  @Test("77: a secret that the job needs is missing")
  func secretMissing() async throws {
    await home.trawl("run", "newsapi", ends: 77, saying: home.advice("trawl key newsapi"))
    #expect(!home.holds(home.data))
  }

  @Test("78: a job file with a slip is refused with its place, before any request")
  func slip() async throws {
    let sandbox = try Sandbox.small(followers: 10, users: 30)
    let base = "base: \"https://api.github.com\""
    let job = home.write(
      JobText.shipped("github", [(base, "base: \"ftp://api.github.com\"")]), to: "github.json5")
    let line = JobText.github.pieces(around: base)[0].pieces(around: "\n").count
    await home.run(home.arguments(job, sandbox), ends: 78, saying: "\(job):\(line):9: base")
    #expect(sandbox.requests().isEmpty && !home.holds(home.data))
  }

  @Test("78: another origin than the one that the folder's rows came from")
  func otherOrigin() async throws {
    let sandbox = try Sandbox.small(followers: 10, users: 30)
    await home.run(home.arguments("github", sandbox), ends: 0)
    // It stops before any request: the name does not resolve.
    let elsewhere = "https://github.invalid"
    await home.trawl(
      "run", "github", "--endpoint", elsewhere, ends: 78, saying: sandbox.origin, elsewhere,
      "--data")
  }
}

/// A job with one list; most of these tests only change its pages.
enum Shelf {
  /// - Parameters:
  ///   - more: members of the job before its stream.
  ///   - list: members of its list.
  static func job(
    base: String, pages: String = "by: \"single\"", name: String = "shelf",
    stream: String = "books", get: String = "/books",
    columns: String = allColumns, list: String = "", more: String = ""
  ) -> String {
    """
    {
      name: "\(name)", base: "\(base)/v1", \(more)
      streams: {
        \(stream): {
          get: "\(get)", pages: { \(pages) }, records: "items", into: "books", key: ["id"], \(list)
          columns: { \(columns) },
        },
      },
    }

    """
  }

  private static let allColumns = """
    id: "id as integer", title: "title", price: "price as real", made: "made as time",
    more: "more as json",
    """
}
