import Glibc
import Base
@testable import Commands
import SandboxKit
import Store
import TestSupport
import Testing

@Suite("trawl report")
struct ReportCommandTests {
  private let trial: CommandTrial
  init() throws { trial = try CommandTrial() }

  @Test("writes the last run's text from its file, the same that the run itself showed")
  func text() async throws {
    let run = try await trial.run(
      ["run", "github"] + trial.github,
      facts: TerminalFacts(isErrorTerminal: true, isColourless: true))
    let ended = try await trial.run("report github", ends: .complete)
    let summary = try #require(ended.lines.first { $0.hasPrefix("complete ") })
    #expect(run.errors.contains(summary))
    #expect(ended.output.contains("followers of octocat"))
    #expect(ended.output.contains("quota core:"))
  }

  @Test("gives the stored JSON, of the run that is named, and tells the story in sentences")
  func forms() async throws {
    _ = try await trial.run(["run", "github"] + trial.github)
    let json = try await trial.run("report --json")
    let facts = try RunFacts(report: Array(json.output.utf8))
    #expect(
      facts.job == "github" && facts.requests.sent == trial.sandbox.requests(api: "github").count)
    let named = try await trial.trawl(
      "report", facts.run, "--explain", ends: .complete,
      showing: "followers of octocat: no next page after page")
    #expect(named.lines.last == "The end: complete.")
  }

  @Test("tells which page was refused, the wait, and the try that followed")
  func story() async throws {
    trial.sandbox.arm(ArmedFault(.status503, target: "/followers"))
    _ = try await trial.run(["run", "github"] + trial.github)
    let told = try await trial.run("report --explain").lines
    let line = try #require(told.first { $0.contains("(try 2)") }, "\(told)")
    #expect(line.hasPrefix("followers of octocat: page 1: ") && line.contains("answers 503"))
    #expect(line.contains(" I waited ") && line.contains(" s and tried again"))
    #expect(
      told.contains("profile of octocat: single answer; complete (one answer); 1 record received."))
  }

  /// Writes the reports of runs, and keeps two.
  private func write(_ runs: String...) throws -> ReportShelf {
    let folder = try DataFolder(creating: trial.data)
    for run in runs {
      let facts = RunFacts(
        run: run, job: "github", command: "run", arguments: [], origin: "https://a.example",
        startedAt: Instant(seconds: 0))
      let page = try ReportFolder(folder: folder, keep: 2).write(facts)
      #expect(FileBytes.first(1, of: page) != nil, "\(page)")
    }
    return ReportShelf(folder: "\(trial.data)/reports")
  }

  @Test("of several runs in one second the last ones are kept, and the last is shown")
  func sameSecond() async throws {
    let shelf = try write("20261121T141207Z", "20261121T141207Z-2", "20261121T141207Z-3")
    #expect(shelf.words == ["github", "20261121T141207Z-3", "20261121T141207Z-2"])
    #expect(try shelf.find("github").run == "20261121T141207Z-3")
    let page = try await trial.run("report --html")
    #expect(page.output == "\(trial.data)/reports/github/20261121T141207Z-3.html\n")
  }

  @Test("reports of a clock that was ahead go before that of the run that has just ended")
  func clockAhead() throws {
    let shelf = try write(
      "20360101T000000Z", "20360102T000000Z", "20261121T141207Z", "20261122T141207Z")
    let kept = shelf.all(of: "github").map(\.run)
    #expect(kept.sorted() == ["20261121T141207Z", "20261122T141207Z"])
  }

  @Test("a log tells once what is not there, and then what to look at")
  func nothingThere() async throws {
    let ended = try await trial.trawl(
      "run", "github", "--endpoint", trial.sandbox.endpoint(for: "giphy"), ends: .less)
    #expect(ended.errorLines.count == 3, "\(ended.errors)")
    #expect(ended.errorLines.first?.hasPrefix("github: profile of octocat: absent: ") == true)
    #expect(ended.errorLines.last?.contains("check the values of --set, and the address") == true)
  }

  @Test("is known to completions by job and run, and the index lists it")
  func index() async throws {
    for _ in 1...3 { _ = try await trial.run(["run", "github", "--keep", "2"] + trial.github) }
    let shelf = ReportShelf(folder: "\(trial.data)/reports")
    #expect(shelf.words.count == 3 && shelf.words.first == "github", "\(shelf.words)")
    let words = Completion(
      ["report", ""], environment: Environment(["TRAWL_DATA": trial.data])
    ).text
    #expect(words == shelf.words.map { "\($0)\n" }.joined())
    let index = try #require(Golden.read("\(trial.data)/reports/index.html"))
    // The first run's page was pruned, and its row too.
    let runs = try #require(index.split(separator: "<h2>Runs</h2>").last)
    let links = runs.split(separator: "href=\"").dropFirst().map { $0.split(separator: "\"")[0] }
    #expect(links == shelf.words.dropFirst().map { "github/\($0).html" })
    for link in links { #expect(Golden.read("\(trial.data)/reports/\(link)") != nil) }
  }

  @Test("--changes of all jobs takes a run of one, and refuses what is a beginning for none")
  func beginnings() async throws {
    for name in ["ours", "theirs"] {
      trial.keep(job: name)
      try await trial.run("run \(name)", ends: .complete)
    }
    let run = try #require(
      try trial.rows("SELECT name FROM trawl_runs WHERE job = 'ours'").first)
    try await trial.run(
      "report --changes --since \(run)", ends: .complete, showing: "ours", "since the run of")
    try await trial.run(
      "report --changes --since soon", ends: .usage,
      saying: "--since soon: it is neither a run nor a time", "the last runs: ", run)
    try await trial.run(
      "report --changes ours/\(run)", ends: .complete, showing: "ours", "since the run of")
    let changes = try await trial.run("report --changes ours --json").json
    #expect(changes["tables"]?[0]?["table"]?.string == "ours_users")
    try await trial.run(
      "report --changes ours/soon", ends: .usage, saying: "there is no run soon of ours",
      "its last runs: ")
    try await trial.run(
      "report --changes ours/\(run) --since 1d", ends: .usage, saying: "names a run already")
    try await trial.run("report --since 1d", ends: .usage, saying: "which is not given")
  }

  @Test("says what there is when a name has no report")
  func unknown() async throws {
    try await trial.run("report", ends: .usage, saying: "every run writes one")
    _ = try await trial.run(["run", "github"] + trial.github)
    for word in ["giphy", "github/20200101T000000Z"] {
      try await trial.run("report \(word)", ends: .usage, saying: "there are reports of: github")
    }
    let shelf = ReportShelf(folder: "\(trial.data)/reports")
    let report = try shelf.find("github").path
    for (text, words) in [
      ("no report", "it is not JSON"), ("{}", "names no schema"),
      ("{\"schema\":99}", "newer Trawl"),
    ] {
      Golden.write(text, to: report)
      try await trial.run("report github", ends: .damaged, saying: "\(report) cannot be", words)
    }
  }

  @Test(
    "first mistakes are told in one line, with what to do",
    arguments: [
      ([], 64, "to begin: trawl run github --set user=YOU"),
      (["run", "github", "--stream", "folowers"], 64, "did you mean \"followers\"?"),
      (["run", "github", "--set", "usr=a"], 64, "did you mean \"user\"?"),
      (["run", "githb"], 64, "did you mean \"github\"?"),
      (["run", "newsapi"], 77, "trawl key newsapi"),
      (["run", "openmarket", "--data", "/proc/none"], 73, "choose another with --data DIR"),
      (["run", "./none.json5"], 64, "there is no file ./none.json5"),
      (["run", "openmarket", "--endpoint", "http://127.0.0.1:1/"], 69, "refused the connection"),
    ])
  func mistakes(arguments: [String], code: Int32, cure: String) async throws {
    let ended = try await trial.run(arguments)
    #expect(ended.status.code == code)
    #expect(ended.errors.contains(cure))
    #expect(!ended.errors.contains("Error("))
    guard code == 64 else { return }
    #expect(ended.output == "" && ended.errors.hasPrefix("trawl: "), "\(ended.everything)")
    #expect(!trial.exists("home/.local"))
  }

  @Test("without a HOME a run says where to name a folder")
  func noHome() async throws {
    try await trial.run(
      ["run", "github", "--endpoint", trial.sandbox.endpoint(for: "github")],
      environment: ["HOME": ""], ends: .configuration, saying: "--data DIR")
  }

  @Test("is kept where there is no room for the page beside it")
  func halfWritten() throws {
    let scratch = ScratchFolder()
    let (report, page) = ("\(scratch.path)/run.json", "\(scratch.path)/none/run.html")
    #expect(throws: ExitReport.self) {
      try ReportFolder.replace([(report, [0x7b, 0x7d]), (page, [0x3c])])
    }
    #expect(Golden.read(report) == "{}")
  }

  @Test("has no page where the run was killed before it wrote that, and none is made by who reads")
  func pageMissing() async throws {
    try await trial.run(["run", "github"] + trial.github, ends: .complete)
    let shown = try await trial.run("report --html", ends: .complete)
    let page = try #require(shown.lines.first)
    #expect(unlink(page) == 0)
    for line in ["report --html", "report github --open"] {
      try await trial.run(line, ends: .usage, saying: "has no page", "as text: trawl report")
      #expect(Golden.read(page) == nil, "\(line)")
    }
  }

  @Test("of a run that was cut off has none, says so, and shows the one before")
  func cutOff() async throws {
    for _ in 1...2 {
      try await trial.run(["run", "github"] + trial.github, ends: .complete)
      trial.time.advance(by: .seconds(60))
    }
    let names = try trial.rows("SELECT name FROM trawl_runs ORDER BY run")
    try trial.change(
      "UPDATE trawl_runs SET ended_at = NULL, outcome = NULL, exit_code = NULL WHERE name = '\(names[1])'"
    )
    ReportFolder.remove("\(trial.data)/reports/github/\(names[1]).html")
    for line in ["report --html", "report github --html"] {
      try await trial.run(
        line, ends: .complete, saying: "\(names[1]), has no report (it was cut off",
        showing: "\(names[0]).html")
    }
    try await trial.run(
      "report github --changes", ends: .complete, showing: "which did not come to its end")
    try await trial.run("status github", showing: "was cut off (a kill, a power cut, ")
    try await trial.run("status", showing: "by a kill or a power cut; the next run resumes")
  }

  @Test("is that of the last run that the database has, also when a backup was restored")
  func restored() async throws {
    let backup = "\(trial.scratch.path)/backup.db"
    try await trial.run(["run", "github"] + trial.github, ends: .complete)
    try await trial.trawl("backup", backup, ends: .complete)
    try await trial.run(["run", "github"] + trial.github, ends: .complete)
    try await trial.run("restore \(backup) --replace", ends: .complete)
    let names = try trial.rows("SELECT name FROM trawl_runs")
    let shown = try await trial.run("report github --html", ends: .complete)
    #expect(names.count == 1 && shown.output.contains("\(names[0]).html"), "\(shown.output)")
    #expect(shown.errors == "")
  }
}
