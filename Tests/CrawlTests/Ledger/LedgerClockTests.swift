import Base
@testable import Crawl
import TestSupport
import Testing

@Suite("The ledger's time, when a clock is wrong")
struct LedgerClockTests: LedgerBench {
  let folder = ScratchFolder(isInMemory: true)
  let time = VirtualTime()

  private func ask() -> QuotaAsk { ask(allow: 5, burst: 5) }

  @Test(
    "a clock that was set back, by a step of NTP or by hours, resets nothing",
    arguments: [10, 700, 3_000, 3_700, 7_200, 60_000])
  func fallsBack(seconds: Int64) async throws {
    let ledger = try await ledger()
    #expect(try await spend(ledger, ask()).granted == 5)
    let free = time.now + .seconds(3601)
    time.setWallClock(time.now - .seconds(seconds))
    #expect(try await spend(ledger, ask()) == (0, free))
    time.advance(by: .seconds(1800))
    #expect(try await spend(ledger, ask()) == (0, free), "no wait grows")
    time.advance(by: free - time.now)
    #expect(try await spend(ledger, ask()).granted == 5)
  }

  /// The clock at each run, in minutes from the truth: all within seconds.
  static let jumps: [[Int64]] = [
    [0, 59, -60], [0, -60], [0, -120, -60], [0, 59, 0], [0, 30, -31], [0, 5, -10, 5, -10],
    [0, -59, -61], [0, -61, 0], [0, -1_100, 0, -60], [0, 0, 30, -30, 0],
  ]

  @Test("a clock that falls back and returns resets nothing", arguments: jumps)
  func returns(minutes: [Int64]) async throws {
    let ledger = try await ledger()
    let truth = time.now
    var granted = 0
    for jump in minutes {
      time.setWallClock(truth + .seconds(jump * 60))
      granted += try await spend(ledger, ask()).granted
      time.advance(by: .seconds(2))
    }
    #expect(granted == 5)
    time.setWallClock(truth + .seconds(3602))
    #expect(try await spend(ledger, ask()).granted == 5)
  }

  @Test(
    "a damaged time, however far away, resets nothing and ends no process",
    arguments: [Int64.min, .max])
  func damaged(instant: Int64) async throws {
    let ledger = try await ledger()
    #expect(try await spend(ledger, ask()).granted == 5)
    let file = try Connection(path, .readWrite)
    for column in [
      "next_at", "resets_at", "seen_at", "blocked_until", "server_reset", "counts_from",
    ] {
      try file.execute("UPDATE trawl_quotas SET \(column) = \(instant)")
    }
    file.close()
    let told = try await LedgerReading.quotas(of: "https://api.example", file: path, now: time.now)
    #expect(told.map(\.allowed) == [5])
    #expect(try await spend(ledger, ask()).granted == 0)
  }

  @Test("a clock that was days ahead holds nothing up once it is right again, and resets nothing")
  func wasAhead() async throws {
    let ledger = try await ledger()
    let right = time.now
    let spaced = ask("spaced", allow: 5, burst: 1)
    #expect(try await spend(ledger, ask()).granted == 5)
    for days in [2, 30, 3650] as [Int64] {
      time.setWallClock(right + .seconds(86_400 * days))
      #expect(try await spend(ledger, ask()).granted == 5)
      try await ledger.block(ask(), until: time.now + .seconds(3600), why: "429")
      #expect(try await grant(ledger, spaced).at == time.now)
      time.setWallClock(right + .seconds(60))
      #expect(
        try await spend(ledger, ask()) == (0, right + .seconds(3601)),
        "what was spent before is spent")
      #expect(try await grant(ledger, spaced).at == time.now, "no turn is taken for years ahead")
    }
    time.setWallClock(right + .seconds(3601))
    #expect(try await spend(ledger, ask()).granted == 5)
  }
}
