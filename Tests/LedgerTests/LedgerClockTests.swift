import Model
import SQLite
import TestSupport
import Testing

@testable import Ledger

/// Boards without a clock boot in 1970 or at yesterday's shutdown; a wrong one may be years ahead.
@Suite("The ledger's time, when a clock is wrong")
struct LedgerClockTests {
  let folder = ScratchFolder(isInMemory: true)
  let time = VirtualTime()

  func ledger() throws -> QuotaLedger {
    try QuotaLedger(file: "\(folder.path)/ledger.db", timekeeper: time.timekeeper)
  }

  func ask(_ stretch: BucketAsk.Stretch = .rolling(.seconds(3600))) -> BucketAsk {
    BucketAsk(
      key: BucketKey(origin: "https://api.example", bucket: "core", account: "me"), cost: 1,
      allow: 5, stretch: stretch, burst: 5)
  }

  func spend(_ ledger: QuotaLedger, _ ask: BucketAsk) async throws -> (granted: Int, wait: Duration)
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
    let ledger = try ledger()
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

  @Test("a daily bucket of a board that always boots in 1970 resets a day after its last use")
  func daily() async throws {
    let ledger = try ledger()
    let today = time.now
    let day = BucketAsk.Stretch.fixed(
      from: today - .seconds(3600), to: today + .seconds(82_800))
    #expect(try await spend(ledger, ask(day)).granted == 5)
    // Midnight of 1970 is no reset.
    for hour in [0, 23] {
      time.setWallClock(Instant(seconds: Int64(hour) * 3600))
      let fake = BucketAsk.Stretch.fixed(
        from: Instant(seconds: 0), to: Instant(seconds: 86_400))
      #expect(try await spend(ledger, ask(fake)).granted == 0)
    }
    time.setWallClock(today + .seconds(82_800))
    let next = BucketAsk.Stretch.fixed(
      from: today + .seconds(82_800), to: today + .seconds(82_800 + 86_400))
    #expect(try await spend(ledger, ask(next)).granted == 5)
  }

  @Test("a clock that was ten years ahead for a day costs no hour once it is right again")
  func wasAhead() async throws {
    let ledger = try ledger()
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
    let ledger = try ledger()
    #expect(try await spend(ledger, ask()).granted == 5)
    time.setWallClock(Instant(seconds: 500))
    try await ledger.block(ask(), until: time.now + .seconds(4000), why: "429")
    #expect(try await spend(ledger, ask()).wait == .seconds(4000))
    time.advance(by: .seconds(4000))
    try await ledger.learn(
      ServerCount(remaining: 2, resetsAt: time.now + .seconds(100)), about: ask())
    #expect(try await spend(ledger, ask()) == (2, .seconds(101)))
  }

  @Test("a step of NTP ends no wait and makes none longer than the step")
  func smallStep() async throws {
    let ledger = try ledger()
    #expect(try await spend(ledger, ask()).granted == 5)
    time.setWallClock(time.now - .seconds(10))
    let (granted, wait) = try await spend(ledger, ask())
    #expect(granted == 0 && wait == .seconds(3611))
  }

  @Test("a ledger of the first version is brought up to date with all that it held")
  func firstVersion() async throws {
    let path = "\(folder.path)/ledger.db"
    let old = try Connection(path, .create)
    try old.execute(
      """
      CREATE TABLE trawl_buckets (
        id INTEGER PRIMARY KEY, origin TEXT NOT NULL, bucket TEXT NOT NULL, account TEXT NOT NULL,
        allow INTEGER NOT NULL, next_at INTEGER NOT NULL DEFAULT 0, blocked_until INTEGER,
        blocked_why TEXT, server_left INTEGER, server_reset INTEGER,
        counts_from INTEGER NOT NULL DEFAULT 0, seen_at INTEGER NOT NULL DEFAULT 0,
        UNIQUE (origin, bucket, account)) STRICT;
      CREATE TABLE trawl_uses (
        id INTEGER PRIMARY KEY,
        bucket_id INTEGER NOT NULL REFERENCES trawl_buckets (id) ON DELETE CASCADE,
        at INTEGER NOT NULL, cost INTEGER NOT NULL CHECK (cost > 0), spender TEXT NOT NULL,
        job TEXT NOT NULL) STRICT;
      CREATE INDEX trawl_uses_by_time ON trawl_uses (bucket_id, at, cost);
      CREATE TABLE trawl_breakers (host TEXT PRIMARY KEY, failures INTEGER NOT NULL,
        last_failure TEXT NOT NULL, failed_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      INSERT INTO trawl_buckets (id, origin, bucket, account, allow, seen_at)
        VALUES (1, 'https://api.example', 'core', 'me', 5, \(time.now.milliseconds));
      INSERT INTO trawl_uses (bucket_id, at, cost, spender, job)
        VALUES (1, \(time.now.milliseconds), 3, 'timer', 'j');
      PRAGMA application_id = \(LedgerSchema.applicationID);
      PRAGMA user_version = 1;
      """)
    old.close()
    #expect(
      try LedgerReading.left(in: [ask()], file: path, now: time.now).map(\.left) == [5],
      "a question changes nothing")
    let ledger = try ledger()
    #expect(try await spend(ledger, ask()).granted == 2)
  }
}
