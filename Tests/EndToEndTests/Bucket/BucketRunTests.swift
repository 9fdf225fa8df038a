import Base
import Glibc
import SandboxKit
import TestSupport
import Testing

@Suite("A folder in a bucket, by the built program", .prompt)
struct BucketRunTests {
  @Test(
    "is read, proven and gone on with by any machine, and holds what a folder of one machine holds")
  func anyMachine() async throws {
    let sandbox = try Sandbox.small(followers: 40)
    let server = BucketServer()
    let calm = Home()
    await calm.run(calm.arguments("github", sandbox), ends: 0)
    let expected = try calm.tables.logicalDump()
    let (first, second) = (Machine(server), Machine(server))
    let ended = await first.sync(sandbox, ends: 0)
    #expect(!ended.everything.holds(BucketServer.secret))
    #expect(try await second.tables().logicalDump() == expected)
    await second.prove()
    await second.run(["report", "github"], ends: 0)
    await second.run(["status", "github"], ends: 0)
    // Readers claim nothing.
    #expect(server.text("team/github/head")?.holds("\"epoch\":1,") == true)

    sandbox.resetLog()
    await second.sync(sandbox, ends: 0)
    #expect(Asked(sandbox).images.isEmpty, "pictures that are in the bucket are not fetched again")
    #expect(try await first.tables().logicalDump() == expected)
    let reports = server.keys("team/github/reports/github/")
    #expect(reports.count == 4 && server.keys("team/github/reports/index.html").count == 1)
    #expect(server.keys("keys/").count == 1)
    #expect(server.keys("").allSatisfy { !(server.text($0) ?? "").holds(BucketServer.secret) })
    let head = try #require(server.text("team/github/head"))
    #expect(head.holds("\"epoch\":2,") && head.holds("\"until\":null"))
  }

  @Test("keeps each picture once under its digest; they are verified, shown and collected there")
  func pictures() async throws {
    let sandbox = try Sandbox.small(followers: 20)
    let server = BucketServer()
    let (first, second) = (Machine(server), Machine(server))
    await first.sync(sandbox, ends: 0)
    let tables = await second.tables()
    let paths = try tables.texts("SELECT path FROM trawl_media ORDER BY path")
    try #require(paths.count > 5)
    #expect(server.keys("team/github/media/") == paths.map { "team/github/\($0)" })
    let key = try #require(
      try tables.texts("SELECT id FROM github_users WHERE avatar_url IS NOT NULL LIMIT 1").first)
    let shown = await second.run(["media", "path", "github_users", key], ends: 0)
    let file = try #require(shown.output.split(separator: "\n").first.map(String.init))
    #expect(second.home.holds(file) && paths.contains { file.hasSuffix($0) })

    // One is damaged in the bucket, and one is gone; the first machine's cache has both, the second's has none.
    let gone = try #require(paths.dropFirst().first { !file.hasSuffix($0) })
    server.replace("team/github/\(paths[0])", with: "not what it was")
    server.remove("team/github/\(gone)")
    let lacking = try #require(
      try tables.texts("SELECT id FROM github_users_media WHERE avatar_path = '\(gone)'").first)
    await second.run(
      ["media", "path", "github_users", lacking], ends: 4,
      saying: "\(Machine.data)/\(gone) is not there: trawl media verify")
    await second.run(["media", "verify"], ends: 4, showing: "2 mended, 0 lost")
    #expect(server.keys("team/github/media/") == paths.map { "team/github/\($0)" })
    await second.run(["media", "verify"], ends: 0)
    await second.run(["reset", "records", "github", "--yes"], ends: 0)
    await second.run(["media", "gc", "--grace", "0s"], ends: 0)
    let left = await second.run(["media", "gc", "--grace", "0s"], ends: 0)
    #expect(server.keys("team/github/media/") == [], "\(left.output)")
  }

  @Test(
    "of a killed machine is taken over when its lease has ended, and all is there in the end",
    arguments: 0..<2)
  func killed(seed: Int) async throws {
    let sandbox = try Sandbox.small(seed: UInt64(seed), followers: 60, users: 200)
    let calm = Home()
    let text = JobText.unlimited(pageSize: 10)
    await calm.run(calm.arguments(calm.write(text, to: "github.json5"), sandbox), ends: 0)
    let expected = try calm.tables.logicalDump()
    sandbox.resetLog()
    let server = BucketServer()
    let (first, second) = (Machine(server), Machine(server))
    sandbox.arm(ArmedFault(.stallHead, skip: 3 + seed * 4))
    let run = first.start(sandbox, job: first.home.write(text, to: "github.json5"))
    try await until("an answer is held back") { sandbox.isStalled }
    // Another machine is told who holds it, and does nothing.
    let job = second.home.write(text, to: "github.json5")
    await second.sync(
      sandbox, ["--claim-wait", "0s"], job: job, ends: 75, saying: "\(Machine.data) is held by ")
    let waiting = second.start(sandbox, job: job)
    try await until("it waits") {
      waiting.errorsSoFar.holds("waiting for \(Machine.data), held by ")
    }
    waiting.kill(SIGINT)
    let stopped = await waiting.end()
    #expect(stopped.wasSignalled, "\(stopped)")
    #expect(stopped.errors.holds("stopped by a signal while waiting"), "\(stopped)")
    run.kill()
    #expect(await run.end().wasSignalled)
    sandbox.disarm()
    await second.sync(sandbox, job: job, ends: 0)
    #expect(try await first.tables().logicalDump() == expected)
    await first.prove()
  }

  @Test("is given another folder's key once, where two jobs of the API begin together")
  func sharedKey() async throws {
    let sandbox = try Sandbox.small(followers: 10)
    let server = BucketServer()
    let machine = Machine(server)
    let jobs = ["github", "twin"].map {
      machine.home.write(JobText.unlimited(), to: "\($0).json5")
    }
    await machine.home.run(
      ["run", jobs[0], "--endpoint", sandbox.endpoint(for: "github"), "--data", "s3://acme/other"],
      machine.environment, ends: 0)
    let runs = jobs.map { machine.start(sandbox, job: $0) }
    for run in runs {
      let ended = await run.end()
      #expect(ended.status == 0, "\(ended.errors)")
    }
    let fetched = server.requests("GET other/pieces/ledger.db/")
    #expect(!fetched.isEmpty && Set(fetched).count == fetched.count, "\(fetched)")
  }

  @Test("is drained at a signal: what was received is put, and given back")
  func drained() async throws {
    let sandbox = try Sandbox.small(followers: 60)
    let server = BucketServer()
    let (first, second) = (Machine(server, lease: 60), Machine(server, lease: 60))
    let text = JobText.unlimited(pageSize: 10)
    sandbox.arm(ArmedFault(.stallHead, skip: 4))
    let run = first.start(sandbox, job: first.home.write(text, to: "github.json5"))
    try await until("an answer is held back") { sandbox.isStalled }
    await second.run(["status", "github"], ends: 0, showing: "was cut off, or has not ended yet: ")
    run.kill(SIGTERM)
    _ = await run.end()
    #expect(server.text("team/github/head")?.holds("\"until\":null") == true)
    sandbox.disarm()
    #expect(try await first.tables().count("SELECT count(*) FROM trawl_pages") > 0)
    let job = second.home.write(text, to: "github.json5")
    let again = await second.sync(sandbox, job: job, ends: 0)
    #expect(!again.errors.holds("waiting for"))
  }

  @Test("whose store has another clock goes by the store's, and says so")
  func clock() async throws {
    let machine = Machine(BucketServer(clockOff: .seconds(300)))
    await machine.run(
      ["check"], ends: 0, showing: "ahead of this machine's; leases go by the store's")
    await machine.sync(
      try Sandbox.small(followers: 10), ends: 0, saying: "the times are the store's")
    let isAhead = "SELECT began_at > strftime('%Y-%m-%dT%H:%M:%SZ', 'now') FROM trawl_runs"
    #expect(await machine.rows(isAhead) == ["1"])
  }

  @Test("whose store is away for a while is waited for, as long as the lease lives")
  func away() async throws {
    let sandbox = try Sandbox.small(followers: 10)
    let left = Locked(6)
    let server = BucketServer { name in
      guard name.hasPrefix("PUT team/github/pieces/ledger.db") else { return nil }
      return left.withLock { left in
        left -= 1
        return left < 0 ? nil : left % 2 == 0 ? .answerLost : .status(503)
      }
    }
    let machine = Machine(server, lease: 60)
    await machine.sync(sandbox, ends: 0)
    #expect(left.withLock { $0 } < 0)
    await machine.prove()
  }

  @Test(
    "with a setting that cannot be used, which is named: nothing is asked",
    arguments: [
      ("AWS_ENDPOINT_URL_S3", "no address", 78, "it is AWS_ENDPOINT_URL_S3, or "),
      ("AWS_CA_BUNDLE", "/nowhere.pem", 78, "/nowhere.pem (AWS_CA_BUNDLE) cannot be read"),
      ("TRAWL_LEASE", "1", 78, "TRAWL_LEASE is a number of seconds from 2 to 3600"),
      ("XDG_CACHE_HOME", "/dev/null", 74, "keep it elsewhere with CACHE_DIRECTORY, or remove "),
      ("HOME", "", 78, "there is no HOME to keep a cache of s3:// in: set CACHE_DIRECTORY"),
    ] as [(String, String, Int32, String)])
  func setting(name: String, value: String, ends: Int32, words: String) async throws {
    let server = BucketServer()
    var machine = Machine(server)
    if name == "HOME" { machine.environment["XDG_CACHE_HOME"] = "" }
    machine.environment[name] = value
    await machine.run(["status"], ends: ends, saying: words)
    #expect(server.requests("") == [])
  }

  @Test("is refused for a job, an option or a name that cannot be one of a bucket")
  func unfit() async throws {
    let sandbox = try Sandbox.small()
    let server = BucketServer()
    let (machine, base) = (Machine(server), "https://api.example.com")
    let token = """
      auth: {
        to: "header:Authorization Bearer {secret}", secret: { refresh: "shelf-refresh $SHELF_REFRESH" },
        token: {
          post: "/token", form: { grant_type: "refresh_token", refresh_token: "{refresh}" },
          rotates: { refresh: "refresh_token" },
        },
      },
      """
    for (more, words) in [
      (token, "the secret of shelf rotates, so it stays on one machine"),
      ("publish: \"readers.db\",", "give publish an absolute path"),
    ] {
      let job = machine.home.write(Shelf.job(base: base, more: more), to: "shelf.json5")
      await machine.home.run(
        ["run", job, "--data", Machine.data],
        machine.environment.merging(["SHELF_REFRESH": "0123456789"]) { $1 }, ends: 78, saying: words
      )
    }
    let recording = "\(machine.home.scratch.path)/recording"
    await machine.home.run(
      machine.home.arguments("github", sandbox, ["--record", recording]), ends: 0)
    sandbox.resetLog()
    await machine.sync(
      sandbox, ["--replay", recording], ends: 64, saying: "choose a folder of this machine")
    // A name that is none may hold a key.
    await machine.home.run(
      ["status", "--data", "s3://id:canary@acme/team"], machine.environment, ends: 64,
      saying: "not a folder in a bucket, such as s3://bucket/path", without: "canary")
    #expect(server.requests("") == [] && sandbox.requests().isEmpty)
  }

  @Test(
    "without a key, with a wrong one, in a store that knows no conditions or a newer format: nothing is asked"
  )
  func refused() async throws {
    let sandbox = try Sandbox.small()
    let server = BucketServer()
    let machine = Machine(server)
    var wrong = machine
    wrong.environment["AWS_SECRET_ACCESS_KEY"] = "wrong-0815"
    var without = machine
    for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] { without.environment[name] = "" }
    await without.sync(sandbox, ends: 77, saying: "AWS_ACCESS_KEY_ID")
    let ended = await wrong.sync(sandbox, ends: 77)
    #expect(ended.errors.holds("AWS_SECRET_ACCESS_KEY") && !ended.errors.holds("wrong-0815"))
    #expect(!ended.errors.holds("leaked"))
    let data = machine.home.data
    await machine.sync(sandbox, ["--ledger", "\(data)/l"], ends: 64)
    await machine.run(["backup", "\(data)/b.db", "--media"], ends: 64)
    server.ignoreConditions(true)
    await machine.sync(sandbox, ends: 78)
    await machine.run(["check"], ends: 78, showing: "problem")
    server.ignoreConditions(false)
    server.replace("team/github/head", with: "{\"format\":2}")
    await machine.sync(sandbox, ends: 65)
    await machine.run(["status"], ends: 65)
    #expect(server.text("team/github/head") == "{\"format\":2}")
    #expect(sandbox.requests().isEmpty)
    let fresh = BucketServer()
    let other = Machine(fresh)
    let sound = await other.run(["check"], ends: 0)
    #expect(fresh.keys("") == [])
    // The user knows the bucket, but no folder of the cache.
    #expect(sound.output.holds(Machine.data) && !sound.output.holds("/cache/"), "\(sound.output)")
    let status = await other.run(["status"], ends: 0)
    #expect(
      status.errors.holds(Machine.data) && !status.errors.holds("/cache/"), "\(status.errors)")
  }
}
