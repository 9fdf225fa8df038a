import Glibc
import Base
@testable import Commands
import SandboxKit
import Store
import TestSupport
import Testing

@Suite("The index of reports")
struct IndexTests {
  private let trial: CommandTrial
  init() throws { trial = try CommandTrial() }

  private var page: String { Golden.read("\(trial.data)/reports/index.html") ?? "" }

  /// A job like the sandbox's GitHub, with other name and members.
  private func keep(_ name: String, _ members: String) {
    trial.keep(job: name, text: "{ name: \"\(name)\", use: \"people\", \(members) }")
  }

  @Test("says who is up to date, who needs a person and what to paste, and who waits")
  func sums() async throws {
    trial.keep(job: "people")
    for name in ["calm", "slow", "wrong"] { keep(name, "every: \"1h\"") }
    try await trial.run("run calm", ends: .complete)
    try await trial.run("run slow --max-requests 1", ends: .paused)
    keep("wrong", "params: { user: \"nobody-at-all\" }")
    _ = try await trial.run("run wrong")
    let page = self.page
    let title = "1 up to date, 1 needs you, 1 waits, 1 has not run yet"
    #expect(page.contains("<title>\(title) – Trawl</title>"), "\(page.prefix(1200))")
    #expect(page.contains("<code class=\"command\">trawl check wrong</code>"))
    for text in [
      "<h2>Needs a person</h2>", "aria-label=\"1 run: 1 as declared\"",
      "Changes of the last day", "<a href=\"calm/", "<span class=\"soft\">of 1 h</span>",
    ] {
      #expect(page.contains(text), "\(text)")
    }
    // Worst first.
    let order = ["wrong", "slow", "calm", "people"].compactMap { name in
      page.firstRange(of: "<bdi>\(name)</bdi></a></th>")?.lowerBound
        ?? page.firstRange(of: "<th scope=\"row\"><bdi>\(name)</bdi></th>")?.lowerBound
    }
    #expect(order.count == 4 && order == order.sorted())
  }

  @Test("shows twenty runs, and those before them folded")
  func earlierRuns() async throws {
    trial.keep(job: "people")
    for _ in 1...22 { try await trial.run("run people --max-requests 0", ends: .paused) }
    #expect(page.contains("<summary>2 earlier runs</summary>"), "\(page.suffix(2_000))")
  }

  @Test("what heals itself is amber and needs nobody until it has lasted for two nights")
  func thirdNight() async throws {
    trial.keep(job: "people")
    let words = ["run", "people", "--data", trial.data]
    try await trial.run(words, ends: .complete)
    trial.sandbox.stop()
    for night in 1...2 {
      trial.time.advance(by: .seconds(86_400))
      try await trial.run(words, ends: .unreachable)
      let page = self.page
      #expect(page.contains("1 needs you") == (night == 2), "night \(night)")
      #expect(page.contains("heals with its next run") == (night < 2))
      try await trial.run("status", showing: night == 2 ? "1 failed" : "1 unreachable")
    }
  }

  @Test("the age of a late job is that of its oldest late list, however new the others are")
  func age() async throws {
    trial.keep(job: "people")
    trial.edit("people", "[\"octocat\"]", to: "[\"octocat\", \"hubot\"]")
    keep("calm", "every: \"1d\"")
    try await trial.run("run calm", ends: .complete)
    trial.sandbox.arm(ArmedFault(.html200, target: "/users/hubot/followers", count: 10_000))
    for _ in 1...4 {
      trial.time.advance(by: .seconds(86_400))
      try await trial.run("run calm")
    }
    #expect(page.contains("<span class=\"mark wait\">4 days, late</span>"))
  }

  @Test("report --open names the page where there is no display; without a job the index")
  func open() async throws {
    _ = try await trial.run(["run", "github"] + trial.github)
    let index = try await trial.run("report --open")
    #expect(index.output == "\(trial.data)/reports/index.html\n")
    let page = try await trial.run("report github --open")
    #expect(page.output.hasSuffix(".html\n") && page.output.contains("/reports/github/"))
    #expect(access(page.lines[0], R_OK) == 0)
  }

  @Test("report --changes tells what a run brought, and that a quiet one brought nothing")
  func changes() async throws {
    _ = try await trial.run(["run", "github"] + trial.github)
    let first = try await trial.run(
      "report --changes --limit 3", ends: .complete, showing: "github_users: ", " new: first run",
      "new  octocat", " more: --limit ")
    // New records are new in their lists too: that is said once.
    #expect(!first.output.contains("github_follows: "), "\(first.output)")
    _ = try await trial.run(["run", "github"] + trial.github)
    try await trial.run(
      "report github --changes", showing: "nothing is new, changed, gone or back since the last run"
    )
    try await trial.run("report github --changes --since 1d", showing: " new")
    try await trial.run(
      "report github --changes --since soon", ends: .usage, saying: "1d or 2024-03-01")
  }

  @Test("shows a job as ended that has ended, though its process is there for a moment longer")
  func lockHeld() async throws {
    trial.keep(job: "people")
    keep("calm", "every: \"1d\"")
    try await trial.run("run calm", ends: .complete)
    let lock = try JobLock.take("calm", in: DataFolder(existing: trial.data))
    try await trial.run("run people", ends: .complete)
    withExtendedLifetime(lock) {}
    #expect(
      lock != nil && page.contains("<title>2 up to date"), "\(page.prefix(300))")
  }

  @Test(
    "a run that waits while two others write the page leaves it to the second", arguments: 1...2)
  func others(writers: Int) async throws {
    trial.keep(job: "people")
    try await trial.run("run people", ends: .complete)
    let path = "\(trial.data)/reports/index.html"
    // Only this holds the lock, so that it can let go of it.
    let others = try Locked((lock: FileLock("\(trial.data)/reports/.index.lock"), written: 0))
    #expect(others.withLock { $0.lock != nil })
    var context = try trial.context(["status", "--data", trial.data])
    context.time.sleep = { _ in
      others.withLock {
        $0.written += 1
        Golden.write("by another", to: path)
        // Two real writes may come within one step of the file system's clock.
        let at = timeval(tv_sec: $0.written, tv_usec: 0)
        utimes(path, [at, at])
        if $0.written == writers { $0.lock = nil }
      }
    }
    let store = try await RecordStore.open(
      DataFolder(existing: trial.data), context.storeSettings)
    try await IndexGathering(context: context, location: try context.locationForReading())
      .write(store)
    await store.close()
    #expect(others.withLock { $0.written } == writers)
    #expect((page == "by another") == (writers == 2))
  }
}
