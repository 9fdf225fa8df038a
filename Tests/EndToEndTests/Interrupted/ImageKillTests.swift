import Glibc
import Base
import SandboxKit
import TestSupport
import Testing

/// Kills while images are in flight, settled and stored.
@Suite("A run that is killed among its images", .prompt)
struct ImageKillTests {
  /// Fifty kills with `TRAWL_TORTURE`, in parallel trials of five.
  static let trials: [Int] = Torture.seeds(plain: 2, long: 10).map { Int($0) + 1 }
  static let killsOfTrial = 5
  /// Enough for all kills of a trial: each comes at one of the first 24 requests of its run, and at most 16 are
  /// answered after it.
  private static let images = 250

  @Test("has each file under its digest and each row with its file", arguments: trials)
  func anyInstant(seed: Int) async throws {
    var random = SeededRandom(seed: UInt64(seed) &* 7_919)
    let sandbox = try Sandbox.small(seed: UInt64(seed), followers: Self.images, users: 300)
    let home = Home()
    let job = home.write(JobText.unlimited(), to: "github.json5")
    /// The URLs of stored images, none of which may be requested again.
    var stored: Set<String> = []
    var seen = 0
    func expectNothingTwice() {
      let asked = Asked(sandbox, since: seen).images.map(\.target)
      #expect(stored.isDisjoint(with: asked), "seed \(seed)")
    }
    for kill in 1...Self.killsOfTrial {
      seen = sandbox.lastRequest
      let plug = Plug(
        at: 1 + Int(random.next() % 24), pause: useconds_t(random.next() % 30_000), sandbox)
      let run = home.start(home.arguments(job, sandbox))
      plug.pulls(run)
      let ended = await run.end()
      sandbox.watch(nil)
      #expect(ended.wasSignalled, "seed \(seed), kill \(kill): \(ended.errors)")
      try await KillTests.expectSoundFolder(home, afterKill: true)
      expectNothingTwice()
      if home.holds(home.database) {
        stored = try Set(
          home.tables.texts("SELECT url FROM trawl_media_urls WHERE digest IS NOT NULL")
            .map { String($0.dropFirst(sandbox.origin.utf8.count)) })
      }
    }
    seen = sandbox.lastRequest
    // A walk that was interrupted before it looked at its last page is proven by the next one.
    for _ in 1...2 { await home.run(home.arguments(job, sandbox), ends: 0) }
    let verdicts = try home.tables.verdicts()
    #expect(Set(verdicts.values) == ["complete"], "seed \(seed): \(verdicts)")
    try await KillTests.expectSoundFolder(home, afterKill: false)
    try TruthTests.expectTruth(of: sandbox, in: home)
    #expect(try home.count("trawl_media_urls WHERE digest IS NULL") == 0)
    expectNothingTwice()
  }
}

/// Ends a run by `kill -9` from inside the server, so that it cannot finish first on a busy machine: the image at which
/// the kill comes is never answered.
final class Plug: Sendable {
  private struct State {
    var images = 0
    var run: BinaryRun?
    var isPulled = false
  }

  private static let answeredBehind = 16
  private let state = Locked(State())

  /// - Parameter pause: microseconds before the kill, during which other images continue.
  init(at image: Int, pause: useconds_t, _ sandbox: Sandbox) {
    sandbox.watch { [self] request in
      guard request.api == "media" else { return }
      let number = state.withLock { state in
        state.images += 1
        return state.images
      }
      if number == image {
        // Any instant is right: the kill must come at an arbitrary one.
        usleep(pause)
        // The first request may come before the test knows the run.
        hold { $0.run != nil }
        state.withLock { state in
          state.run?.kill()
          state.isPulled = true
        }
      } else if number > image + Self.answeredBehind {
        hold { $0.isPulled }
      }
    }
  }

  func pulls(_ run: BinaryRun) { state.withLock { $0.run = run } }

  /// On a thread of the server; ten minutes at most, which only a hang takes.
  private func hold(until isTrue: (State) -> Bool) {
    for _ in 0..<600_000 {
      if state.withLock({ isTrue($0) }) { return }
      // Between two checks.
      usleep(1_000)
    }
  }
}
