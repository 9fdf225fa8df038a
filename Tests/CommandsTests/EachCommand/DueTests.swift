import Base
@testable import Commands
import SandboxKit
import Store
import TestSupport
import Testing

/// `every` of a job: what is late, and which run is skipped.
@Suite("How often a job runs")
struct DueTests {
  /// A job that declares how often it runs.
  private static func trial(every: String?) throws -> CommandTrial {
    let trial = try CommandTrial()
    trial.keep(job: "people")
    guard let every else { return trial }
    Golden.write(
      "{ name: \"folk\", use: \"people\", every: \"\(every)\" }",
      to: trial.file(of: "folk"))
    return trial
  }

  @Test("a run that is not due yet requests nothing and succeeds; by hand it runs all the same")
  func rests() async throws {
    let trial = try Self.trial(every: "1d")
    let words = ["run", "folk", "--data", trial.data]
    let due = trial.time.now + .seconds(24 * 3600 - 600)
    try await trial.run(words + ["--if-due"], ends: .complete)
    let sent = trial.sandbox.requests(api: "github").count
    #expect(sent > 0)
    trial.time.advance(by: .seconds(22 * 3600))
    let clock = LocalClock.text(due, now: trial.time.now)
    let rested = try await trial.run(words + ["--if-due"])
    #expect(rested.status == .complete && trial.sandbox.requests(api: "github").count == sent)
    #expect(rested.errors.contains("folk is not due before \(clock) "), "\(rested.errors)")
    try await trial.run(words, ends: .complete)
    let byHand = trial.sandbox.requests(api: "github").count
    #expect(byHand > sent)
    // Timers jitter: it is due slightly early.
    trial.time.advance(by: .seconds(24 * 3600 - 300))
    _ = try await trial.run(words + ["--if-due"])
    #expect(trial.sandbox.requests(api: "github").count > byHand)
  }

  @Test("a run that waited for the one that was due requests nothing, and says so")
  func waited() async throws {
    // Its waits are virtual: years may pass in them.
    let trial = try Self.trial(every: "300d")
    let words = ["run", "folk", "--data", trial.data]
    try await trial.run(words, ends: .complete)
    let sent = trial.sandbox.requests(api: "github").count
    // Due until the run that has the lock is over.
    let began = try #require(try trial.rows("SELECT began_at FROM trawl_runs").first)
    try trial.change("UPDATE trawl_runs SET began_at = '2001-01-01T00:00:00Z'")
    var lock = try JobLock.take("folk", in: try DataFolder(existing: trial.data))
    #expect(lock != nil)
    let slept = trial.time.slept.count
    async let waiting = trial.run(words + ["--if-due", "--wait"])
    try await until("the wait") { trial.time.slept.count > slept }
    try trial.change("UPDATE trawl_runs SET began_at = '\(began)'")
    lock = nil
    let ended = try await waiting
    #expect(ended.status == .complete && trial.sandbox.requests(api: "github").count == sent)
    #expect(ended.errors.contains("folk is not due before "), "\(ended.errors)")
  }

  @Test("what only maps kept rejects again takes no turn of the timer")
  func retried() async throws {
    let trial = try Self.trial(every: "1d")
    let words = ["run", "folk", "--data", trial.data]
    _ = try await trial.run(words)
    trial.time.advance(by: .seconds(23 * 3600 + 3000))
    try await trial.run(words + ["--retry-rejects"], ends: .complete)
    let sent = trial.sandbox.requests(api: "github").count
    trial.time.advance(by: .seconds(600))
    _ = try await trial.run(words + ["--if-due"])
    #expect(trial.sandbox.requests(api: "github").count > sent)
  }

  @Test("a run of a part, or one that stopped early, leaves the job due")
  func staysDue() async throws {
    let trial = try Self.trial(every: "1d")
    let words = ["run", "folk", "--data", trial.data]
    _ = try await trial.run(words + ["--set", "user=hubot"])
    _ = try await trial.run(words + ["--max-requests", "1"])
    let sent = trial.sandbox.requests(api: "github").count
    _ = try await trial.run(words + ["--if-due"])
    #expect(trial.sandbox.requests(api: "github").count > sent)
  }

  @Test("--max-age without a value goes by each list's own limit: 47 hours, or nearly three turns")
  func late() async throws {
    let trial = try Self.trial(every: "1d")
    _ = try await trial.run("run folk")
    let words = ["status", "folk", "--max-age", "--data", trial.data]
    trial.time.advance(by: .seconds(69 * 3600))
    try await trial.run(words, ends: .complete)
    trial.time.advance(by: .seconds(3600))
    try await trial.run(words, ends: .found, saying: " is late: ")
    // Without the option lateness is shown, but does not change the exit code.
    let sentence = "has not come through for longer than usual"
    try await trial.run("status", ends: .complete, showing: sentence)
    let root = try await trial.run("status folk --json").json
    #expect(root["every_seconds"]?.integer == 86_400 && root["late"]?.boolean == true)
    #expect(root["standing"]?.string == "late", "nothing failed")
  }

  @Test("without \"every\" only --max-age asks whether it was read in time")
  func none() async throws {
    let trial = try Self.trial(every: nil)
    _ = try await trial.run("run people")
    trial.time.advance(by: .seconds(46 * 3600))
    try await trial.run("status --max-age", ends: .complete)
    trial.time.advance(by: .seconds(2 * 3600))
    try await trial.run("status --max-age", ends: .found)
    let plain = try await trial.run("status", showing: "1 out of date")
    #expect(!plain.output.contains("late"), "\(plain.output)")
  }

  @Test(
    "a list that failed is asked again by itself after 1, 2, 4 and 8 hours, and the others are not")
  func retries() async throws {
    let trial = try Self.trial(every: "1d")
    let words = ["run", "folk", "--if-due", "--data", trial.data]
    trial.edit("people", "[\"octocat\"]", to: "[\"octocat\", \"hubot\"]")
    try await trial.run(words, ends: .complete)
    trial.time.advance(by: .seconds(86_400))
    trial.sandbox.arm(ArmedFault(.html200, target: "/users/hubot/followers", count: 10_000))
    var asked: [Int] = []
    for hour in 0...20 {
      let before = trial.sandbox.requests(api: "github").count
      let ended = try await trial.run(words)
      if trial.sandbox.requests(api: "github").count > before {
        asked.append(hour)
        #expect(
          ended.status == (hour == 0 ? .less : .complete), "hour \(hour): \(ended.everything)")
      }
      trial.time.advance(by: .seconds(3600))
    }
    #expect(asked == [0, 1, 3, 7, 15])
    let others = trial.sandbox.requests(api: "github").count { $0.target.contains("octocat") }
    trial.sandbox.disarm()
    trial.time.advance(by: .seconds(2 * 3600))
    try await trial.run(words, ends: .complete, saying: "complete")
    #expect(trial.sandbox.requests(api: "github").count { $0.target.contains("octocat") } == others)
  }
}
