import Base
import SandboxKit
import TestSupport
import Testing

/// Five jobs, of which one is capped, one paused by its quota, one has rejects, one faults; then their reports are
/// compared with the database and the server's log. Durations are not compared, and of quotas that refill meanwhile
/// only the order.
@Suite("The counts of a report", .prompt)
struct ReportNumberTests {
  private static let columns = [
    "new", "changed", "unchanged", "repeated", "dropped", "rejected",
  ]

  @Test("agrees with the database and with the server's log, in all forms of the report")
  func all() async throws {
    let sandbox = try Sandbox.changed {
      $0.youTube.searchesPerDay = 1
      $0.giphy.gifs = 600
      $0.gitHub.followers = 120
      $0.gitHub.users = 300
    }
    let home = Home()
    // Its currency does not fit its column.
    let market = home.write(
      JobText.shipped("openmarket", [("\"currency\",", "\"currency integer\",")]),
      to: "openmarket.json5")
    let runs: [(job: String, word: String, status: Int32, verdicts: Set<String>)] = [
      ("youtube", "youtube", 75, ["paused"]),
      ("newsapi", "newsapi", 0, ["complete"]),
      ("github", "github", 0, ["complete"]),
      // Its search is read to the end, but cannot be proven.
      ("giphy", "giphy", 0, ["complete", "limited", "unproven"]),
      ("openmarket", market, 3, ["complete"]),
    ]
    let schema = try JSONDocument.read(Array(JobText.read("jobs/report.schema.json").utf8))
    for run in runs {
      // One page fails once: it is retried, and counted.
      if run.job == "github" {
        sandbox.arm(ArmedFault(.status503, target: "&page=2"))
      }
      let mark = sandbox.lastRequest
      let metrics = "\(home.scratch.path)/\(run.job).prom"
      let ended = await home.trawl(
        "run", run.word, "--endpoint", sandbox.endpoint(for: run.job), "--max-wait", "20s",
        "--metrics-file", metrics, ends: run.status)
      let report = try StoredReport(run.job, in: home)
      #expect(SchemaCheck.problems(report.document.root, schema: schema.root) == [], "\(run.job)")
      #expect(Set(report.units.map { $0.text("verdict") }) == run.verdicts, "\(run.job)")
      let check = Check(
        report: report, tables: home.tables,
        asked: sandbox.requests(api: run.job, since: mark),
        images: sandbox.requests(api: "media", since: mark))
      try check.requests()
      try check.units()
      try check.pictures()
      try check.rejects()
      try check.run(status: Int(run.status))
      let status = await home.trawl("status", run.job, "--json").output
      try check.quotas(JSONDocument.read(Array(status.utf8)).root)
      check.page()
      check.metrics(Golden.read(metrics) ?? "")
      check.line(ended.errors)
    }
    #expect(try StoredReport("github", in: home).number("requests", "retried") == 1)
    #expect(try StoredReport("openmarket", in: home).number("reject_count") > 40)
    #expect(try StoredReport("youtube", in: home)["wall_clock", "resumes_at"]?.count == 1)
  }

  @Test("a run that goes on counts what it brought itself, beside what the whole walk holds")
  func resumed() async throws {
    let sandbox = try Sandbox.small(followers: 57, users: 150)
    let home = Home()
    let job = home.write(JobText.unlimited(pageSize: 20), to: "github.json5")
    let words = home.arguments(job, sandbox, ["--stream", "profile", "--stream", "followers"])
    await home.run(words + ["--max-requests", "3"], ends: 75)
    let rows = try home.count("github_users")
    await home.run(words, ends: 0)
    let all = try home.count("github_users")
    let report = try StoredReport("github", in: home)
    let followers = try #require(report.units.first { $0.text("stream") == "followers" })
    #expect(followers["counts"]?.number("new") == 57)
    #expect(followers["this_run"]?.number("new") == all - rows && all > rows)
    #expect(report.number("counts", "new") == all - rows)
  }

  /// One run's report, and what it is compared with.
  private struct Check {
    let report: StoredReport
    let tables: Tables
    let asked: [LoggedRequest]
    let images: [LoggedRequest]

    private var job: String { report.job }
    private var thisRun: String {
      "(SELECT max(run) FROM trawl_runs WHERE job = '\(job)')"
    }

    func requests() throws {
      #expect(report.number("requests", "sent") == asked.count, "\(job)")
      #expect(report.number("requests", "not_modified") == asked.count { $0.status == 304 })
      let broken = asked.filter { $0.outcome != "answered" && $0.status != 429 }
      #expect(report.number("requests", "retried") == broken.count, "\(job): \(broken)")
      let causes = report["requests", "retries_by_cause"]?.members.map(\.value) ?? []
      #expect(causes.compactMap(\.integer).reduce(0, +) == Int64(broken.count))
      let health = asked.count { $0.target.holds("healthChecker") }
      let ofUnits = report.units.map { $0.number("requests") }.reduce(0, +)
      #expect(ofUnits + health == asked.count, "\(job)")
      #expect(report.number("requests", "bytes") > 0)
    }

    func units() throws {
      let columns = ReportNumberTests.columns
      let sums = columns.map { "sum(\($0))" }.joined(separator: ", ")
      let stored = try tables.rows(
        "SELECT list, stream, verdict, rule, why, pages, distinct_keys, vanished, "
          + "first_total, last_total, received, \(columns.joined(separator: ", ")) "
          + "FROM trawl_certificates JOIN trawl_windows USING (window) JOIN trawl_lists USING (list_number) "
          + "WHERE run = \(thisRun) ORDER BY certificate"
      ).map { $0.map(\.shown) }
      let told = report.units.map { unit in
        let counts = unit["counts"]
        let totals = ["first_total", "last_total"].map { name in
          unit[name]?.integer.map { "\($0)" } ?? "NULL"
        }
        return ["list", "stream", "verdict", "rule", "why"].map { unit.text($0) }
          + ["pages", "distinct_keys", "vanished"].map { "\(unit.number($0))" } + totals
          + (["received"] + columns).map { "\(counts?.number($0) ?? .min)" }
      }
      #expect(told == stored, "\(job)")
      // In the first run of each job, its own counts are those of the walks.
      for unit in report.units { #expect(unit["counts"]?.json == unit["this_run"]?.json) }
      let all = try tables.rows(
        "SELECT sum(received), \(sums) FROM trawl_certificates WHERE run = \(thisRun)"
      ).first?.map(\.shown)
      #expect(
        (["received"] + columns).map { "\(report.number("counts", $0))" } == all, "\(job)")
      // Every new record is a row, and every row was new once.
      for table in Set(report.units.map { $0.text("table") }) {
        let new = report.units.filter { $0.text("table") == table }
          .compactMap { $0["counts"]?.number("new") }.reduce(0, +)
        #expect(try tables.count(of: "\"\(table)\"") == new, "\(table)")
      }
      // The forecast from the list's length matches its pages.
      for unit in report.units where unit.text("verdict") == "complete" {
        guard let forecast = unit["forecast"], forecast["is_estimate"]?.boolean == false
        else { continue }
        #expect(forecast.number("requests") == unit.number("pages"), "\(unit.text("list"))")
      }
    }

    func pictures() throws {
      func count(_ condition: String) throws -> Int {
        try tables.count(of: "trawl_media_urls WHERE job = '\(job)' AND \(condition)")
      }
      let fetched = report.number("images", "from_network")
      #expect(try fetched == count("digest IS NOT NULL"), "\(job)")
      #expect(report.number("images", "requests") == images.count, "\(job)")
      let refused = report["images", "refused"]?.members.compactMap(\.value.integer) ?? []
      #expect(try refused.reduce(0, +) == Int64(count("digest IS NULL AND attempts > 0")), "\(job)")
      #expect(
        try report.number("images", "bytes")
          == tables.count(
            "SELECT coalesce(sum(size), 0) FROM trawl_media_urls JOIN trawl_media USING (digest) "
              + "WHERE job = '\(job)'"), "\(job)")
      let pending = try count("digest IS NULL AND attempts = 0 AND next_attempt_at IS NOT NULL")
      #expect(report.number("images", "pending") == pending)
      let shown = report.page.pieces(around: "<img ").count - 1
      // New rows show their pictures, perhaps from another job: 60 of rows, 60 of others.
      let new = min(60, fetched - report.number("images", "same_bytes"))
      #expect(shown >= new && shown <= 120, "\(job): \(shown)")
    }

    func rejects() throws {
      let count = try tables.count(of: "trawl_rejects WHERE run = \(thisRun)")
      #expect(report.number("reject_count") == count, "\(job)")
      let stored = try tables.texts(
        "SELECT table_name, path, reason, substr(raw, 1, 300) FROM trawl_rejects "
          + "WHERE run = \(thisRun) ORDER BY reject DESC LIMIT 20")
      let told = report["rejects"]?.elements.map { reject in
        ["table", "path", "reason", "raw"].map { reject.text($0) }.joined(separator: "|")
      }
      #expect(told == stored, "\(job)")
    }

    func run(status: Int) throws {
      let row = try tables.texts(
        "SELECT name, command, outcome, exit_code FROM trawl_runs WHERE run = \(thisRun)")
      let told = [
        report["wall_clock", "run"]?.string, report["command"]?.string,
        report["outcome", "sentence"]?.string, "\(status)",
      ]
      #expect(row == [told.map { $0 ?? "" }.joined(separator: "|")])
      let waits = report["wall_clock", "waits"]?.elements.compactMap { $0["seconds"]?.real } ?? []
      #expect(waits.reduce(0, +) <= (report["wall_clock", "seconds"]?.real ?? 0) + 0.5)
      let goesOn = try tables.texts(
        "SELECT resumes_at FROM trawl_certificates WHERE run = \(thisRun) "
          + "AND resumes_at IS NOT NULL")
      let instants = report["wall_clock", "resumes_at"]?.elements.map { $0.text("at") } ?? []
      #expect(instants.map { String($0.prefix(19)) } == goesOn.map { String($0.prefix(19)) })
    }

    /// Quotas of a day or an hour do not refill during the test.
    func quotas(_ status: JSONValue) throws {
      let now = status["quotas"]?.elements.map { $0 } ?? []
      let told = report["wall_clock", "quotas"]?.elements.map { $0 } ?? []
      // A courtesy quota is not applied on this machine.
      #expect(told.isEmpty == (job == "openmarket"), "\(job)")
      #expect(told.isEmpty || told.map { $0.text("quota") } == now.map { $0.text("quota") })
      for (quota, now) in zip(told, now) where quota.number("allowed") != 10 {
        let name = quota.text("quota")
        #expect(quota.number("allowed") == now.number("allowed"), "\(job) \(name)")
        #expect(quota.number("left_before") >= quota.number("left_after"), "\(job) \(name)")
        #expect(quota.number("left_after") <= now.number("left"), "\(job) \(name)")
      }
      if job == "youtube" {
        // The server says that nothing is left, whatever the job file allows.
        let search = try #require(told.first { $0.text("quota") == "search" })
        #expect(search.number("left_before") == 100 && search.number("left_after") == 0)
      }
      if job == "newsapi" {
        #expect(told[0].number("left_before") - told[0].number("left_after") == asked.count)
      }
    }

    func page() {
      let counts = ["new", "changed", "unchanged"].map {
        "<li><b>\(Wording.number(report.number("counts", $0)))</b> \($0)</li>"
      }
      #expect(report.page.holds(counts.joined()), "\(job)")
      let sent = report.number("requests", "sent")
      #expect(report.page.holds("<p>\(Wording.number(sent)) request"), "\(job)")
      #expect(
        report.page.holds("<bdi>\(report["outcome", "sentence"]?.string ?? "")</bdi></span></h1>"))
      for unit in report.units {
        let rows = "<td class=\"number\">\(Wording.number(unit.number("rows")))</td>"
        #expect(report.page.holds("<bdi>\(unit.text("list"))</bdi></span></td>\(rows)"))
      }
      let rejects = report.number("reject_count")
      #expect(rejects == 0 || report.page.holds("\(Wording.number(rejects)) values or records"))
    }

    func metrics(_ text: String) {
      let wanted: [(String, Int)] = [
        ("run_requests", report.number("requests", "sent")),
        ("run_images", report.number("images", "from_network")),
        ("run_rejects", report.number("reject_count")),
      ]
      for (name, value) in wanted {
        #expect(text.holds("trawl_\(name){job_name=\"\(job)\"} \(value)\n"), "\(job) \(name)")
      }
      for column in ReportNumberTests.columns {
        let line = "trawl_run_records{job_name=\"\(job)\",outcome=\"\(column)\"} "
        #expect(text.holds(line + "\(report.number("counts", column))\n"), "\(job) \(column)")
      }
      for quota in report["wall_clock", "quotas"]?.elements.map({ $0 }) ?? [] {
        let line = "trawl_quota_left{job_name=\"\(job)\",quota=\"\(quota.text("quota"))\"} "
        #expect(text.holds(line + "\(quota.number("left_after"))\n"), "\(job)")
      }
    }

    /// The single line of a log.
    func line(_ errors: String) {
      let line = errors.split(separator: "\n").first {
        $0.hasPrefix("\(job): ") && $0.contains("; report ")
      }
      let new = Wording.number(report.number("counts", "new"))
      let sent = Wording.number(report.number("requests", "sent"))
      #expect(line?.contains("\(new) new, ") == true, "\(errors)")
      #expect(line?.contains("\(sent) request") == true, "\(errors)")
    }
  }
}
