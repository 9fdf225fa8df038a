import Base
@testable import Commands
@testable import Jobs
import SandboxKit
import TestSupport
import Testing

@Suite("trawl status, all jobs")
struct StatusTableTests {
  private let trial: CommandTrial
  init() throws { trial = try CommandTrial() }

  @Test("shows a line for each job, worst first, those that ship and never ran last")
  func order() async throws {
    try await trial.run(["run", "github"] + trial.github, ends: .complete)
    try await trial.run(trial.words("run newsapi --max-requests 1"), ends: .paused)
    try await trial.run("run giphy --endpoint http://127.0.0.1:1/none")
    let ended = try await trial.run("status", ends: .complete)
    let rows = ended.lines.filter { $0.hasPrefix("  ") }.dropFirst()
      .compactMap { $0.split(separator: " ").first }
    #expect(rows.first == "giphy" && rows.contains("youtube"), "\(ended.output)")
    let places = ["giphy", "newsapi", "github", "openmarket"].map { name in
      rows.firstIndex { $0 == name } ?? -1
    }
    #expect(places == places.sorted() && !places.contains(-1), "\(ended.output)")
    #expect(ended.output.contains("1 paused") && ended.output.contains("1 up to date"))
    #expect(try await trial.run("jobs").lines.count == ended.lines.count)
  }

  @Test("shows 46 jobs, those that ship among them, on a screen of 80 columns and 50 lines")
  func forty() async throws {
    let own = 46 - JobLibrary(userFolder: nil, systemFolder: nil).names.count
    for number in 0..<own { trial.keep(job: "people-\(number)") }
    let screen = try await trial.run("status", facts: TerminalFacts(isOutputTerminal: true))
    #expect(screen.lines.count <= 50 && screen.lines.count > 46, "\(screen.output)")
    let widths = screen.lines.map { line in
      DisplayWidth.of(line.replacing(/\u{1b}\[[0-9]+m/, with: ""))
    }
    #expect(widths.allSatisfy { $0 <= 80 }, "\(screen.output)")
  }

  @Test("counts the rows of a table once, however many lists bring its records; so do the others")
  func rows() async throws {
    try await trial.run(trial.words("run openmarket"), ends: .complete)
    let count = try trial.rows("SELECT count(*) FROM openmarket_products")[0]
    let lists = try trial.rows("SELECT sum(rows) FROM trawl_lists")[0]
    #expect(Int(lists) ?? 0 > Int(count) ?? 0, "two streams bring the same records")
    let status = try await trial.run("status openmarket --json").json
    #expect(status["rows"]?.integer.map(String.init) == count)
    let all = try await trial.run("status")
    let line = all.lines.first { $0.contains("openmarket") } ?? ""
    #expect(line.split(separator: " ").contains { $0 == count }, "\(all.output)")
    let index = Golden.read("\(trial.data)/reports/index.html") ?? ""
    #expect(index.contains("<td class=\"number\">\(count)</td>"))
    let sql = try await trial.run("sql")
    #expect(sql.lines.contains("openmarket,openmarket_products,\(count)"), "\(sql.output)")
  }

  @Test("never calls a job up to date whose file cannot be used: no run of it can begin")
  func brokenFiles() async throws {
    for name in ["ours", "theirs", "fine"] { trial.keep(job: name) }
    for name in ["ours", "fine"] { try await trial.run("run \(name)", ends: .complete) }
    let folder = "\(trial.scratch.path)/home/.config/trawl/jobs"
    Golden.write("{ name: \"ours\", base: }", to: "\(folder)/ours.json5")
    Golden.write(
      "{ name: \"theirs\", ping: \"https://example.org\" }", to: "\(folder)/theirs.json5")
    let all = try await trial.run("status", showing: "2 broken, 1 up to date")
    let rows = all.lines.filter { $0.hasPrefix("  ") }.dropFirst()
    #expect(rows.prefix(2).allSatisfy { $0.contains(".json5:1:") }, "\(all.output)")
    for name in ["ours", "theirs"] {
      let one = try await trial.run(
        "status \(name)", showing: "its job file cannot be used: \(folder)/\(name).json5:1:",
        trial.advice("trawl check \(name)"))
      #expect(!one.errors.contains(trial.advice("trawl run \(name)")), "\(one.errors)")
      let json = try await trial.run("status \(name) --json").output
      #expect(
        json.contains("\"file_problem\":\"\(folder)") && json.contains("\"needs_person\":true"))
    }
    try await trial.run("status ours --alert", ends: .found, showing: "ours.json5:1:")
    _ = try await trial.run("run fine")
    let index = Golden.read("\(trial.data)/reports/index.html") ?? ""
    #expect(index.contains("2 need you") && index.contains("trawl check theirs"))
  }

  @Test("says once which quota several jobs wait for, and until when")
  func queue() async throws {
    for name in ["ours", "theirs"] {
      trial.keep(job: name)
      trial.edit(
        name, "streams:", to: "quotas: { shared: { allow: 1, per: \"hour\" } }, streams:")
      try await trial.run("run \(name) --set user=octocat --refill")
    }
    _ = try await trial.run("run ours --refill")
    let ended = try await trial.run("status")
    let line = ended.lines.first { $0.contains("wait for") } ?? ""
    #expect(
      line.contains("2 jobs wait for the quota shared of http://127.0.0.1"), "\(ended.output)")
    #expect(line.contains(" until ") && line.hasSuffix(": ours, theirs"))
  }

  @Test("shows of a named job its parameters with defaults, its terms and its quotas, run or not")
  func named() async throws {
    let ended = try await trial.run("status youtube github", ends: .complete)
    for part in [
      "swift language", "none", "refreshed or deleted after 30 days", "search: 100 of 100 left",
      "octocat", "core: 60 of 60 left",
    ] {
      #expect(ended.output.contains(part), "\(part): \(ended.output)")
    }
    try await trial.run("status youtub", ends: .usage, saying: "did you mean \"youtube\"?")
  }
}

@Suite("Lines on a terminal")
struct WrappingTests {
  @Test("break at blanks, hang below, and keep every word whole")
  func wraps() {
    let text: ConsoleText = "  one \("two three", .red) four"
    #expect(
      text.wrapped(to: 11, hanging: 4).map(\.plain) == ["  one two", "    three", "    four"])
    #expect(text.wrapped(to: 40, hanging: 4).map(\.plain) == ["  one two three four"])
    // No trailing blanks, at which a terminal would wrap again.
    #expect(
      ConsoleText("one two     three").wrapped(to: 9, hanging: 0).map(\.plain) == [
        "one two", "three",
      ])
    #expect(text.wrapped(to: 12, hanging: 4)[2].spans.last?.style == .plain)
    let long = ConsoleText("see https://example.org/a/long/path and more")
    #expect(
      long.wrapped(to: 10, hanging: 2).map(\.plain)
        == ["see", "  https://example.org/a/long/path", "  and more"])
    #expect(ConsoleText("日本 語日本").wrapped(to: 6, hanging: 0).map(\.plain) == ["日本", "語日本"])
  }

  @Test("are made of a text of half a megabyte in a moment", .timeLimit(.minutes(1)))
  func long() {
    let text = ConsoleText(String(repeating: "word ", count: 100_000))
    #expect(text.wrapped(to: 80, hanging: 0).count == 6_250)
  }

  @Test("are cut between two words, with a sign that they were")
  func cuts() {
    let text = ConsoleText("a sentence of several words that is longer than the line")
    #expect(text.shortened(to: 30).plain == "a sentence of several words …")
    #expect(text.shortened(to: 100) == text)
    let one = ConsoleText("https://example.org/averyveryveryverylongpath/that/goes/on")
    #expect(one.shortened(to: 30).plain.hasSuffix("…"))
    #expect(DisplayWidth.of(one.shortened(to: 30).plain) == 30)
  }
}
