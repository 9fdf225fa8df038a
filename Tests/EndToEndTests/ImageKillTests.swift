import SandboxKit
import TestSupport
import Testing

/// Kills while images come, where they are in flight, settled and written down.
@Suite("A run that is killed among its images")
struct ImageKillTests {
  /// Fifty kills where `TRAWL_TORTURE` asks for them, in trials of five side by side.
  static let trials: [Int] = Torture.seeds(plain: 2, long: 10).map { Int($0) + 1 }
  static let killsOfTrial = 5

  @Test("has each file under its digest and each row with its file", arguments: trials)
  func anyInstant(seed: Int) async throws {
    var random = SeededRandom(seed: UInt64(seed) &* 7_919)
    let sandbox = try Sandbox.small(seed: UInt64(seed), followers: 250, users: 300)
    defer { sandbox.stop() }
    let home = Home()
    let job = home.write(JobText.unlimited(), to: "github.json5")
    var kills = 0
    /// Where the images lie that a row names: none of them may be asked for again.
    var stored: Set<String> = []
    var seen = 0
    func expectNothingTwice() {
      let asked = Asked(sandbox, since: seen).images.map(\.target)
      #expect(stored.isDisjoint(with: asked), "seed \(seed)")
    }
    for _ in 0..<Self.killsOfTrial {
      // One image is held back, so that the run is still there when the kill comes.
      sandbox.disarm()
      let after = Int(random.next() % 60)
      sandbox.arm(ArmedFault(.stallHead, target: "/media/", skip: after + 40))
      seen = sandbox.lastRequest
      let pause = Duration.microseconds(Int(random.next() % 30_000))
      let run = home.start(home.arguments(job, sandbox))
      try await until("\(after) images, or the end") {
        [seen] in sandbox.requests(since: seen).count { $0.api == "media" } > after || run.hasEnded
      }
      try await Task.sleep(for: pause)
      run.kill()
      if await run.end().wasSignalled { kills += 1 }
      try await KillTests.expectSoundFolder(home, afterKill: true)
      expectNothingTwice()
      if home.holds(home.database) {
        stored = try Set(
          Tables(home).texts("SELECT url FROM trawl_media_urls WHERE digest IS NOT NULL")
            .map { String($0.dropFirst(sandbox.origin.utf8.count)) })
      }
    }
    sandbox.disarm()
    seen = sandbox.lastRequest
    let last = await home.run(home.arguments(job, sandbox))
    #expect(last.status == 0, "seed \(seed): \(last.errors)")
    try await KillTests.expectSoundFolder(home, afterKill: false)
    try TruthTests.expectTruth(of: sandbox, in: home)
    #expect(
      try Tables(home).count("SELECT count(*) FROM trawl_media_urls WHERE digest IS NULL") == 0)
    #expect(!stored.isEmpty && kills > 0)
    expectNothingTwice()
  }
}
