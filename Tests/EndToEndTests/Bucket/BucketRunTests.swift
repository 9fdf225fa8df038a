import Base
import Glibc
import SandboxKit
import TestSupport
import Testing

@Suite("A folder in a bucket, by the built program", .prompt)
struct BucketRunTests {
  private static let data = "s3://acme/team/github"

  /// A separate machine: a home that shares nothing with the others.
  private func machine(_ server: BucketServer, lease: Int = 3) -> (Home, [String: String]) {
    let home = Home()
    var environment = server.environment
    environment["XDG_CACHE_HOME"] = "\(home.scratch.path)/cache"
    environment["TRAWL_LEASE"] = "\(lease)"
    return (home, environment)
  }

  private func arguments(_ sandbox: Sandbox, _ more: [String] = [], job: String = "github")
    -> [String]
  {
    ["run", job, "--endpoint", sandbox.endpoint(for: "github"), "--data", Self.data] + more
  }

  /// The database as a reader on that machine finds it.
  private func tables(_ home: Home, _ environment: [String: String]) async -> Tables {
    let path = await home.run(["path", "--data", Self.data], environment, ends: 0)
    return Tables(path: path.output.split(separator: "\n").last.map(String.init) ?? "")
  }

  /// By the program, and by the checker that shares no code with it.
  private func prove(_ home: Home, _ environment: [String: String]) async {
    let ended = await home.start(["prove", "--data", Self.data], environment).end()
    #expect(ended.status == 0, "\(ended.output) \(ended.errors)")
    let path = await tables(home, environment).path
    do {
      let findings = try await IndependentChecker.findings(in: [path])
      #expect(findings[path]?.isEmpty == true, "\(findings)")
    } catch {
      Issue.record("check.py: \(error)")
    }
  }

  @Test(
    "is read, proven and gone on with by any machine, and holds what a folder of one machine holds")
  func anyMachine() async throws {
    let sandbox = try Sandbox.small(followers: 40)
    let server = BucketServer()
    let calm = Home()
    await calm.run(calm.arguments("github", sandbox), ends: 0)
    let expected = try Tables(calm).logicalDump()
    let (first, one) = machine(server)
    let (second, two) = machine(server)
    let ended = await first.run(arguments(sandbox), one, ends: 0)
    #expect(!ended.errors.holds(BucketServer.secret) && !ended.output.holds(BucketServer.secret))
    #expect(try await tables(second, two).logicalDump() == expected)
    await prove(second, two)
    await second.run(["report", "github", "--data", Self.data], two, ends: 0)
    await second.run(["status", "github", "--data", Self.data], two, ends: 0)
    // Readers claim nothing.
    #expect(server.text("team/github/head")?.holds("\"epoch\":1,") == true)

    sandbox.resetLog()
    await second.run(arguments(sandbox), two, ends: 0)
    #expect(Asked(sandbox).images.isEmpty, "pictures that are in the bucket are not fetched again")
    #expect(try await tables(first, one).logicalDump() == expected)
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
    let (first, one) = machine(server)
    let (second, two) = machine(server)
    await first.run(arguments(sandbox), one, ends: 0)
    let tables = await tables(second, two)
    let paths = try tables.texts("SELECT path FROM trawl_media ORDER BY path")
    try #require(paths.count > 5)
    #expect(server.keys("team/github/media/") == paths.map { "team/github/\($0)" })
    let key = try #require(
      try tables.texts("SELECT id FROM github_users WHERE avatar_url IS NOT NULL LIMIT 1").first)
    let shown = await second.run(
      ["media", "path", "github_users", key, "--data", Self.data], two, ends: 0)
    let file = try #require(shown.output.split(separator: "\n").first.map(String.init))
    #expect(second.holds(file) && paths.contains { file.hasSuffix($0) })

    // One is damaged in the bucket, and one is gone; the first machine's cache has both, the second's has none.
    server.replace("team/github/\(paths[0])", with: "not what it was")
    server.remove("team/github/\(paths[1])")
    await second.run(
      ["media", "verify", "--data", Self.data], two, ends: 4, showing: "2 mended, 0 lost")
    #expect(server.keys("team/github/media/") == paths.map { "team/github/\($0)" })
    await second.run(["media", "verify", "--data", Self.data], two, ends: 0)
    await second.run(["reset", "records", "github", "--yes", "--data", Self.data], two, ends: 0)
    await second.run(["media", "gc", "--grace", "0s", "--data", Self.data], two, ends: 0)
    let left = await second.run(
      ["media", "gc", "--grace", "0s", "--data", Self.data], two, ends: 0)
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
    let expected = try Tables(calm).logicalDump()
    sandbox.resetLog()
    let server = BucketServer()
    let (first, one) = machine(server)
    let (second, two) = machine(server)
    sandbox.arm(ArmedFault(.stallHead, skip: 3 + seed * 4))
    let run = first.start(arguments(sandbox, job: first.write(text, to: "github.json5")), one)
    try await until("an answer is held back") {
      sandbox.requests().contains { $0.outcome == "stall-head" }
    }
    // Another machine is told who holds it, and does nothing.
    let job = second.write(text, to: "github.json5")
    await second.run(
      arguments(sandbox, ["--claim-wait", "0s"], job: job), two, ends: 75,
      saying: "\(Self.data) is held by ")
    run.kill()
    #expect(await run.end().wasSignalled)
    sandbox.disarm()
    await second.run(arguments(sandbox, job: job), two, ends: 0)
    #expect(try await tables(first, one).logicalDump() == expected)
    await prove(first, one)
  }

  @Test("is drained at a signal: what was received is put, and given back")
  func drained() async throws {
    let sandbox = try Sandbox.small(followers: 60)
    let server = BucketServer()
    let (home, environment) = machine(server, lease: 60)
    let job = home.write(JobText.unlimited(pageSize: 10), to: "github.json5")
    sandbox.arm(ArmedFault(.stallHead, skip: 4))
    let run = home.start(arguments(sandbox, job: job), environment)
    try await until("an answer is held back") {
      sandbox.requests().contains { $0.outcome == "stall-head" }
    }
    run.kill(SIGTERM)
    _ = await run.end()
    #expect(server.text("team/github/head")?.holds("\"until\":null") == true)
    sandbox.disarm()
    #expect(try await tables(home, environment).count("SELECT count(*) FROM trawl_pages") > 0)
    let (other, two) = machine(server, lease: 60)
    let again = await other.run(
      arguments(sandbox, job: other.write(JobText.unlimited(pageSize: 10), to: "github.json5")),
      two,
      ends: 0)
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
    let (home, environment) = machine(server, lease: 60)
    await home.run(arguments(sandbox), environment, ends: 0)
    #expect(left.withLock { $0 } < 0)
    await prove(home, environment)
  }

  @Test("that cannot be put is never told as complete")
  func notPut() async throws {
    let sandbox = try Sandbox.small(followers: 10)
    let server = BucketServer { name in
      name.hasPrefix("PUT team/github/pieces/trawl.db") ? .status(500) : nil
    }
    let (home, environment) = machine(server)
    let ended = await home.run(arguments(sandbox), environment, ends: 69)
    #expect(!(ended.errors + ended.output).holds("complete"), "\(ended.errors)")
    #expect(server.keys("team/github/reports/") == [])
    let json = await home.run(arguments(sandbox, ["--json"]), environment, ends: 69)
    #expect(!json.output.holds("complete"), "\(json.output)")
  }

  @Test(
    "without a key, with a wrong one, in a store that knows no conditions or a newer format: nothing is asked"
  )
  func refused() async throws {
    let sandbox = try Sandbox.small()
    let server = BucketServer()
    let (home, right) = machine(server)
    let none = right.merging(["AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""]) { $1 }
    await home.run(arguments(sandbox), none, ends: 77, saying: "AWS_ACCESS_KEY_ID")
    let wrong = right.merging(["AWS_SECRET_ACCESS_KEY": "wrong-0815"]) { $1 }
    let ended = await home.run(arguments(sandbox), wrong, ends: 77)
    #expect(ended.errors.holds("AWS_SECRET_ACCESS_KEY") && !ended.errors.holds("wrong-0815"))
    #expect(!ended.errors.holds("leaked"))
    await home.run(arguments(sandbox, ["--ledger", "\(home.data)/l"]), right, ends: 64)
    await home.run(
      ["backup", "\(home.data)/b.db", "--media", "--data", Self.data], right, ends: 64)
    server.ignoreConditions(true)
    await home.run(arguments(sandbox), right, ends: 78)
    await home.run(["check", "--data", Self.data], right, ends: 78, showing: "problem")
    server.ignoreConditions(false)
    server.replace("team/github/head", with: "{\"format\":2}")
    await home.run(arguments(sandbox), right, ends: 65)
    await home.run(["status", "--data", Self.data], right, ends: 65)
    #expect(server.text("team/github/head") == "{\"format\":2}")
    #expect(sandbox.requests().isEmpty)
    let fresh = BucketServer()
    let (other, two) = machine(fresh)
    let sound = await other.run(["check", "--data", Self.data], two, ends: 0)
    #expect(fresh.keys("") == [])
    // The user knows the bucket, but no folder of the cache.
    #expect(sound.output.holds(Self.data) && !sound.output.holds("/cache/"), "\(sound.output)")
    let status = await other.run(["status", "--data", Self.data], two, ends: 0)
    #expect(status.errors.holds(Self.data) && !status.errors.holds("/cache/"), "\(status.errors)")
  }
}
