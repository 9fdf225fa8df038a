import Model
import SandboxKit
import TestSupport
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
    let command = [
      "backfill", "youtube", "--stream", "search", "--set", "q=swift", "--from", "2024", "--to",
      "2024", "--endpoint", trial.sandbox.endpoint(for: "youtube"), "--data", trial.data,
    ]
    let first = try await trial.run(command)
    #expect(first.status == .complete)
    let sent = trial.sandbox.requests(api: "youtube")
    #expect(sent.count >= 1)
    let again = try await trial.run(command)
    #expect(again.status == .complete && again.errors.contains("covered already"))
    #expect(trial.sandbox.requests(api: "youtube").count == sent.count)
    let refilled = try await trial.run(command + ["--refill"])
    // Nothing here is of an older mapping.
    #expect(refilled.status == .complete && refilled.errors.contains("covered already"))
    #expect(trial.sandbox.requests(api: "youtube").count == sent.count)
  }

  @Test("remembers a range with its values, and goes on with it when none is given")
  func goal() async throws {
    let trial = try CommandTrial()
    // The pace that GitHub asks for is waited out in no time.
    let time = VirtualTime(at: Timekeeper.live.now()).timekeeper
    let paused = try await trial.run(
      [
        "backfill", "github", "--set", "words=type:user", "--from", "2015-01-01", "--to",
        "2015-01-09",
        "--max-requests", "0",
      ] + trial.github, at: time)
    #expect(paused.status == .paused)
    let status = try await trial.run(["status", "--data", trial.data], at: time)
    #expect(status.output.contains("1 open goal: trawl backfill github"))
    let on = try await trial.run(["backfill", "github"] + trial.github, at: time)
    #expect(on.status == .complete && !on.errors.contains("waiting"))
    let done = try await trial.run(["backfill", "github"] + trial.github, at: time)
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

  @Test("reaches every video behind YouTube's silent end near 500, and asks none of it again")
  func videos() async throws {
    let trial = try CommandTrial()
    let command = [
      "backfill", "youtube", "--stream", "search", "--set", "q=music", "--from", "2005", "--to",
      "now", "--endpoint", trial.sandbox.endpoint(for: "youtube"), "--data", trial.data,
      "--max-requests", "60",
    ]
    let ended = try await trial.run(command)
    #expect(ended.status == .complete, "\(ended.everything)")
    let truth = try #require(
      trial.sandbox.truth("youtube", of: "q=music")?.list("search", of: "q=music"))
    let status = try await trial.run(["status", "youtube", "--data", trial.data, "--json"])
    #expect(truth.behindCeiling > 100)
    #expect(
      status.output.contains(#""rows":\#(truth.keys.count + truth.behindCeiling)"#),
      "\(status.output)")
    #expect(status.output.contains(#""verdict":"complete""#))
    #expect(trial.sandbox.requests(api: "youtube").count < 45)
  }

  @Test("certifies once what the API gives no more, and tells it each time without asking")
  func gap() async throws {
    let trial = try CommandTrial()
    func command(_ to: String) -> [String] {
      [
        "backfill", "newsapi", "--set", "q=sqlite", "--from", "2026-01", "--to", to,
        "--endpoint", trial.sandbox.endpoint(for: "newsapi"), "--data", trial.data,
      ]
    }
    // Long ago for whoever runs this test.
    let first = try await trial.run(command("2026-02"))
    #expect(first.status == .less, "\(first.everything)")
    #expect(first.errors.contains("lies further back than the API gives (29 days)"))
    #expect(trial.sandbox.requests(api: "newsapi").isEmpty)
    let again = try await trial.run(command("2026-02"))
    #expect(again.status == .complete && again.errors.contains("gap: 2026-01-01T00:00:00Z"))
    let bar = try await trial.run(["status", "newsapi", "--data", trial.data])
    #expect(bar.output.contains("x gone for good"), "\(bar.output)")
    #expect(bar.lines.filter { $0.hasPrefix("    ") }.allSatisfy { $0.count <= 80 })
    let unicode = try await trial.run(
      ["status", "newsapi", "--data", trial.data], environment: ["LANG": "de_DE.UTF-8"])
    #expect(unicode.output.contains("×"))
  }
}
