import Base
import SandboxKit
import TestSupport
import Testing

@Suite("A backfill that is killed", .prompt)
struct BackfillKillTests {
  static let kills = Torture.isOn ? 100 : 8
  /// Enough records that the backfill is still working at the last kill: nine requests for each kill, which needs eight
  /// at most.
  static let records = kills * 600

  /// UTC texts of one width, which sort by time.
  private typealias Stretch = (from: String, to: String)

  private static func covered(_ home: Home) throws -> [Stretch] {
    guard home.holds(home.database) else { return [] }
    return try home.tables.rows("SELECT covered_from, covered_to FROM trawl_coverage").map {
      ($0[0].shown, $0[1].shown)
    }
  }

  /// The window of a request.
  private static func window(_ target: String) -> Stretch? {
    let asked = ScriptedServer.Call(head: "GET \(target) HTTP/1.1\r\n\r\n").parameters
    guard let from = asked["from"], let to = asked["to"] else { return nil }
    return (from, to)
  }

  @Test("and run again at random ends the same, and asks no covered window again")
  func anyInstant() async throws {
    var random = SeededRandom(seed: Torture.seedBase &+ 7)
    let sandbox = try Sandbox.changed {
      $0.plan = .business
      $0.newsAPI.crowd = Self.records
      $0.newsAPI.crowdDays = 60
      $0.newsAPI.businessResultsMax = 100
    }
    let home = Home()
    let job = home.write(PressJob.text(sandbox.endpoint(for: "newsapi")), to: "press.json5")
    // The program uses the machine's clock.
    let now = Timekeeper.live.now()
    let command = [
      "backfill", job, "--from", (now - .seconds(70 * 86_400)).description, "--to",
      Instant(seconds: now.seconds).description, "--data", home.data, "--allow-loopback",
    ]
    var killed = 0
    for _ in 0..<Self.kills {
      let covered = try Self.covered(home)
      let seen = sandbox.lastRequest
      let more = 1 + Int(random.next() % 5)
      let pause = Duration.microseconds(Int(random.next() % 20_000))
      // One window is delayed, so that the backfill still runs at the kill.
      sandbox.disarm()
      sandbox.arm(
        ArmedFault(.stallHead, target: "/everything?", skip: more + Int(random.next() % 3)))
      let run = home.start(command)
      try await until("\(more) more requests, or the window held back") {
        let new = sandbox.requests(since: seen)
        return new.count >= more || new.contains { $0.outcome == "stall-head" } || run.hasEnded
      }
      // Any instant is right: the kill must come at an arbitrary one.
      try await Task.sleep(for: pause)
      run.kill()
      let ended = await run.end()
      try Self.expectNoneAgain(covered, sandbox.requests(since: seen))
      if ended.wasSignalled { killed += 1 } else { break }
    }
    #expect(killed == Self.kills)
    sandbox.disarm()
    let covered = try Self.covered(home)
    let seen = sandbox.lastRequest
    await home.run(command, ends: 0)
    try Self.expectNoneAgain(covered, sandbox.requests(since: seen))
    let truth = sandbox.truth("newsapi", of: "q=linux")?.list("everything", of: "q=linux")?.keys
    let stored = try Set(home.tables.texts("SELECT url FROM press_articles"))
    let odd = stored.symmetricDifference(truth ?? []).sorted()
    #expect(odd.isEmpty, "\(odd.count) of \(stored.count): \(odd.prefix(3))")
    // The whole range is one stretch, and no part of it is open.
    #expect(try Self.covered(home).count == 1)
    let asked = sandbox.requests(api: "newsapi").count
    // Besides the cost of windows, a kill costs the one in flight, and perhaps dividing another.
    let most = Self.records * 16 / 1000 + 2 * killed + 10
    #expect(asked <= most, "\(asked) requests with \(killed) kills, \(most) at most")
    await home.run(command, ends: 0)
    #expect(sandbox.requests(api: "newsapi").count == asked)
    await home.trawl("prove", ends: 0)
  }

  private static func expectNoneAgain(
    _ covered: [Stretch], _ requests: [LoggedRequest]
  ) throws {
    for request in requests {
      let window = try #require(Self.window(request.target), "\(request.target) has no window")
      // The second at its end belongs to the next window, too.
      let isCovered = covered.contains {
        $0.from <= window.from && window.to <= $0.to && window.from < $0.to
      }
      #expect(!isCovered, "\(request.target) was covered already")
    }
  }
}
