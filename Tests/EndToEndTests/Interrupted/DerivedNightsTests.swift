import SandboxKit
import TestSupport
import Testing

@Suite(
  "What three nights of a shipped job claim, each with a kill, faults and a list that moves",
  .prompt)
struct DerivedNightsTests {
  @Test(
    "follows from the stored answers, for the program and for a checker that shares no line with it",
    arguments: ["youtube", "newsapi", "github", "giphy", "openmarket"])
  func nights(job: String) async throws {
    var random = SeededRandom(seed: Torture.seedBase + UInt64(job.utf8.count))
    let sandbox = try Sandbox.changed {
      $0.gitHub.anonymousPerHour = 1_000_000
      $0.faults = try FaultSpec(parsing: "plain=5%")
    }
    defer { sandbox.stop() }
    let home = Home()
    let arguments = home.arguments(of: job, sandbox)
    var kills = 0
    for night in 1...3 {
      if night > 1 { sandbox.drift(job, insert: 2, delete: 1) }
      let seen = sandbox.lastRequest
      // An answer is held back, so that the run is still there when the kill comes.
      sandbox.arm(ArmedFault(.stallHead, skip: Int(random.next() % 4)))
      let run = home.start(arguments)
      try await until("the answer held back") {
        sandbox.requests(since: seen).contains { $0.outcome == "stall-head" } || run.hasEnded
      }
      run.kill()
      if await run.end().wasSignalled { kills += 1 }
      sandbox.disarm()
      let ended = await home.run(arguments)
      #expect([0, 3, 75].contains(ended.status), "night \(night): \(ended.errors)")
      let proved = await home.run(["prove", "--data", home.data])
      #expect(proved.status == 0, "night \(night): \(proved.output)")
    }
    #expect(kills > 0)
  }
}
