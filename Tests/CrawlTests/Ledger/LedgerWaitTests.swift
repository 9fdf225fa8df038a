import Base
@testable import Crawl
import TestSupport
import Testing

@Suite("Waits that a server asks for, in the ledger")
struct LedgerWaitTests {
  let folder = ScratchFolder(isInMemory: true)
  let time = VirtualTime()
  static let origin = "https://api.example"
  private static let day = Duration.seconds(86_400)

  func ledger(uptime: Duration? = nil) async throws -> QuotaLedger {
    var keeper = time.timekeeper
    // A machine that is switched on for the run alone.
    if let uptime { keeper.uptime = { uptime } }
    return try await QuotaLedger.open(file: "\(folder.path)/ledger.db", timekeeper: keeper)
  }

  func ask(_ name: String = "core", hours: Int64 = 1) -> QuotaAsk {
    QuotaAsk(
      key: QuotaKey(origin: Self.origin, name: name, account: "me"), cost: 1, allow: 5,
      stretch: .rolling(.seconds(hours * 3600)), burst: 5)
  }

  private func granted(_ ledger: QuotaLedger, _ ask: QuotaAsk) async throws -> Int {
    for number in 0..<100 {
      guard case .granted = try await ledger.reserve([ask], job: "j") else { return number }
    }
    return 100
  }

  @Test(
    "no wait is longer than a day or the quota's own length: then one request shows",
    arguments: [
      (1, 20), (24 * 30, 24 * 30),
    ])
  func bounded(hours: Int64, most: Int64) async throws {
    let ledger = try await ledger()
    let ask = ask(hours: hours)
    for _ in 0..<3 {
      try await ledger.block(ask, until: time.now + Self.day * 365, why: "429")
      let left = try await ledger.left(in: ask)
      #expect(left.left == 0 && left.blockedWhy?.contains("asks for 365 days") == true)
      time.advance(by: .seconds(most * 3600 - 60))
      #expect(try await granted(ledger, ask) == 0)
      time.advance(by: .seconds(60))
      // What the server says to the next request decides.
      guard case .granted = try await ledger.reserve([ask], job: "j") else {
        return #expect(Bool(false), "the bound is over")
      }
    }
  }

  @Test("a wait that was taken by a clock far ahead lets one request through, which shows the time")
  func takenAhead() async throws {
    let right = time.now
    time.setWallClock(right + Self.day * 400)
    var ledger = try await ledger(uptime: .seconds(60))
    try await ledger.block(ask(), until: time.now + .seconds(3600), why: "429")
    await ledger.close()
    time.setWallClock(right + Self.day)
    ledger = try await self.ledger(uptime: .seconds(60))
    #expect(try await granted(ledger, ask()) > 0)
    try await ledger.confirmTime(of: Self.origin)
    // By the right clock a wait is as long as it is.
    try await ledger.block(ask(), until: time.now + .seconds(3600), why: "429")
    time.advance(by: .seconds(3599))
    #expect(try await granted(ledger, ask()) == 0)
    time.advance(by: .seconds(3))
    #expect(try await granted(ledger, ask()) > 0)
  }

  @Test("the gate of an API without quotas lets one through as well")
  func gate() async throws {
    var gate = ask("")
    gate.cost = 0
    let right = time.now
    time.setWallClock(right + Self.day * 400)
    let ledger = try await ledger(uptime: .seconds(60))
    try await ledger.block(gate, until: time.now + .seconds(3600), why: "429")
    #expect(try await ledger.wait(for: gate.key) != nil)
    time.setWallClock(right + Self.day)
    #expect(try await ledger.wait(for: gate.key) == nil)
  }

  @Test("once it is known what time it is, what was spent stays spent and no wait is lost")
  func confirmed() async throws {
    let ledger = try await ledger()
    #expect(try await granted(ledger, ask()) == 5)
    let right = time.now
    // A clock that jumps ahead has one request granted before an answer shows that it is wrong.
    time.setWallClock(right + Self.day * 400)
    guard case .granted = try await ledger.reserve([ask()], job: "j") else {
      return #expect(Bool(false))
    }
    try await ledger.block(ask("other"), until: time.now + .seconds(600), why: "429")
    time.setWallClock(right + .seconds(1))
    try await ledger.confirmTime(of: Self.origin)
    #expect(try await granted(ledger, ask()) == 0, "six of five are spent in this hour")
    #expect(try await granted(ledger, ask("other")) == 0)
    time.advance(by: .seconds(601))
    #expect(try await granted(ledger, ask("other")) == 5)
    time.advance(by: .seconds(3002))
    #expect(try await granted(ledger, ask()) == 5)
  }

  @Test("waits are ended by hand, and what was spent stays spent")
  func ended() async throws {
    let ledger = try await ledger()
    #expect(try await granted(ledger, ask()) == 5)
    try await ledger.block(ask(), until: time.now + .seconds(7200), why: "429")
    try await ledger.block(ask("other"), until: time.now + .seconds(7200), why: "429")
    #expect(try await ledger.endWaits(of: Self.origin) == 2)
    #expect(try await granted(ledger, ask()) == 0)
    #expect(try await granted(ledger, ask("other")) == 5)
    #expect(try await ledger.endWaits(of: Self.origin) == 0)
  }
}
