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
    try await trial.run(
      ["run", "github", "--dry-run"] + trial.github, ends: .complete, showing: "profile of octocat",
      "\(trial.sandbox.endpoint(for: "github"))/users/octocat", "quota core: 60 of 60 left",
      "for each profile.login that is due", "this takes at least ")
    let many = (1...21).flatMap { ["--set", "user=u\($0)"] }
    try await trial.run(
      ["run", "github", "--dry-run"] + many + trial.github, ends: .complete,
      showing: "profile: 21 lists  21 ", "\(trial.sandbox.endpoint(for: "github"))/users/u1\n")
    #expect(trial.sandbox.requests().isEmpty)
    #expect(!trial.exists("data"))
  }

  @Test("what names no list that could be requested is refused before anything is asked")
  func nothingToAsk() async throws {
    try await trial.run(
      ["run", "github", "--stream", "search", "--set", "words=@profile.login"] + trial.github,
      ends: .usage, saying: "nothing of github would be requested", "the stream search of github is"
    )
    trial.keep(job: "people")
    try await trial.run(
      "run people --set user=..", ends: .usage, saying: "\"..\" can be no part of the path")
    try await trial.run(
      "run github newsapi --endpoint http://127.0.0.1:1", ends: .usage,
      saying: "--endpoint is for one job")
    try await trial.run(
      "run github --ca /none", ends: .configuration, saying: "nothing was requested")
    #expect(trial.sandbox.requests().isEmpty)
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
    let command = trial.words("run giphy --stream trending")
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
    try await until("the run waits") { !trial.time.slept.isEmpty }
    #expect(trial.sandbox.requests().isEmpty)
    lock = nil
    let ended = try await waiting
    let words = "waiting until the other command is done with github, process \(getpid())"
    #expect(ended.status == .complete && ended.errors.contains(words), "\(ended.errors)")
  }

  @Test("--images later leaves what the walk did not wait for to the next run, with its number")
  func laterImages() async throws {
    let mayCome = Locked(false)
    trial.sandbox.watch { request in
      guard request.api == "media" else { return }
      for _ in 0..<600_000 {
        if mayCome.withLock({ $0 }) { return }
        // On a thread of the server.
        usleep(1_000)
      }
    }
    async let first = trial.run(["run", "github", "--images", "later"] + trial.github)
    try await until("the lists are read") {
      // Before the first page there is no such table.
      (try? trial.rows("SELECT count(*) FROM trawl_certificates")) == ["3"]
    }
    mayCome.withLock { $0 = true }
    let ended = try await first
    let stored = "SELECT count(*) FROM github_users_media WHERE avatar_path IS NOT NULL"
    let all = try trial.rows("SELECT count(*) FROM github_users WHERE avatar_url IS NOT NULL")
    #expect(ended.status == .complete && ended.errors.contains("left to the next run"))
    #expect(try trial.rows(stored) != all, "\(ended.errors)")
    try await trial.run("status", showing: " still to fetch")
    try await trial.run(["run", "github"] + trial.github, ends: .complete)
    #expect(try trial.rows(stored) == all)
    try await trial.run(["run", "github", "--images", "never"] + trial.github, ends: .usage)
  }

  @Test("--until gives the run that instant as its end")
  func untilTime() throws {
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

  @Test(
    "--metrics-file puts a whole Prometheus text in place, and claims no success of a run that paused or could not begin, nor while each list fails"
  )
  func metrics() async throws {
    trial.keep(job: "people")
    let file = "\(trial.scratch.path)/trawl.prom"
    let line = "run people --set user=hubot --metrics-file \(file)"
    let series = "trawl_run_exit_code{job_name=\"people\"} "
    try await trial.run(line, ends: .complete)
    let good = try #require(Golden.read(file))
    let sent = trial.sandbox.requests(api: "github").count
    #expect(good.contains("\(series)0\n"))
    #expect(good.contains("trawl_run_requests{job_name=\"people\"} \(sent)\n"))
    let success = try #require(Self.lastSuccess(good))
    let text = Golden.read(trial.file(of: "people")) ?? ""
    Golden.write("{ name: }", to: trial.file(of: "people"))
    try await trial.run(line, ends: .configuration)
    #expect(Golden.read(file) == good.replacing("\(series)0\n", with: "\(series)78\n"))
    Golden.write(text, to: trial.file(of: "people"))
    try await trial.run("\(line) --max-requests 0", ends: .paused)
    let paused = try #require(Golden.read(file))
    #expect(paused.contains("\(series)75\n") && Self.lastSuccess(paused) == success)
    #expect(Self.isWellFormed(paused))
    trial.sandbox.arm(ArmedFault(.cutJSON, target: "/hubot/followers", count: 10_000))
    var codes: [Commands.ExitStatus] = []
    for _ in 0..<2 {
      trial.time.advance(by: .seconds(86_400))
      codes.append(try await trial.run(line).status)
    }
    #expect(codes.last == .complete, "a list that fails again is no news: \(codes)")
    let failing = try #require(Golden.read(file))
    #expect(Self.lastSuccess(failing) == success)
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
    try await trial.run(
      ["run", "github", "--metrics-file", "\(trial.scratch.path)/none/x.prom"] + trial.github,
      ends: .cannotCreate, saying: "github: complete; ", "x.prom cannot be written: ")
    try await trial.trawl("prove", ends: .complete)
  }

  @Test("a name in metrics ends neither its label nor its line")
  func metricsOfOddNames() {
    var facts = RunFacts(
      run: "1", job: "5\"\u{301}\r\n\\", command: "run", arguments: [], origin: "https://a.example",
      startedAt: Instant(seconds: 0))
    let range = TimeWindow(from: Instant(seconds: 0), to: Instant(seconds: 9))
    facts.coverage = [CoverageFacts(stream: "s", listName: "\"q", range: range, stretches: [])]
    let text = MetricsText([RunMetrics(facts: facts, exitCode: 0)]).text
    #expect(text.contains(",stream=\"s\",list=\"\\\"q\"} 0"), "\(text)")
    #expect(text.contains("trawl_run_exit_code{job_name=\"5\\\"\u{301}\r\\n\\\\\"} 0\n"))
  }

  private static func lastSuccess(_ text: String) -> Substring? {
    text.split(separator: "\n").first { $0.hasPrefix("trawl_last_success_timestamp_seconds{") }?
      .split(separator: " ").last
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
    try await trial.run(
      "run people --retry-rejects", ends: .complete, saying: "0 rejects fit now, ",
      "what is left says why: SELECT path, reason, raw FROM trawl_rejects WHERE job = 'people'")
    try await trial.run(
      "status people", showing: " kept: SELECT * FROM trawl_rejects WHERE job = 'people'")
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
