import Model
import Report
import SandboxKit
import Testing

@testable import Commands

@Suite("trawl report")
struct ReportCommandTests {
  @Test("writes the last run's text from its file, the same that the run itself showed")
  func text() async throws {
    let trial = try CommandTrial()
    let run = try await trial.run(
      ["run", "github"] + trial.github,
      facts: TerminalFacts(isErrorTerminal: true, isColourless: true))
    let ended = try await trial.run(["report", "github", "--data", trial.data])
    #expect(ended.status == .complete)
    let summary = try #require(ended.lines.first { $0.hasPrefix("complete ") })
    #expect(run.errors.contains(summary))
    #expect(ended.output.contains("followers of octocat"))
    #expect(ended.output.contains("quota core:"))
  }

  @Test("gives the stored JSON, of the run that is named, and tells the story in sentences")
  func forms() async throws {
    let trial = try CommandTrial()
    _ = try await trial.run(["run", "github"] + trial.github)
    let json = try await trial.run(["report", "--json", "--data", trial.data])
    let facts = try RunFacts(report: Array(json.output.utf8))
    #expect(
      facts.job == "github" && facts.requests.sent == trial.sandbox.requests(api: "github").count)
    let named = try await trial.run(["report", facts.run, "--explain", "--data", trial.data])
    #expect(named.status == .complete)
    #expect(named.output.contains("followers of octocat: no next page after page"))
    #expect(named.lines.last == "The end: complete.")
  }

  @Test("says what there is when a name has no report")
  func unknown() async throws {
    let trial = try CommandTrial()
    let none = try await trial.run(["report", "--data", trial.data])
    #expect(none.status == .usage && none.errors.contains("every run writes one"))
    _ = try await trial.run(["run", "github"] + trial.github)
    let wrong = try await trial.run(["report", "giphy", "--data", trial.data])
    #expect(wrong.status == .usage && wrong.errors.contains("there are reports of: github"))
  }

  @Test(
    "first mistakes are told in one line, with what to do",
    arguments: [
      (["run", "githb"], 64, "did you mean \"github\"?"),
      (["run", "newsapi"], 77, "trawl key newsapi"),
      (["run", "openmarket", "--data", "/proc/none"], 73, "choose another with --data DIR"),
      (["run", "./none.json5"], 64, "there is no file ./none.json5"),
      (["run", "openmarket", "--endpoint", "http://127.0.0.1:1/"], 69, "refused the connection"),
    ])
  func mistakes(arguments: [String], code: Int32, cure: String) async throws {
    let trial = try CommandTrial()
    let ended = try await trial.run(arguments)
    #expect(ended.status.code == code)
    #expect(ended.errors.contains(cure))
    #expect(!ended.errors.contains("Error("))
  }

  @Test("without a HOME a run says where to name a folder")
  func noHome() async throws {
    let trial = try CommandTrial()
    let ended = try await trial.run(
      ["run", "github", "--endpoint", trial.sandbox.endpoint(for: "github")],
      environment: ["HOME": ""])
    #expect(ended.status == .configuration && ended.errors.contains("--data DIR"))
  }
}
