import Glibc
import SandboxKit
import TestSupport
import Testing

@Suite("One data folder for several programs", .prompt)
struct SharedFolderTests {
  private let home = Home()
  static let rounds = Array(1...(getenv("TRAWL_TORTURE") == nil ? 3 : 20))

  @Test("five jobs start at once on a new folder while others read", arguments: rounds)
  func fiveJobs(round: Int) async throws {
    let sandbox = try Sandbox.small(seed: UInt64(round), followers: 41, users: 120)
    home.makeFolder("\(home.settings)/trawl/jobs")
    let names = (1...5).map { "copy\($0)" }
    for name in names {
      home.write(
        "{ name: \"\(name)\", use: \"github\", params: { user: [\"octocat\"] } }\n",
        to: "\(home.settings)/trawl/jobs/\(name).json5")
    }
    let runs = names.map { home.start(home.arguments($0, sandbox)) }
    let readers = (1...3).map { _ in
      // One that comes and goes while the runs write, from the first instant of the database. It waits as reading
      // programs do: if only shells have the file open, the first to open its log locks it for an instant.
      BinaryRun(
        "/bin/sh",
        [
          "-c",
          "until [ -e \"$0\" ]; do :; done; for i in 1 2 3 4 5 6 7 8 9 10; do "
            + "sqlite3 -readonly -cmd '.timeout 10000' \"$0\" 'SELECT count(*) FROM trawl_pages; "
            + "SELECT * FROM trawl_trust' || exit 9; done", home.database,
        ])
    }
    for run in runs + readers {
      let ended = await run.end()
      #expect(ended.status == 0, "round \(round): \(ended.errors)")
      for word in ["locked", "busy", "malformed"] {
        #expect(!ended.everything.lowercased().holds(word), "\(ended)")
      }
    }
    let followers = try #require(sandbox.truth("github")?.list("followers", of: "octocat")).keys
    for name in names {
      let stored = try home.tables.texts(
        "SELECT follower_id FROM \(name)_follows WHERE user_id = 583231")
      #expect(stored.sorted() == followers.sorted())
    }
    let less = try home.tables.texts(
      "SELECT list || ': ' || verdict || ': ' || why FROM trawl_trust WHERE verdict <> 'complete'")
    #expect(less == [])
    #expect(try home.tables.texts("PRAGMA integrity_check") == ["ok"])
  }

  @Test(
    "somebody who may only read opens the database before, during and after a run and a kill",
    .enabled(if: geteuid() == 0, "only root can ask as another user"))
  func readerWithoutRights() async throws {
    let sandbox = try Sandbox.small()
    await home.run(home.arguments("github", sandbox), ends: 0)
    let reader = Reader(home)
    #expect(await reader.count() == "64\n")

    sandbox.arm(ArmedFault(.stallHead, target: "/followers", count: 20))
    let run = home.start(home.arguments("github", sandbox))
    try await until("the stall") { sandbox.isStalled }
    #expect(await reader.count() == "64\n")
    run.kill()
    #expect(await run.end().wasSignalled)
    #expect(await reader.count() == "64\n")
    sandbox.disarm()
    await home.run(home.arguments("github", sandbox), ends: 0)
    // SQLite itself must say so: a missing tool would prove nothing.
    let refused = await reader.ask("sqlite3 \"$D/trawl.db\" 'DELETE FROM github_users'")
    #expect(refused.holds("readonly database"), "\(refused)")
    #expect(await reader.count() == "64\n")
  }

  /// Another user, in the file's group, without write permission.
  struct Reader {
    let home: Home

    init(_ home: Home) {
      self.home = home
      chmod(home.scratch.path, 0o755)
    }

    /// As in the unit file: the reader is in the folder's group.
    func ask(_ command: String) async -> String {
      await home.shell(
        "setpriv --reuid=65534 --regid=\(getegid()) --clear-groups --bounding-set=-all "
          + "--inh-caps=-all \(command)"
      ).everything
    }

    func count() async -> String {
      await ask("sqlite3 -readonly \"$D/trawl.db\" 'SELECT count(*) FROM github_users'")
    }
  }
}

@Suite("A second run of the same job", .prompt)
struct SecondRunTests {
  private let home = Home()

  @Test("stops at once with 75 and writes nothing")
  func stopsAtOnce() async throws {
    let sandbox = try Sandbox.small()
    sandbox.arm(ArmedFault(.stallHead, target: "/followers", count: 20))
    let run = home.start(home.arguments("github", sandbox))
    try await until("the stall") { sandbox.isStalled }
    // The first run may still store images, which must end before the comparison.
    try await until("images at rest") {
      try home.count("trawl_media_urls WHERE digest IS NULL") == 0
    }
    // Frozen, with its lock: any change now is the second run's.
    run.kill(SIGSTOP)
    let asked = sandbox.requests().count
    let before = await Self.everyByte(home)
    await home.run(
      home.arguments("github", sandbox), ends: 75, saying: "another command is at work on github",
      "\(run.processID)")
    #expect(await Self.everyByte(home) == before)
    #expect(sandbox.requests().count == asked)
    run.kill()
    _ = await run.end()
  }

  /// All files except the log's index, which readers write too.
  private static func everyByte(_ home: Home) async -> String {
    await home.shell(
      "cd \"$D\" && find . -type f ! -name '*-shm' -exec sha256sum {} + | sort"
    ).output
  }

  @Test("of two that start at the same instant exactly one runs", arguments: 1...3)
  func exactlyOne(round: Int) async throws {
    let sandbox = try Sandbox.small(followers: 20, users: 60)
    // The winner is held until both have decided.
    sandbox.arm(ArmedFault(.stallHead, target: "/followers", count: 20))
    let runs = (1...2).map { _ in home.start(home.arguments("github", sandbox)) }
    try await until("one of them has ended") { runs.contains { $0.hasEnded } }
    try await until("the other stalls") { sandbox.isStalled }
    let loser = runs.first { $0.hasEnded }
    #expect(runs.filter(\.hasEnded).count == 1)
    #expect(await loser?.end().status == 75)
    for run in runs where run.processID != loser?.processID {
      run.kill()
      _ = await run.end()
    }
  }
}
