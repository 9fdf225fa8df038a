import Glibc
import Base
@testable import Commands
import SandboxKit
import TestSupport
import Testing

/// Backfills as a person and a timer make them: commands, the sandbox of the business plan, and a
/// calendar on which a day is over when the test says so.
@Suite("trawl backfill of years")
struct ArchiveBackfillTests {
  private final class Years: Sendable {
    let trial: CommandTrial
    init(_ change: (inout NewsAPIOptions) -> Void) throws {
      var options = SandboxOptions(size: .small)
      options.plan = .business
      options.newsAPI.crowdDays = 730
      options.newsAPI.businessResultsMax = 100
      change(&options.newsAPI)
      trial = try CommandTrial(options)
    }

    var time: VirtualTime { trial.time }

    func run(_ arguments: [String]) async throws -> CommandTrial.Ended {
      let words = arguments + ["--data", trial.data]
      return try await trial.run(
        arguments.first == "status" ? words : words + ["--allow-loopback"])
    }

    /// NewsAPI as its business plan has it: no month's end, no day's delay.
    func keepJob(perDay: Int) {
      for folder in ["home", "home/.config", "home/.config/trawl", "home/.config/trawl/jobs"] {
        mkdir("\(trial.scratch.path)/\(folder)", 0o700)
      }
      Golden.write(
        """
        {
          name: "press", about: "articles of years", base: "\(trial.sandbox.endpoint(for: "newsapi"))",
          params: { q: { default: ["linux"], about: "words" } },
          quotas: { day: { allow: \(perDay), per: "day" } },
          errors: [{ where: "code", is: "maximumResultsReached", then: "cap" }],
          streams: {
            everything: {
              get: "/everything",
              query: { q: "{q}", sortBy: "publishedAt" },
              pages: { by: "number", to: "?page", size: "?pageSize=100" },
              total: "totalResults counted",
              cap: 100,
              window: { from: "?from", to: "?to", end: "outside", on: "published_at", overlap: "2d" },
              order: "published_at falling",
              records: "articles",
              keep: "url <> 'https://removed.com'",
              into: "articles", key: ["url"],
              columns: {
                url: { at: "url as url", sql: "trawl_plain_url(value)" },
                title: "title", published_at: "publishedAt as time",
              },
              listName: "everything q={q}",
            },
          },
        }
        """, to: "\(trial.scratch.path)/home/.config/trawl/jobs/press.json5")
    }

    var calls: [String] { trial.sandbox.requests(api: "newsapi").map(\.target) }

    func texts(_ sql: String) throws -> [String] {
      let connection = try Connection("\(trial.data)/trawl.db", .readOnly)
      defer { connection.close() }
      return try connection.rows(sql) { $0.text(0) ?? "" }
    }

    var truth: [String] {
      trial.sandbox.truth("newsapi", of: "q=linux")?.list("everything", of: "q=linux")?.keys ?? []
    }
  }

  /// The long form has 40,000 articles and 100 calls a day.
  private static let articles = Torture.isOn ? 40_000 : 4000
  private static let perDay = Torture.isOn ? 100 : 20

  @Test("by daily runs of open goals ends complete, within 1.6 times the least calls")
  func daily() async throws {
    let years = try Years {
      $0.crowd = Self.articles
      $0.businessPerDay = Self.perDay
    }
    years.keepJob(perDay: Self.perDay)
    let first = try await years.run([
      "backfill", "press", "--from", "2024-11", "--to", "2026-11-20",
    ])
    #expect(first.status == .paused, "\(first.everything)")
    // Day 1 tells what it will take.
    let early = try await years.run(["status", "press"])
    let forecast = try #require(
      early.lines.first { $0.contains("forecast") }?.split(separator: " ").compactMap {
        Int($0.filter { $0 != "," })
      }.first)
    #expect(early.lines.allSatisfy { $0.count <= 80 || !$0.contains("#") })
    #expect(early.output.contains("~ being filled"), "\(early.output)")
    var days = 1
    var last = first
    while last.status == .paused, days < 60 {
      years.time.advance(by: .seconds(86_400))
      last = try await years.run(["backfill", "press"])
      days += 1
    }
    #expect(last.status == .complete, "\(last.everything)")
    #expect(
      try years.texts("SELECT url FROM press_articles ORDER BY 1") == years.truth.sorted())
    let calls = years.calls.count
    let least = (Self.articles + 99) / 100
    #expect(calls * 10 <= least * 16, "\(calls) calls in \(days) days, \(least) at least")
    #expect(abs(forecast - calls) * 4 <= calls, "\(forecast) forecast, \(calls) came")
    // Again: nothing is open, nothing is asked.
    let again = try await years.run(["backfill", "press"])
    #expect(again.status == .complete && again.errors.contains("no range of time is waiting"))
    let json = try await years.run(["status", "press", "--json"])
    #expect(json.output.contains(#""being_filled":[]"#) && json.output.contains(#""limited":[]"#))
    #expect(years.calls.count == calls)
  }

  @Test("names what lies behind a second of 150 articles, and brings the rest of the bursts")
  func bursts() async throws {
    let years = try Years {
      $0.crowd = 2600
      $0.crowdInHour = 900
      $0.crowdInSecond = 150
    }
    years.keepJob(perDay: 10_000)
    let ended = try await years.run([
      "backfill", "press", "--from", "2024-11", "--to", "2026-11-20",
    ])
    #expect(ended.status == .less, "\(ended.everything)")
    let truth = Set(years.truth)
    let stored = Set(try years.texts("SELECT url FROM press_articles"))
    #expect(stored.isSubset(of: truth))
    // Of the 50 behind the cap some were taken back, and are no articles any more.
    let behind = truth.count - stored.count
    #expect((40...50).contains(behind), "\(behind)")
    let capped = try years.texts("SELECT why FROM trawl_certificates WHERE verdict = 'limited'")
    #expect(capped.count == 1 && capped[0].hasPrefix("50 of the 150 records of "), "\(capped)")
    let status = try await years.run(["status", "press"])
    #expect(status.output.contains("! limited"))
    #expect(status.output.contains("50 records beyond the API's limit"), "\(status.output)")
    // It is named each time, and not asked again.
    let calls = years.calls.count
    let again = try await years.run([
      "backfill", "press", "--from", "2025-01", "--to", "2026-11-20",
    ])
    #expect(again.status == .complete && again.errors.contains("50 of the 150"), "\(again.errors)")
    #expect(years.calls.count == calls)
  }

  @Test("a plan tells windows, cost and days, and asks nothing")
  func plan() async throws {
    let years = try Years { $0.crowd = 900 }
    years.keepJob(perDay: 10)
    let blind = try await years.run([
      "backfill", "press", "--from", "2025-11", "--to", "2026-11-20", "--dry-run",
    ])
    #expect(blind.status == .complete && blind.output.contains("not known yet"))
    #expect(blind.output.contains("gives 100 records of one list"))
    #expect(years.calls.isEmpty)
    let paused = try await years.run([
      "backfill", "press", "--from", "2025-11", "--to", "2026-11-20",
    ])
    #expect(paused.status == .paused, "\(paused.everything)")
    let asked = years.calls.count
    let seeing = try await years.run([
      "backfill", "press", "--from", "2025-01", "--to", "2026-11-20", "--dry-run",
    ])
    #expect(seeing.output.contains("1 hole, about"), "\(seeing.output)")
    #expect(seeing.output.contains("of it: ") && seeing.output.contains("days"))
    #expect(years.calls.count == asked)
    // Without dates it is the open goal. Ten calls a day, two of them the timer's.
    let open = try await years.run(["backfill", "press", "--dry-run", "--json"])
    #expect(open.output.contains(#""windows":"#) && years.calls.count == asked)
    let cost = try #require(Self.number("cost", in: open.output))
    let left = try #require(Self.number("left", in: open.output))
    let days = cost <= left ? 1 : 1 + (cost - left + 7) / 8
    #expect(Self.number("days", in: open.output) == days, "\(open.output)")
  }

  private static func number(_ name: String, in text: String) -> Int? {
    let parts = text.split(separator: "\"\(name)\":")
    return parts.count < 2 ? nil : Int(String(parts[1].prefix { $0.isNumber }))
  }
}
