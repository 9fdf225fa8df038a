import Base
@testable import Crawl
import TestSupport
import Testing

/// Boards without a clock boot in 1970 or at yesterday's shutdown; a wrong one may be years ahead.
@Suite("The ledger's time, when a clock is wrong")
struct LedgerClockTests {
  let folder = ScratchFolder(isInMemory: true)
  let time = VirtualTime()

  func ledger() async throws -> QuotaLedger {
    try await QuotaLedger.open(file: "\(folder.path)/ledger.db", timekeeper: time.timekeeper)
  }

  func ask(_ stretch: QuotaAsk.Stretch = .rolling(.seconds(3600))) -> QuotaAsk {
    QuotaAsk(
      key: QuotaKey(origin: "https://api.example", name: "core", account: "me"), cost: 1,
      allow: 5, stretch: stretch, burst: 5)
  }

  func spend(_ ledger: QuotaLedger, _ ask: QuotaAsk) async throws -> (granted: Int, wait: Duration)
  {
    for granted in 0..<100 {
      switch try await ledger.reserve([ask], job: "j") {
      case .granted(_, let at):
        #expect(at == time.now, "a request that may go goes now, whatever the clock shows")
      case .notBefore(let until, _, _): return (granted, until - time.now)
      }
    }
    return (100, .zero)
  }

  static let wrong: [Int64] = [0, 86_400, 1_795_269_600 - 7200, 1_795_269_600 - 86_400 * 3650]

  @Test(
    "a clock that falls back resets nothing, and what surely passed has passed", arguments: wrong)
  func fallsBack(seconds: Int64) async throws {
    let ledger = try await ledger()
    #expect(try await spend(ledger, ask()).granted == 5)
    time.setWallClock(Instant(seconds: seconds))
    var (granted, wait) = try await spend(ledger, ask())
    #expect(granted == 0)
    #expect(wait == .seconds(3601), "no wait is endless either")
    time.advance(by: .seconds(1800))
    (granted, wait) = try await spend(ledger, ask())
    #expect(granted == 0)
    #expect(wait == .seconds(1801))
    // Another boot at the same wrong time: what lies between the two is nobody's knowledge.
    time.setWallClock(Instant(seconds: seconds))
    (granted, wait) = try await spend(ledger, ask())
    #expect(granted == 0 && wait == .seconds(1801))
    time.advance(by: .seconds(1801))
    #expect(try await spend(ledger, ask()).granted == 5)
  }

  /// Where the clock stands at each run, in minutes from the truth: all within seconds.
  static let jumps: [[Int64]] = [
    [0, 59, -60], [0, -60], [0, -120, -60], [0, 59, 0], [0, -43_200, -60], [0, -43_200, 0, -60],
    [0, 30, -31], [0, 5, -10, 5, -10], [0, -59, -61], [0, -61, 0], [0, -5_000_000, -43_200, -61],
  ]

  @Test("a clock that falls far back and returns resets nothing", arguments: jumps)
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
    // An hour that has passed has passed, wherever the clock stands.
    time.advance(by: .seconds(3602))
    #expect(try await spend(ledger, ask()).granted == 5)
  }

  @Test(
    "an hour that the machine was up for has passed, though nobody knows for how long it was off")
  func switchedOff() async throws {
    let up = Locked(Duration.seconds(50_000))
    var keeper = time.timekeeper
    keeper.uptime = { up.withLock { $0 } }
    let ledger = try await QuotaLedger.open(
      file: "\(folder.path)/ledger.db", timekeeper: keeper)
    #expect(try await spend(ledger, ask()).granted == 5)
    for (uptime, granted) in [(60, 0), (3000, 0), (20, 0), (700, 5)] {
      time.setWallClock(Instant(seconds: Int64(uptime)))
      up.withLock { $0 = .seconds(uptime) }
      #expect(try await spend(ledger, ask()).granted == granted, "up for \(uptime) s")
    }
  }

  @Test("a daily quota of a board that always boots in 1970 resets a day after its last use")
  func daily() async throws {
    let ledger = try await ledger()
    let today = time.now
    let day = QuotaAsk.Stretch.fixed(
      from: today - .seconds(3600), to: today + .seconds(82_800))
    #expect(try await spend(ledger, ask(day)).granted == 5)
    // Midnight of 1970 is no reset.
    for hour in [0, 23] {
      time.setWallClock(Instant(seconds: Int64(hour) * 3600))
      let fake = QuotaAsk.Stretch.fixed(
        from: Instant(seconds: 0), to: Instant(seconds: 86_400))
      #expect(try await spend(ledger, ask(fake)).granted == 0)
    }
    time.setWallClock(today + .seconds(82_800))
    let next = QuotaAsk.Stretch.fixed(
      from: today + .seconds(82_800), to: today + .seconds(82_800 + 86_400))
    #expect(try await spend(ledger, ask(next)).granted == 5)
  }

  @Test("a clock that was ten years ahead for a day costs no hour once it is right again")
  func wasAhead() async throws {
    let ledger = try await ledger()
    let right = time.now
    time.setWallClock(right + .seconds(86_400 * 3650))
    #expect(try await spend(ledger, ask()).granted == 5)
    time.setWallClock(right + .seconds(60))
    var (granted, wait) = try await spend(ledger, ask())
    #expect(granted == 0 && wait == .seconds(3601))
    time.advance(by: wait)
    (granted, wait) = try await spend(ledger, ask())
    #expect(granted == 5 && wait == .seconds(3601))
  }

  @Test("what a server says counts from its own answer, also where the clock is adrift")
  func serverWhileAdrift() async throws {
    let ledger = try await ledger()
    #expect(try await spend(ledger, ask()).granted == 5)
    time.setWallClock(Instant(seconds: 500))
    try await ledger.block(ask(), until: time.now + .seconds(4000), why: "429")
    #expect(try await spend(ledger, ask()).wait == .seconds(4000))
    time.advance(by: .seconds(4000))
    try await ledger.learn(
      ServerQuota(remaining: 2, resetsIn: .seconds(100)), at: time.now, about: ask())
    #expect(try await spend(ledger, ask()) == (2, .seconds(101)))
  }

  @Test("a step of NTP ends no wait and makes none longer than the step")
  func smallStep() async throws {
    let ledger = try await ledger()
    #expect(try await spend(ledger, ask()).granted == 5)
    time.setWallClock(time.now - .seconds(10))
    let (granted, wait) = try await spend(ledger, ask())
    #expect(granted == 0 && wait == .seconds(3611))
  }
}
