import Base
@testable import Commands
import Crawl
import SandboxKit
import Store
import TestSupport
import Glibc
import Testing

@Suite("The options of trawl run")
struct RunOptionTests {
  private let trial: CommandTrial
  init() throws { trial = try CommandTrial() }

  @Test("--dry-run shows units, first requests and quota, asks nothing and makes no folder")
  func dryRun() async throws {
    let ended = try await trial.run(
      ["run", "github", "--dry-run"] + trial.github, ends: .complete, showing: "profile of octocat",
      "\(trial.sandbox.endpoint(for: "github"))/users/octocat", "quota core: 60 of 60 left",
      "for each profile.login that is due")
    #expect(ended.output.contains("this takes at least "), "how long its lists are is not known")
    #expect(trial.sandbox.requests().isEmpty)
    #expect(!trial.exists("data"))
  }

  @Test("--dry-run needs no key, and says that the run does")
  func dryRunWithoutKey() async throws {
    for command in [
      ["run", "newsapi", "--set", "q=linux"],
      ["backfill", "newsapi", "--set", "q=linux", "--from", "20d"],
    ] {
      try await trial.run(
        command + ["--dry-run", "--data", trial.data], ends: .complete,
        showing: "a run ends here with 77: ", "trawl key newsapi", "/v2/everything?q=linux")
      try await trial.run(command + ["--data", trial.data], ends: .secret)
    }
    #expect(!trial.exists("data"))
  }

  @Test("--dry-run knows of a stored run how many requests it took and what is left")
  func dryRunAgain() async throws {
    trial.keep(job: "people")
    _ = try await trial.run("run people")
    let sent = trial.sandbox.requests().count
    let ended = try await trial.run("run people --dry-run")
    #expect(sent > 1 && ended.output.contains("about \(sent)"))
    #expect(trial.sandbox.requests().count == sent)
  }

  @Test("--dry-run names the cap that ended a list before and will end it again")
  func dryRunCapped() async throws {
    let trial = try CommandTrial(SandboxOptions(size: .demo))
    let command = [
      "run", "giphy", "--stream", "trending", "--endpoint",
      trial.sandbox.endpoint(for: "giphy"), "--data", trial.data,
    ]
    try await trial.run(command, ends: .complete)
    let sent = trial.sandbox.requests(api: "giphy").count
    let words = "the API's cap of 499 will end it, as it did before"
    #expect(try await trial.run(command + ["--dry-run"]).output.contains(words))
    let plan = try await trial.run(command + ["--dry-run", "--json"]).output
    #expect(plan.contains(#""caps":["\#(words)"#), "\(plan)")
    let left = 100 - sent
    #expect(
      plan.contains(#""quota":"hour","left":\#(left),"allowed":100,"#), "\(plan)")
    #expect(plan.contains(#""cost":\#(sent),"days":1}"#), "\(plan)")
    #expect(trial.sandbox.requests(api: "giphy").count == sent)
  }

  @Test("--wait waits for the other run's lock and says who holds it; without it 75")
  func wait() async throws {
    let folder = try DataFolder(creating: trial.data)
    var lock = try JobLock.take("github", in: folder)
    #expect(lock != nil)
    let refused = try await trial.run(["run", "github"] + trial.github, ends: .paused)
    #expect(
      refused.errorLines[0].contains("another command is at work on github, process \(getpid())"))
    #expect(refused.errorLines[1].contains("--wait"))
    #expect(trial.sandbox.requests().isEmpty)
    async let waiting = trial.run(["run", "github", "--wait"] + trial.github)
    lock = nil
    let ended = try await waiting
    #expect(ended.status == .complete)
  }

  @Test("--until gives the run that instant as its end")
  func until() throws {
    let end = Instant(seconds: (trial.time.now.seconds / 60 + 4) * 60)
    let context = try trial.context([
      "run", "github", "--until", Self.clock(end), "--endpoint", "http://127.0.0.1:1/",
    ])
    #expect(try JobSelection("github", context).options.until == end)
  }

  /// `HH:MM` in local time.
  private static func clock(_ instant: Instant) -> String {
    var seconds = time_t(instant.seconds)
    var parts = tm()
    localtime_r(&seconds, &parts)
    func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + "\(number)" }
    return "\(two(parts.tm_hour)):\(two(parts.tm_min))"
  }

  @Test("--endpoint with a query is refused and not repeated, as it may hold a key")
  func endpointQuery() async throws {
    for words in [["run", "github"], ["check", "github", "--offline", "--json"]] {
      let address = "https://api.example/?key=\(CommandTrial.canary)"
      let ended = try await trial.run(words + ["--endpoint", address], ends: .usage)
      #expect(ended.everything.contains("without a query"), "\(words): \(ended.everything)")
      #expect(!ended.everything.contains(CommandTrial.canary))
    }
  }

  @Test("--metrics-file puts a whole Prometheus text in place, and keeps an earlier success")
  func metrics() async throws {
    let file = "\(trial.scratch.path)/trawl.prom"
    _ = try await trial.run(["run", "github", "--metrics-file", file] + trial.github)
    let good = try #require(Golden.read(file))
    #expect(good.contains("trawl_run_exit_code{job_name=\"github\"} 0\n"))
    let sent = trial.sandbox.requests(api: "github").count
    #expect(good.contains("trawl_run_requests{job_name=\"github\"} \(sent)\n"))
    let success = try #require(Self.value("trawl_last_success_timestamp_seconds", good))
    _ = try await trial.run(
      ["run", "github", "--max-requests", "0", "--metrics-file", file] + trial.github)
    let paused = try #require(Golden.read(file))
    #expect(paused.contains("trawl_run_exit_code{job_name=\"github\"} 75\n"))
    #expect(Self.value("trawl_last_success_timestamp_seconds", paused) == success)
    #expect(Self.isWellFormed(paused))
  }

  @Test("--metrics-file claims no success of a run that could not begin, nor while each list fails")
  func metricsOfFailures() async throws {
    trial.keep(job: "people")
    let file = "\(trial.scratch.path)/trawl.prom"
    let line = "run people --set user=hubot --metrics-file \(file)"
    try await trial.run(line, ends: .complete)
    let good = try #require(Golden.read(file))
    let text = Golden.read(trial.file(of: "people")) ?? ""
    Golden.write("{ name: }", to: trial.file(of: "people"))
    try await trial.run(line, ends: .configuration)
    let series = "trawl_run_exit_code{job_name=\"people\"} "
    #expect(Golden.read(file) == good.replacing("\(series)0\n", with: "\(series)78\n"))
    Golden.write(text, to: trial.file(of: "people"))
    trial.sandbox.arm(ArmedFault(.cutJSON, target: "/hubot/followers", count: 10_000))
    var codes: [Commands.ExitStatus] = []
    for _ in 0..<2 {
      trial.time.advance(by: .seconds(86_400))
      codes.append(try await trial.run(line).status)
    }
    #expect(codes.last == .complete, "a list that fails again is no news: \(codes)")
    let failing = try #require(Golden.read(file))
    let success = "trawl_last_success_timestamp_seconds"
    #expect(Self.value(success, failing) == Self.value(success, good))
  }

  @Test("--metrics-file goes on to tell of a job of the command that is not due or cannot begin")
  func metricsOfIdle() async throws {
    for name in ["ours", "theirs"] { trial.keep(job: name) }
    trial.edit("ours", "params:", to: "every: \"1d\", params:")
    let file = "\(trial.scratch.path)/trawl.prom"
    let line = "run ours theirs --metrics-file \(file)"
    try await trial.run(line, ends: .complete)
    let good = try #require(Golden.read(file))
    let ours = good.split(separator: "\n").filter { $0.contains("{job_name=\"ours\"") }
    try await trial.run(line + " --if-due", ends: .complete, saying: "ours is not due before")
    let rested = try #require(Golden.read(file))
    #expect(ours.count > 10 && ours.allSatisfy { rested.contains("\($0)\n") }, "\(rested)")
    #expect(Self.isWellFormed(rested))
    let lock = try JobLock.take("theirs", in: DataFolder(existing: trial.data))
    try await trial.run(line, ends: .paused)
    withExtendedLifetime(lock) {}
    let refused = try #require(Golden.read(file))
    for (name, code) in [("ours", 0), ("theirs", 75)] {
      #expect(refused.contains("trawl_run_exit_code{job_name=\"\(name)\"} \(code)\n"))
    }
    #expect(Self.isWellFormed(refused), "\(refused)")
  }

  @Test("--metrics-file replaces no file that is not its own")
  func metricsOfAnother() async throws {
    trial.keep(job: "people")
    let before = Golden.read(trial.file(of: "people"))
    try await trial.trawl(
      "run", "people", "--metrics-file", trial.file(of: "people"), ends: .cannotCreate,
      saying: "was not written by Trawl; left as it is")
    #expect(Golden.read(trial.file(of: "people")) == before)
    #expect(trial.sandbox.requests().isEmpty)
  }

  @Test("--metrics-file takes no part of the data folder, also where that is new")
  func metricsElsewhere() async throws {
    for _ in 0..<2 {
      try await trial.run(
        ["run", "github", "--metrics-file", "\(trial.data)/trawl.db"] + trial.github,
        ends: .cannotCreate, saying: "this is the database itself")
      try await trial.run(["run", "github"] + trial.github, ends: .complete)
    }
    try await trial.trawl("prove", ends: .complete)
  }

  @Test("a name in metrics ends neither its label nor its line")
  func metricsOfOddNames() {
    let facts = RunFacts(
      run: "1", job: "5\"\u{301}\r\n\\", command: "run", arguments: [], origin: "https://a.example",
      startedAt: Instant(seconds: 0))
    let text = MetricsText([RunMetrics(facts: facts, exitCode: 0)]).text
    #expect(text.contains("trawl_run_exit_code{job_name=\"5\\\"\u{301}\r\\n\\\\\"} 0\n"))
  }

  private static func value(_ name: String, _ text: String) -> String? {
    text.split(separator: "\n").first { $0.hasPrefix("\(name){") }?
      .split(separator: " ").last.map(String.init)
  }

  /// Each metric once: HELP, TYPE, samples.
  private static func isWellFormed(_ text: String) -> Bool {
    var seen: Set<Substring> = []
    var current: Substring = ""
    for line in text.split(separator: "\n") {
      if line.hasPrefix("# HELP ") {
        current = line.split(separator: " ")[2]
        guard seen.insert(current).inserted else { return false }
      } else if !line.hasPrefix("# TYPE \(current) gauge"), !line.hasPrefix("\(current){") {
        return false
      }
    }
    return !seen.isEmpty && text.hasSuffix("\n")
  }

  @Test("a success in a log is one line that says it all")
  func oneLine() async throws {
    let ended = try await trial.run(["run", "github"] + trial.github)
    #expect(ended.errorLines.count == 1 && ended.output.isEmpty)
    let line = try #require(ended.errorLines.first)
    #expect(line.hasPrefix("github: complete; 3 lists, "))
    #expect(line.contains("report \(trial.data)/reports/github/"))
  }

  @Test("--retry-rejects maps what was kept raw by the mended file, and asks nothing")
  func retryRejects() async throws {
    trial.keep(job: "people", columns: "login: \"login as integer required\"")
    try await trial.run("run people", ends: .less)
    let sent = trial.sandbox.requests().count
    trial.keep(job: "people", columns: "login: \"login as text required\"")
    let again = try await trial.run("run people --retry-rejects", ends: .complete)
    let truth = try #require(trial.sandbox.truth("github")?.list("followers", of: "octocat"))
    #expect(again.errors.contains("\(truth.keys.count) rejects fit now, 0 are left"))
    #expect(trial.sandbox.requests().count == sent)
  }

  @Test("one job twice in a command is refused before anything is asked")
  func twice() async throws {
    let ended = try await trial.run("run openmarket openmarket")
    #expect(ended.status == .usage && !trial.exists("data"))
  }
}
