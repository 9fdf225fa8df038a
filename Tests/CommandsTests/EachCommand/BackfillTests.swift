import Base
@testable import Commands
import SandboxKit
import TestSupport
import Testing

@Suite("trawl backfill")
struct BackfillTests {
  private let trial: CommandTrial
  init() throws { trial = try CommandTrial() }

  @Test("refuses a stream without a window, and a job that has none, with what to do instead")
  func noWindow() async throws {
    try await trial.run(
      trial.words("backfill github --stream profile --from 2024"), ends: .usage,
      saying: "profile of github has no window", "streams with one: search")
    try await trial.run(
      "backfill openmarket --from 2024", ends: .usage, saying: trial.advice("trawl run openmarket"))
    try await trial.run(
      trial.words("backfill github --to 2015"), ends: .usage, saying: "add --from DATE")
    try await trial.run(
      trial.words("backfill github --from 2016 --to 2015"), ends: .usage,
      saying: "is not before --to 2016-01-01T00:00:00Z: the range is empty")
    try await trial.run(
      trial.words("backfill newsapi --set q=x --from 1h"), ends: .usage,
      saying: ", the youngest listed: the range is empty")
    #expect(!trial.exists("data"))
  }

  @Test("walks its range, and asks nothing when it is covered")
  func covered() async throws {
    let command = trial.words(
      "backfill youtube --stream search --set q=swift --from 2024 --to 2024")
    try await trial.run(command, ends: .complete)
    let sent = trial.sandbox.requests(api: "youtube")
    #expect(sent.count >= 1)
    try await trial.run(command, ends: .complete, saying: "was read already, unproven")
    // Nothing of it is proven.
    try await trial.run("status youtube --json", showing: "\"share\":0")
    #expect(trial.sandbox.requests(api: "youtube").count == sent.count)
    try await trial.run(
      command + ["--dry-run"], ends: .complete,
      showing: "already read, unproven: nothing is requested")
    let refilled = try await trial.run(command + ["--refill"])
    // No rows are of an older mapping.
    #expect(refilled.status == .complete && refilled.errors.contains("was read already"))
    #expect(trial.sandbox.requests(api: "youtube").count == sent.count)
  }

  @Test("is not said to have covered what a run read to the end and did not prove")
  func unproven() async throws {
    try await trial.run(
      trial.words("run youtube --stream search --set q=swift"), ends: .complete)
    let words = "before that: read, unproven, back to the API's own beginning"
    try await trial.run("status youtube", showing: words)
    // Proven up to a day long before what is drawn.
    let day = "'2010-01-01T00:00:00Z'"
    try trial.change("UPDATE trawl_coverage SET covered_from = \(day)")
    try trial.change(
      "INSERT INTO trawl_coverage SELECT list_number, '1000-01-01T00:00:00Z', \(day), 'complete', "
        + "request_print, mapping_print, as_of, seal FROM trawl_coverage")
    try await trial.run("status youtube", showing: words)
  }

  @Test("remembers a range with its values, and goes on with it when none is given")
  func goal() async throws {
    let range = "--set words=type:user --from 2015-01-01 --to 2015-01-09 --max-requests 0"
    try await trial.run(trial.words("backfill github --stream search \(range)"), ends: .paused)
    try await trial.run(
      "status github", showing: "1 open goal: " + trial.advice("trawl backfill github"))
    let command = trial.words("backfill github")
    let on = try await trial.run(command, ends: .complete)
    #expect(!on.errors.contains("waiting"))
    try await trial.run(command, ends: .complete, saying: "no range of time is waiting")
  }

  @Test(
    "goes on with its range when the same command comes on a later day", arguments: ["90d", "2016"])
  func laterDay(from: String) async throws {
    func command(_ words: String) -> [String] {
      trial.words("backfill github --set words=\(words) --from \(from) --max-requests 0")
    }
    for _ in 0..<3 {
      try await trial.run(command("type:user"), ends: .paused)
      trial.time.advance(by: .seconds(86_400))
    }
    // The last one has taken the place of the others. A command takes a second.
    let last = Instant(seconds: trial.time.now.seconds - 86_401)
    #expect(try trial.rows("SELECT goal_to FROM trawl_goals") == ["\(last)"])
    try await trial.run("status github", showing: "1 open goal")
    try await trial.run(command("x"), ends: .paused)
    #expect(try trial.rows("SELECT count(*) FROM trawl_goals") == ["2"])
  }

  @Test("names a stretch once that two of its ranges want")
  func shared() async throws {
    for day in ["09", "12"] {
      let range = "--from 2015-01-01 --to 2015-01-\(day) --max-requests 0"
      try await trial.run(
        trial.words("backfill github --set words=type:user \(range)"), ends: .paused)
    }
    let status = try await trial.run("status github", showing: "2 open goals")
    #expect(status.lines.count { $0.contains("being filled: ") } == 1, "\(status.output)")
  }

  @Test("forgets a range that was set by a clock that is wrong")
  func wrongClock() async throws {
    let trial = try CommandTrial(ahead: .seconds(-30 * 86_400))
    try await trial.run(
      trial.words("backfill github --set words=type:user --from 60d"), ends: .paused,
      saying: "set the clock")
    let status = try await trial.run("status github")
    #expect(!status.output.contains("open goal"), "\(status.output)")
  }

  @Test("does not call a range reached of which nothing could be asked")
  func needsValue() async throws {
    try await trial.run(
      trial.words("backfill github --from 2015"), ends: .usage, saying: "--set words=VALUE")
    let status = try await trial.run("status")
    #expect(!status.output.contains("goal"))
  }

  @Test("of lists by another stream's records says what brings the first of them")
  func withoutParents() async throws {
    for (each, key, parent, cure) in [
      ("\"shops.id\", when: \"all\"", "id", "shops", "trawl run"),
      ("\"favorites.shop\"", "shop", "favorites", "trawl favorite add"),
    ] {
      let file = "\(trial.scratch.path)/chain.json5"
      Golden.write(
        """
        {
          name: "chain", base: "\(trial.sandbox.endpoint(for: "github"))",
          streams: {
            shops: { get: "/shops", pages: { by: "single" }, records: "items", key: ["id"], columns: ["id"] },
            sales: {
              for: { each: \(each) }, get: "/shops/{\(key)}/sales", pages: { by: "single" },
              window: { from: "?since", to: "?until", on: "at" }, records: "items",
              key: ["shop", "id"], columns: { shop: "{\(key)}", id: "id", at: "at as time" },
            },
          },
        }
        """, to: file)
      try await trial.trawl(
        "backfill", file, "--stream", "sales", "--from", "2024", ends: .usage,
        saying: "no record of \(parent) is stored yet", "\(cure) --data \(trial.data) \(file)")
    }
  }

  @Test("reaches every video behind YouTube's silent end near 500, and asks none of it again")
  func videos() async throws {
    let range = "--from 2005 --to now --max-requests 60"
    try await trial.run(
      trial.words("backfill youtube --stream search --set q=music \(range)"), ends: .complete)
    let truth = try #require(
      trial.sandbox.truth("youtube", of: "q=music")?.list("search", of: "q=music"))
    let status = try await trial.run("status youtube --json")
    #expect(truth.behindCeiling > 100)
    #expect(
      status.output.contains(#""rows":\#(truth.keys.count + truth.behindCeiling)"#),
      "\(status.output)")
    // Searches: each was read to its end, and never proven.
    #expect(status.output.contains(#""verdict":"unproven""#))
    #expect(trial.sandbox.requests(api: "youtube").count < 45)
  }

  @Test("certifies once what the API gives no more, and tells it each time without asking")
  func gap() async throws {
    // Long ago whenever this test runs.
    let command = trial.words("backfill newsapi --set q=sqlite --from 2026-01 --to 2026-02")
    try await trial.run(
      command + ["--dry-run"], showing: "nothing of it can be requested",
      "lies further back than the API reaches: a permanent gap")
    try await trial.run(
      trial.words("backfill newsapi --set q=x --from 1h --to now --dry-run"),
      showing: "nothing of it can be requested", " is not listed yet")
    try await trial.run(
      command, ends: .less, saying: "lies further back than the API reaches (29 days)")
    try await trial.run(
      command, ends: .complete, saying: "cannot be read; nothing was requested",
      "a permanent gap: 2026-01-01T00:00:00Z")
    #expect(trial.sandbox.requests(api: "newsapi").isEmpty)
    let bar = try await trial.run("status newsapi", showing: "x out of reach")
    let bars = bar.lines.drop { $0 != "  coverage" }
    #expect(bars.filter { $0.hasPrefix("    ") }.allSatisfy { $0.count <= 80 })
    try await trial.run("status newsapi", environment: ["LANG": "de_DE.UTF-8"], showing: "×")
  }

  @Test("of the shipped newsapi holds the month that can be had, and tells one gap before it")
  func month() async throws {
    var options = SandboxOptions(size: .small)
    let trial = try CommandTrial(options)
    let now = trial.time.now
    // The same articles, all visible to a query.
    options.newsAPI.resultsMax = 100_000
    let whole = try CommandTrial(options)
    let truth = try #require(
      whole.sandbox.truth("newsapi", of: "q=linux")?.list("everything", of: "q=linux")
    ).keys
    #expect(truth.count > 200, "more than a query gives")
    try await trial.run(
      trial.words("backfill newsapi --set q=linux --from 60d"), ends: .less)
    let stored = try trial.rows("SELECT url FROM newsapi_found WHERE list = 'everything q=linux'")
    let odd = Set(stored).symmetricDifference(truth)
    #expect(odd.isEmpty && stored.count == truth.count, "\(odd.count) differ")
    #expect(trial.sandbox.requests(api: "newsapi").allSatisfy { $0.status == 200 })
    // At the same instant: every second would move a bound.
    trial.time.setWallClock(now)
    let status = try await trial.trawl("status", "newsapi", "--json")
    let line = try #require(status.lines.first { $0.contains("not_listed_yet") })
    let day: Int64 = 86_400
    func window(_ from: Int64, _ to: Int64) -> String {
      #""from":"\#(now - .seconds(from))","to":"\#(now - .seconds(to))""#
    }
    #expect(
      line.contains(#""covered":[{\#(window(29 * day, day))}],"unproven":[],"missing":[]"#),
      "\(line)")
    #expect(line.contains(#""out_of_reach":[{\#(window(60 * day, 29 * day)),"#), "\(line)")
    #expect(line.split(separator: "residue").count == 2, "one gap, nothing capped: \(line)")
    #expect(line.contains(#""not_listed_yet":[{\#(window(day, 0))}]"#), "\(line)")
  }

  @Test("of the shipped github search passes its ceiling of 1,000 by windows")
  func people() async throws {
    var options = SandboxOptions(size: .small)
    options.gitHub.users = 1300
    options.gitHub.anonymousSearchesPerMinute = 1_000_000
    options.gitHub.anonymousPerHour = 1_000_000
    let trial = try CommandTrial(options)
    // Without its pace, which would take minutes, and without images.
    var job = try #require(Golden.read("\(Golden.root)/jobs/github.json5"))
    for (old, new) in [
      ("allow: 30, allowWithoutKey: 10,", "allow: 1000000,"),
      ("allow: 600, per: \"minute\", burst: 10", "allow: 1000000, per: \"minute\", burst: 10000"),
      ("      media: { avatar: \"avatar_url?s=120\" },\n", ""),
    ] {
      #expect(job.contains(old))
      job = job.replacing(old, with: new)
    }
    Golden.write(job, to: "\(trial.scratch.path)/github.json5")
    let all = try #require(
      trial.sandbox.truth("github", of: "q=user")?.list("search", of: "q=user"))
    #expect(all.keys.count == 1000 && all.behindCeiling > 200)
    // In parts that are each listed entirely.
    var truth: [String] = []
    for year in 2011...2026 {
      let part = "q=user created:\(year)-01-01..\(year)-12-31"
      let list = try #require(trial.sandbox.truth("github", of: part)?.list("search", of: part))
      #expect(list.behindCeiling == 0)
      truth += list.keys
    }
    #expect(truth.count == all.keys.count + all.behindCeiling)
    let command =
      [
        "backfill", "\(trial.scratch.path)/github.json5", "--stream", "search", "--set",
        "words=user", "--from", "2011",
      ] + trial.github
    try await trial.run(command, ends: .complete)
    let stored = try trial.rows("SELECT user_id FROM github_found WHERE words = 'user'")
    let odd = Set(stored).symmetricDifference(truth)
    #expect(odd.isEmpty && stored.count == truth.count, "\(odd.count) differ")
    // One answer proves a window, two pages do not yet; the list is as good as its worst window.
    let twoPages = try trial.rows("SELECT DISTINCT verdict FROM trawl_certificates WHERE pages = 2")
    #expect(twoPages.isEmpty || twoPages == ["complete"])
    let worst = try trial.rows(
      "SELECT verdict FROM trawl_certificates ORDER BY verdict = 'complete' LIMIT 1")
    let verdicts = try trial.rows("SELECT verdict FROM trawl_trust WHERE list = 'search user'")
    #expect(verdicts == worst && ["complete", "unproven"].contains(worst[0]), "\(worst)")
    let windows = Set(
      trial.sandbox.requests(api: "github").compactMap {
        $0.target.split(separator: "?").last?.split(separator: "&").first { $0.hasPrefix("q=") }
      })
    #expect(windows.count > 1, "\(windows)")
    // Unproven windows are shown as such, and proven on request.
    let shown = try await trial.run("status github")
    #expect(shown.output.contains("read, unproven") == (worst[0] == "unproven"), "\(shown.output)")
    try await trial.run(command + ["--prove"], ends: .complete)
    #expect(
      try trial.rows("SELECT DISTINCT verdict FROM trawl_coverage") == ["complete"])
  }
}
