import Glibc
import Base
@testable import Crawl
import TestSupport
import Testing

@Suite("Waits that a server asks for, in the ledger")
struct LedgerWaitTests: LedgerBench {
  let folder = ScratchFolder(isInMemory: true)
  let time = VirtualTime()
  static let origin = "https://api.example"

  private func ask(_ name: String = "core", hours: Int64 = 1) -> QuotaAsk {
    ask(name, allow: 5, per: .seconds(hours * 3600), burst: 5)
  }

  @Test(
    "a spent quota of the day is tried again soon after its reset, else behind the next",
    arguments: [
      (.daily(hour: 0, minute: 0, zone: "UTC"), "00:14:59", 300),
      (.daily(hour: 0, minute: 0, zone: "UTC"), "00:15:00", 85_501),
      (.daily(hour: 0, minute: 0, zone: "UTC"), "23:59:59", 2),
      (.rolling(.seconds(3600)), "00:14:59", 3600),
    ] as [(Quota.Window, String, Int64)])
  func nextChance(window: Quota.Window, clock: String, seconds: Int64) throws {
    var job = try Job("shop", Base.Stream("things", "/things"))
    job.quotas = [Quota(name: "core", allow: 5, window: window, burst: 5)]
    let now = try #require(Instant(rfc3339: "2026-11-30T\(clock)Z"))
    let answer = Answer(
      status: 403, fields: HeaderFields([]), body: [], address: job.base, sentAt: now,
      receivedAt: now)
    let quotas = try JobQuotas(job: job, account: "nobody", hasKey: false)
    let next = quotas.nextChance(of: quotas.all(at: now)[0], after: answer)
    #expect(next - now == .seconds(seconds))
  }

  @Test(
    "no wait is longer than a day or the quota's own length: then one request shows",
    arguments: [(1, 20), (24 * 30, 24 * 30)])
  func bounded(hours: Int64, most: Int64) async throws {
    let ledger = try await ledger()
    let ask = ask(hours: hours)
    for _ in 0..<3 {
      try await ledger.block(ask, until: time.now + Duration.day * 365, why: "429")
      let left = try await ledger.left(in: ask)
      #expect(left.left == 0 && left.blockedWhy?.contains("asks for 365 days") == true)
      time.advance(by: .seconds(most * 3600 - 60))
      #expect(try await spend(ledger, ask).granted == 0)
      time.advance(by: .seconds(60))
      // The server's answer to the next request decides.
      try await grant(ledger, ask)
    }
  }

  @Test(
    "a wait that was begun while the clock was far ahead does not hold", arguments: ["core", ""])
  func takenAhead(name: String) async throws {
    var ask = ask(name)
    if name.isEmpty { ask.cost = 0 }
    let right = time.now
    let ledger = try await ledger()
    time.setWallClock(right + Duration.day * 400)
    try await ledger.block(ask, until: time.now + .seconds(3600), why: "429")
    #expect(try await ledger.wait(for: ask.key) != nil)
    time.setWallClock(right)
    #expect(try await ledger.wait(for: ask.key) == nil)
    try await ledger.block(ask, until: time.now + .seconds(3600), why: "429")
    time.advance(by: .seconds(3599))
    #expect(try await ledger.wait(for: ask.key) != nil)
    time.advance(by: .seconds(3))
    #expect(try await ledger.wait(for: ask.key) == nil)
  }

  @Test("no wait is looked for in a ledger that was moved: other runs write theirs elsewhere")
  func moved() async throws {
    let ledger = try await ledger()
    let key = ask().key
    #expect(try await ledger.wait(for: key) == nil)
    #expect(rename(path, path + ".old") == 0)
    await #expect(throws: LedgerError.self) { _ = try await ledger.wait(for: key) }
  }

  @Test("waits are ended by hand, and what was spent stays spent")
  func ended() async throws {
    let ledger = try await ledger()
    #expect(try await spend(ledger, ask()).granted == 5)
    try await ledger.block(ask(), until: time.now + .seconds(7200), why: "429")
    try await ledger.block(ask("other"), until: time.now + .seconds(7200), why: "429")
    #expect(try await ledger.endWaits(of: Self.origin) == 2)
    #expect(try await spend(ledger, ask()).granted == 0)
    #expect(try await spend(ledger, ask("other")).granted == 5)
    #expect(try await ledger.endWaits(of: Self.origin) == 0)
  }
}
