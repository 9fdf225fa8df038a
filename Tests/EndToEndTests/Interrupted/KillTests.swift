import Glibc
import SandboxKit
import TestSupport
import Testing

@Suite("A run that is killed", .prompt)
struct KillTests {
  /// A quarter of what `TRAWL_TORTURE` runs: parallel trials of three kills each.
  static let trials: [Int] = Torture.seeds(plain: 2, long: 17).map { Int($0) + 1 }
  static let killsOfTrial = 3
  /// How often a kill is repeated if the run has already finished.
  static let triesMax = 12

  @Test(
    "goes on to the same tables, and asks only what was in flight again", arguments: trials, [1, 4])
  func anyInstant(seed: Int, atOnce: Int) async throws {
    var random = SeededRandom(seed: UInt64(seed))
    let sandbox = try Sandbox.small(seed: UInt64(seed), followers: 90, users: 300)
    let calm = Home()
    let text = JobText.unlimited(pageSize: 10, [("quotas: {", "atOnce: \(atOnce), quotas: {")])
    await calm.run(calm.arguments(calm.write(text, to: "github.json5"), sandbox), ends: 0)
    let expected = try calm.tables.logicalDump()
    let calmRequests = sandbox.requests().count

    sandbox.resetLog()
    let home = Home()
    let job = home.write(text, to: "github.json5")
    var kills = 0
    for _ in 0..<Self.triesMax where kills < Self.killsOfTrial {
      // One answer is delayed, so that the run still works at the kill; and no kill leaves nothing for the next.
      let seen = sandbox.lastRequest
      let left = max(calmRequests - sandbox.requests().count, 1)
      let more = Int(random.next() % UInt64(left)) / (Self.killsOfTrial - kills + 1)
      sandbox.disarm()
      sandbox.arm(ArmedFault(.stallHead, skip: more + Int(random.next() % 3)))
      let pause = Duration.microseconds(Int(random.next() % 20_000))
      let run = home.start(home.arguments(job, sandbox))
      try await until("\(more) more requests, or the answer held back") {
        let new = sandbox.requests(since: seen)
        return new.count > more || new.contains { $0.outcome == "stall-head" } || run.hasEnded
      }
      // Any instant is right: the kill must come at an arbitrary one.
      try await Task.sleep(for: pause)
      run.kill()
      let end = await run.end()
      if end.wasSignalled { kills += 1 }
      try await Self.expectSoundFolder(home, afterKill: true)
    }
    #expect(kills == Self.killsOfTrial)
    sandbox.disarm()
    await home.run(home.arguments(job, sandbox), ends: 0)
    let dump = try home.tables.logicalDump()
    #expect(
      dump == expected,
      "seed \(seed): \(Set(dump).symmetricDifference(expected).sorted().prefix(6))")
    try await Self.expectSoundFolder(home, afterKill: false)

    // Those in flight, and the one whose answer was being stored; for images see ImageKillTests.
    let twice = Asked.repeated(Asked(sandbox).api, walks: kills + 1)
    #expect(twice.values.reduce(0, +) <= kills * (atOnce + 1), "seed \(seed): \(twice)")
  }

  /// The images of a folder, each of which must be named by its digest.
  static func namedFiles(
    in home: Home, _ place: SourceLocation = #_sourceLocation
  ) async -> [String] {
    let sums = await home.shell(
      "cd \"$D\" && find media -type f -not -path '*/.aside/*' -not -path '*/.tmp/*' "
        + "-exec sha256sum {} +")
    return sums.output.split(separator: "\n").map { line in
      let path = line.drop { $0 != "m" }
      let name = path.split(separator: "/").last ?? ""
      #expect(name.hasPrefix(line.prefix(64)), "\(line)", sourceLocation: place)
      return String(path)
    }
  }

  /// Every file matches its name, every row has its file; and after a run that was not killed there is no unfinished
  /// file.
  static func expectSoundFolder(
    _ home: Home, afterKill: Bool, at place: SourceLocation = #_sourceLocation
  ) async throws {
    // Before its first page a run that was killed has no database.
    guard home.holds(home.database) || !afterKill else { return }
    let files = Set(await namedFiles(in: home, place))
    let paths = try Set(home.tables.texts("SELECT path FROM trawl_media"))
    #expect(paths.isSubset(of: files), sourceLocation: place)
    #expect(try home.tables.texts("PRAGMA integrity_check") == ["ok"], sourceLocation: place)
    guard !afterKill else { return }
    #expect(paths == files, sourceLocation: place)
    let left = await home.shell("find \"$D\" -path '*/.tmp/*' -type f; ls -A \"$D\"").output
    #expect(!left.holds(".tmp/") && !left.holds(".partial"), "\(left)", sourceLocation: place)
  }
}

@Suite("A run that is asked to end", .prompt)
struct SignalTests {
  private let home = Home()

  @Test(
    "commits the page in hand, dies of the signal, and the next run goes on",
    arguments: [SIGTERM, SIGINT], [1, 2, 3])
  func anyInstant(signal: Int32, seed: Int) async throws {
    let atOnce = seed == 3 ? 4 : 1
    var random = SeededRandom(seed: UInt64(seed) &* 77 &+ UInt64(signal))
    let sandbox = try Sandbox.small(seed: UInt64(seed), followers: 90, users: 300)
    let text = JobText.unlimited(pageSize: 10, [("quotas: {", "atOnce: \(atOnce), quotas: {")])
    let job = home.write(text, to: "github.json5")
    // One page is delayed, so that the run still works at the signal.
    sandbox.arm(ArmedFault(.stallHead, target: "/followers?", skip: 8))
    let run = home.start(home.arguments(job, sandbox))
    let count = 1 + Int(random.next() % 40)
    try await until("\(count) requests") { sandbox.requests().count >= count }
    run.kill(signal)
    let ended = await run.end()
    #expect(ended.wasSignalled && ended.status == 128 + signal, "\(ended.status) \(ended.errors)")
    // Everything that was answered in full is kept: no page is requested again.
    sandbox.disarm()
    await home.run(home.arguments(job, sandbox), ends: 0)
    try TruthTests.expectTruth(of: sandbox, in: home)
    let twice = Asked.repeated(Asked(sandbox).api, walks: 2)
    #expect(twice.isEmpty, "\(twice)")
    try await KillTests.expectSoundFolder(home, afterKill: false)
  }

  /// Far longer than it takes, but shorter than the retries of a stalled request.
  @Test(
    "ends although an answer does not come", .timeLimit(.minutes(10)), arguments: [SIGTERM, SIGINT])
  func stalled(signal: Int32) async throws {
    let sandbox = try Sandbox.small()
    sandbox.arm(ArmedFault(.stallHead, target: "/following"))
    let run = home.start(home.arguments("github", sandbox))
    try await until("the stall") { sandbox.isStalled }
    run.kill(signal)
    let ended = await run.end()
    #expect(ended.wasSignalled && ended.status == 128 + signal, "\(ended.status) \(ended.errors)")
    #expect(try home.tables.verdicts()["followers of octocat"] == "complete")
    await home.run(home.arguments("github", sandbox), ends: 0)
    try TruthTests.expectTruth(of: sandbox, in: home)
  }

  @Test(
    "ends in the middle of a wait for a limit", .timeLimit(.minutes(10)),
    arguments: [SIGTERM, SIGINT])
  func waiting(signal: Int32) async throws {
    // The profile, two pages and a look at the last one, and the requests of the other list.
    let sandbox = try Sandbox.changed { $0.gitHub.anonymousPerHour = 6 }
    let job = home.write(JobText.unlimited(pageSize: 10), to: "github.json5")
    let run = home.start(home.arguments(job, sandbox, ["--max-wait", "2h", "-v"]))
    try await until("it waits") { run.errorsSoFar.holds("waiting") }
    run.kill(signal)
    let ended = await run.end()
    #expect(ended.wasSignalled && ended.status == 128 + signal, "\(ended.status) \(ended.errors)")
    #expect(try home.tables.verdicts()["followers of octocat"] == "paused")
    // Stored records stay: 1 + 9 + 20, of which at most three are in both lists.
    #expect(try home.count("github_users") >= 27)
  }
}
