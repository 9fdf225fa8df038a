import Glibc
import Base
@testable import Commands
import SandboxKit
import TestSupport
import Testing

@Suite("The plan of a backfill of years")
struct ArchiveBackfillTests {
  /// NewsAPI with its business plan: no limit of a month, no delay of a day; ten calls a day.
  private static func press() throws -> CommandTrial {
    var options = SandboxOptions(size: .small)
    options.plan = .business
    options.newsAPI.crowdDays = 730
    options.newsAPI.businessResultsMax = 100
    options.newsAPI.crowd = 900
    let trial = try CommandTrial(options)
    let text = PressJob.text(
      trial.sandbox.endpoint(for: "newsapi"),
      more: #"quotas: { day: { allow: 10, per: "day" } },"#)
    trial.keep(job: "press", text: text)
    return trial
  }

  @Test("a plan tells windows, cost and days, and asks nothing")
  func plan() async throws {
    let trial = try Self.press()
    @discardableResult
    func run(
      _ words: [String], ends status: Commands.ExitStatus? = nil
    ) async throws -> CommandTrial.Ended {
      try await trial.run(
        ["backfill", "press"] + words + ["--data", trial.data, "--allow-loopback"], ends: status)
    }
    func calls() -> Int { trial.sandbox.requests(api: "newsapi").count }
    let range = ["--from", "2025-11", "--to", "2026-11-20"]
    let blind = try await run(range + ["--dry-run"], ends: .complete)
    #expect(blind.output.contains("not known yet"), "\(blind.output)")
    #expect(blind.output.contains("gives 100 records of one list"))
    #expect(calls() == 0)
    try await run(range, ends: .paused)
    let asked = calls()
    let seeing = try await run(["--from", "2025-01", "--to", "2026-11-20", "--dry-run"])
    #expect(seeing.output.contains("1 hole, about"), "\(seeing.output)")
    #expect(seeing.output.contains("of it: ") && seeing.output.contains("days"))
    #expect(calls() == asked)
    // Without dates the open goal is meant. Ten calls a day, two of them reserved for the timer.
    let open = try await run(["--dry-run", "--json"])
    #expect(open.output.contains(#""windows":"#) && calls() == asked)
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
