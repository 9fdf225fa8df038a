import Base
@testable import Commands
import SandboxKit
import Store
import TestSupport
import Testing

@Suite("trawl status")
struct StatusTests {
  private let trial: CommandTrial
  init() throws { trial = try CommandTrial() }

  @Test("tells of an empty folder what makes a database, and makes none")
  func empty() async throws {
    try await trial.run("status", ends: .complete, saying: trial.advice("trawl run JOB makes it"))
    try await trial.trawl("status", "--max-age", "1d", ends: .found)
    let path = try await trial.run("path", ends: .complete, saying: "no database there yet")
    #expect(path.output == "\(trial.data)/trawl.db\n")
    #expect(!trial.exists("data"))
  }

  @Test("tells each list's rows, verdict and reason, the last run and what each quota has left")
  func told() async throws {
    _ = try await trial.run(["run", "github"] + trial.github)
    let ended = try await trial.run("status github", ends: .complete)
    let truth = try #require(trial.sandbox.truth("github")?.list("followers", of: "octocat"))
    let row = ended.lines.first { $0.contains("followers of octocat") } ?? ""
    #expect(row.split(separator: " ").contains("\(truth.keys.count)"))
    #expect(row.contains("complete") && row.contains("no next page"))
    #expect(ended.output.contains("last run  run of"))
    let sent = trial.sandbox.requests(api: "github").count
    #expect(ended.output.contains("pace: \(600 - sent) of 600 left"))
  }

  @Test("shows a hundred of many lists, those that need a look first, and the sums of all")
  func manyLists() async throws {
    let users = (["octocat"] + (0..<130).map { "nobody-\($0)" }).flatMap {
      ["--set", "user=\($0)"]
    }
    // Sixty requests an hour.
    for _ in 0..<3 {
      _ = try await trial.run(["run", "github"] + trial.github + users)
      trial.time.advance(by: .seconds(3700))
    }
    let ended = try await trial.run("status github")
    let shown = ended.lines.count { $0.hasPrefix("  profile of ") || $0.hasPrefix("  follow") }
    let json = try await trial.trawl("status", "github", "--json").output
    let all = json.split(separator: "\"list_number\"").count - 1
    #expect(all > 110 && shown == 100, "\(all), \(shown): \(ended.output.suffix(2_000))")
    #expect(ended.output.contains("and \(all - 100) more lists; of all \(all): "))
    #expect(ended.output.contains("--json names each"))
    // What is complete needs no look.
    let isShown = ended.lines.contains { $0.contains(" of octocat ") && $0.contains(" complete ") }
    #expect(!isShown, "\(ended.output)")
  }

  @Test("tells who used a quota, also of a job that was run by its path")
  func users() async throws {
    trial.keep(job: "people")
    let path = "\(trial.scratch.path)/people.json5"
    let kept = Golden.read(trial.file(of: "people")) ?? ""
    Golden.write(
      kept.replacing("name: \"people\"", with: "name: \"folk\"").replacing(
        "streams:", with: "quotas: { all: { allow: 40, per: \"hour\" } }, streams:"), to: path)
    try await trial.trawl("run", path, ends: .complete)
    let count = trial.sandbox.requests(api: "github").count
    // Its file is in no job folder.
    try await trial.run(
      "status folk", showing: "all: \(40 - count) of 40 left, more at ", "; used by folk \(count)")
    let json = try await trial.run("status folk --json").json
    let quota = try #require(json["quotas"]?[0])
    #expect(quota["quota"]?.string == "all" && quota["account"]?.string == "no key")
    #expect(quota["used_by"]?[0]?["job"]?.string == "folk")
    #expect(quota["used_by"]?[0]?["spender"]?.string == "run")
    #expect(quota["used_by"]?[0]?["cost"]?.integer == Int64(count))
  }

  @Test("shows the exit code of a run's damaged row, whatever it is, and the next run ends well")
  func damagedCode() async throws {
    trial.keep(job: "people")
    try await trial.run("run people", ends: .complete)
    try trial.change("UPDATE trawl_runs SET exit_code = 1 << 40")
    try await trial.run("status people", ends: .complete, showing: "(exit \(1 << 40))")
    // Its index shows the other run, too.
    try await trial.run("run people", ends: .complete)
  }

  @Test("gives one JSON object a job, with the same facts")
  func json() async throws {
    _ = try await trial.run(["run", "github"] + trial.github)
    let ended = try await trial.trawl("status", "--json")
    // Shipped jobs that never ran come last.
    let others = ended.lines.dropFirst()
    #expect(
      !others.isEmpty
        && others.allSatisfy {
          $0.contains("\"standing\":\"never ran\"") || $0.contains("\"standing\":\"idle\"")
        })
    let root = try #require(try ended.jsonLines.first)
    #expect(root["job"]?.string == "github")
    #expect(root["running"]?.boolean == false)
    #expect(root["last_run"]?["exit_code"]?.integer == 0)
    let lists = try #require(root["lists"])
    #expect(
      lists.elements.compactMap { $0["verdict"]?.string } == ["complete", "complete", "complete"])
    #expect(lists.elements.allSatisfy { $0["late"]?.boolean == false })
  }

  /// A job that also requests the profile of each follower.
  private func keepProfiles(when: String) {
    trial.keep(job: "people")
    trial.edit(
      "people", "streams: {",
      to: """
        streams: {
          profiles: { for: { each: "followers.login", when: "\(when)" }, get: "/users/{login}",
            records: ".", into: "profiles", key: ["id"], columns: { id: "id as integer" } },
        """)
  }

  @Test("says what is due with the next run, as --dry-run does")
  func due() async throws {
    keepProfiles(when: "new")
    try await trial.run("run people --stream followers", ends: .complete)
    let count = try #require(trial.sandbox.truth("github")?.list("followers", of: "octocat"))
      .keys.count
    try await trial.run("status people", showing: "profiles, for \(count) of followers")
    #expect(try await dueRecords() == [count, count])
    // The hourly quota ends the run before all are requested.
    _ = try await trial.run("run people")
    let after = try await dueRecords()
    #expect(after[0] == after[1] && after[0] < count, "\(after)")
  }

  /// How many records are due according to `status` and `--dry-run`.
  private func dueRecords() async throws -> [Int] {
    let due = try await trial.run("status people --json").json["due"]?[0]
    if let due {
      #expect(due["stream"]?.string == "profiles" && due["for"]?.string == "followers")
    }
    let preview = try await trial.run("run people --dry-run --json")
    let planned = try preview.jsonLines.compactMap { $0["due"]?.integer }
    #expect(planned.count == 1, "\(preview.output)")
    return [Int(due?["records"]?.integer ?? 0), Int(planned.first ?? -1)]
  }

  @Test("ends with 4 and names what is late when the last good end is too old")
  func late() async throws {
    _ = try await trial.run(["run", "github"] + trial.github)
    let fresh = try await trial.trawl("status", "--max-age", "1h")
    #expect(fresh.status == .complete && !fresh.errors.contains("late"))
    // A list that was never complete is late at any age.
    _ = try await trial.run(
      ["run", "github", "--set", "user=hubot", "--max-requests", "1"] + trial.github)
    let late = try await trial.trawl(
      "status", "--max-age", "1h", ends: .found, saying: "it has not been complete yet")
    #expect(!late.errors.contains("octocat"))
  }

  @Test(
    "takes no list for late of which nothing was due", arguments: ["new", "changed", "stale 7d"])
  func resting(when: String) async throws {
    keepProfiles(when: when)
    trial.edit("people", "by: \"link\", size: \"?per_page=30\"", to: "by: \"single\"")
    trial.edit("people", "{user}/followers", to: "{user}")
    try await trial.run("run people", ends: .complete)
    trial.time.advance(by: .seconds(3 * 86_400))
    let unread = try await trial.run("status people --max-age 30h")
    #expect(unread.errors.contains("late") && !unread.errors.contains("profiles"))
    try await trial.run("run people", ends: .complete)
    try await trial.run("status people --max-age 30h", ends: .complete)
  }

  @Test("takes a list that paused every night for late, from its last complete end on")
  func paused() async throws {
    let job = "github --endpoint \(trial.sandbox.endpoint(for: "github"))"
    try await trial.run("run \(job)", ends: .complete)
    for _ in 0..<3 {
      trial.time.advance(by: .seconds(86_400))
      try await trial.run("run \(job) --max-requests 0", ends: .paused)
    }
    try await trial.run(
      "status github --max-age 2d", ends: .found, saying: "followers of octocat is late: ")
    try await trial.run("status github --max-age 4d", ends: .complete)
    // A complete run makes it fresh again.
    try await trial.run("run \(job)", ends: .complete)
    try await trial.run("status github --max-age 2h", ends: .complete)
  }

  @Test("takes a list for late of which another request is declared than the one that was read")
  func otherRequest() async throws {
    trial.keep(job: "people")
    try await trial.run("run people", ends: .complete)
    try await trial.run("status --max-age 1h", ends: .complete)
    trial.edit("people", "records:", to: "query: { q: \"all\" }, records:")
    // A run of at most one page decides what the old certificate is worth.
    try await trial.run("run people --max-requests 1", ends: .paused)
    try await trial.run("status --max-age 1h", ends: .found, saying: "it has not been complete yet")
  }

  @Test("names the process that holds the job's lock, and takes nothing from it")
  func running() async throws {
    _ = try await trial.run(["run", "github"] + trial.github)
    let folder = try DataFolder(existing: trial.data)
    let lock = try #require(try JobLock.take("github", in: folder))
    try await trial.run("status github", showing: "now, by process")
    let line = try await trial.run("status").lines.first { $0.contains("github") } ?? ""
    #expect(line.contains("running") && line.contains("process"))
    withExtendedLifetime(lock) {}
  }

  @Test("says that rows were filled by an older job file until --refill has read them again")
  func refill() async throws {
    trial.keep(job: "people")
    try await trial.run("run people", ends: .complete)
    trial.keep(job: "people", columns: "login: \"login\", html_url: \"html_url as url\"")
    try await trial.run("status", saying: trial.advice("trawl run people --refill"))
    let rows = try trial.rows("SELECT count(*) FROM people_users")
    // A run of the new file without requests creates the column but cannot fill it.
    try await trial.run("run people --max-requests 0", ends: .paused)
    let unfilled = "SELECT count(*) FROM people_users WHERE html_url IS NULL"
    #expect(try trial.rows(unfilled) == rows && rows != ["0"])
    try await trial.run("run people --refill", ends: .complete)
    #expect(try trial.rows(unfilled) == ["0"])
    #expect(try trial.rows("SELECT count(*) FROM people_users") == rows)
    let fresh = try await trial.run("status")
    #expect(!fresh.errors.contains("--refill"))
  }

  @Test("knows the rows and the age of a job whose coverage was reset, and that nothing is proven")
  func reset() async throws {
    trial.keep(job: "people")
    try await trial.run("run people", ends: .complete)
    try await trial.run("reset coverage people --yes", ends: .complete)
    func standing() async throws -> (ends: Bool, word: String?, rows: Int64?) {
      let ended = try await trial.run("status people --max-age 30h --json")
      let root = try ended.json
      return (ended.status == .complete, root["standing"]?.string, root["rows"]?.integer)
    }
    let now = try await standing()
    #expect(now.ends && now.word == "incomplete" && now.rows ?? 0 > 0, "\(now)")
    trial.time.advance(by: .seconds(40 * 3600))
    #expect(try await !standing().ends)
  }
}
