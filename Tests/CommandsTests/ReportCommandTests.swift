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

  @Test("is known to completions by job and run, and the index lists it")
  func index() async throws {
    let trial = try CommandTrial()
    for _ in 1...3 { _ = try await trial.run(["run", "github", "--keep", "2"] + trial.github) }
    let shelf = ReportShelf(folder: "\(trial.data)/reports")
    #expect(shelf.words.count == 3 && shelf.words.first == "github", "\(shelf.words)")
    let words = KnownWords(Surroundings(["TRAWL_DATA": trial.data])).words(of: .runs, job: nil)
    #expect(words == shelf.words)
    let index = try #require(Golden.read("\(trial.data)/reports/index.html"))
    // The first run's page was pruned, and its line with it.
    let links = index.split(separator: "href=\"").dropFirst().map { $0.split(separator: "\"")[0] }
    #expect(links == shelf.words.dropFirst().map { "github/\($0).html" })
    for link in links { #expect(Golden.read("\(trial.data)/reports/\(link)") != nil) }
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
