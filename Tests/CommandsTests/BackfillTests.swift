import SandboxKit
import Testing

@testable import Commands

@Suite("trawl backfill")
struct BackfillTests {
  @Test("refuses a stream without a window, and a job that has none, with what to do instead")
  func noWindow() async throws {
    let trial = try CommandTrial()
    let stream = try await trial.run(
      ["backfill", "github", "--stream", "profile", "--from", "2024"] + trial.github)
    #expect(stream.status == .usage)
    #expect(stream.errors.contains("profile of github has no window"))
    #expect(stream.errors.contains("streams with one: search"))
    let job = try await trial.run(
      ["backfill", "openmarket", "--from", "2024", "--data", trial.data])
    #expect(job.status == .usage && job.errors.contains("trawl run openmarket"))
    #expect(!trial.exists("data"))
  }

  @Test("walks its range, and asks nothing when it is covered")
  func covered() async throws {
    let trial = try CommandTrial()
    let command =
      ["backfill", "github", "--set", "words=type:user", "--from", "2015", "--to", "2015"]
      + trial.github
    let first = try await trial.run(command)
    #expect(first.status == .complete)
    let sent = trial.sandbox.requests(api: "github")
    #expect(sent.count >= 1)
    let again = try await trial.run(command)
    #expect(again.status == .complete && again.errors.contains("covered already"))
    #expect(trial.sandbox.requests(api: "github").count == sent.count)
    let refilled = try await trial.run(command + ["--refill"])
    #expect(refilled.status == .complete)
    #expect(trial.sandbox.requests(api: "github").count > sent.count)
  }

  @Test("remembers a range with its values, and goes on with it when none is given")
  func goal() async throws {
    let trial = try CommandTrial()
    let paused = try await trial.run(
      [
        "backfill", "github", "--set", "words=type:user", "--from", "2015", "--to", "2015",
        "--max-requests", "0",
      ] + trial.github)
    #expect(paused.status == .paused)
    let status = try await trial.run(["status", "--data", trial.data])
    #expect(status.output.contains("1 open goal: trawl backfill github"))
    let on = try await trial.run(["backfill", "github"] + trial.github)
    #expect(on.status == .complete && !on.errors.contains("waiting"))
    let done = try await trial.run(["backfill", "github"] + trial.github)
    #expect(done.status == .complete && done.errors.contains("no range of time is waiting"))
  }

  @Test("does not call a range reached of which nothing could be asked")
  func needsValue() async throws {
    let trial = try CommandTrial()
    let ended = try await trial.run(["backfill", "github", "--from", "2015"] + trial.github)
    #expect(ended.status == .usage && ended.errors.contains("--set words=VALUE"))
    let status = try await trial.run(["status", "--data", trial.data])
    #expect(!status.output.contains("goal"))
  }
}
