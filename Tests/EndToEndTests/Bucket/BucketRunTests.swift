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
    #expect(!ended.errors.holds(BucketServer.secret) && !ended.output.holds(BucketServer.secret))
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
    server.replace("team/github/\(paths[0])", with: "not what it was")
    server.remove("team/github/\(paths[1])")
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

  @Test("that cannot be put is never told as complete")
  func notPut() async throws {
    let sandbox = try Sandbox.small(followers: 10)
    let server = BucketServer { name in
      name.hasPrefix("PUT team/github/pieces/trawl.db") ? .status(500) : nil
    }
    let machine = Machine(server)
    let ended = await machine.sync(sandbox, ends: 69)
    #expect(!(ended.errors + ended.output).holds("complete"), "\(ended.errors)")
    #expect(server.keys("team/github/reports/") == [])
    let json = await machine.sync(sandbox, ["--json"], ends: 69)
    #expect(!json.output.holds("complete"), "\(json.output)")
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
