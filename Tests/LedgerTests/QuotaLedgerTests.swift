import Model
import SQLite
import TestSupport
import Testing

@testable import Ledger

@Suite("The ledger")
struct QuotaLedgerTests {
  let folder = ScratchFolder()
  let time = VirtualTime()

  func ledger() throws -> QuotaLedger {
    try QuotaLedger(file: "\(folder.path)/ledger.db", timekeeper: time.timekeeper)
  }

  func ask(
    _ bucket: String = "core", cost: Int = 1, allow: Int, per: Duration = .seconds(3600),
    burst: Int = 1_000_000
  ) -> BucketAsk {
    BucketAsk(
      key: BucketKey(origin: "https://api.example", bucket: bucket, account: "me"), cost: cost,
      allow: allow, stretch: .rolling(per), burst: burst)
  }

  /// Spends until it is refused; the refusal, and how many went through.
  func spend(
    _ ledger: QuotaLedger, _ ask: BucketAsk, for spender: Spender = .timer
  ) async throws -> (granted: Int, until: Instant) {
    for granted in 0..<10_000 {
      switch try await ledger.reserve([ask], for: spender, job: "j") {
      case .granted: continue
      case .notBefore(let until, _, _): return (granted, until)
      }
    }
    return (10_000, time.now)
  }

  @Test("lets no stretch of the rolling window hold more than the allowance")
  func rolling() async throws {
    let ledger = try ledger()
    let ask = ask(allow: 10, per: .seconds(60))
    var granted: [Instant] = []
    var random = SeededRandom(seed: 7)
    for _ in 0..<2_000 {
      switch try await ledger.reserve([ask], job: "j") {
      case .granted(_, let at): granted.append(at)
      case .notBefore(let until, _, _):
        #expect(until > time.now)
        #expect(until - time.now <= .seconds(60))
      }
      time.advance(by: .milliseconds(Int64.random(in: 0...3_000, using: &random)))
    }
    for (early, late) in zip(granted, granted.dropFirst(10)) {
      #expect(late - early >= .seconds(60))
    }
    // And it is not stingy: about ten a minute went through.
    let minutes = (granted.last! - granted.first!).inSeconds / 60
    #expect(Double(granted.count) >= minutes * 9)
  }

  @Test("says exactly when the next request may go")
  func exactInstant() async throws {
    let ledger = try ledger()
    let ask = ask(allow: 3)
    let start = time.now
    for _ in 0..<3 {
      _ = try await ledger.reserve([ask], job: "j")
      time.advance(by: .seconds(10))
    }
    let (granted, until) = try await spend(ledger, ask)
    #expect(granted == 0)
    #expect(until == start + .seconds(3600))
    time.advance(by: until - time.now - .milliseconds(1))
    #expect(try await spend(ledger, ask).granted == 0)
    time.advance(by: .milliseconds(1))
    #expect(try await spend(ledger, ask).granted == 1)
  }

  @Test("a daily bucket is full again at its reset and not before")
  func daily() async throws {
    let ledger = try ledger()
    let from = time.now
    var ask = ask(allow: 100)
    ask.stretch = .fixed(from: from, to: from + .seconds(86400))
    #expect(try await spend(ledger, ask) == (100, from + .seconds(86400)))
    time.advance(by: .seconds(86400))
    ask.stretch = .fixed(from: from + .seconds(86400), to: from + .seconds(2 * 86400))
    #expect(try await spend(ledger, ask).granted == 100)
  }

  @Test("a backfill leaves its reserve to the timer")
  func reserve() async throws {
    let ledger = try ledger()
    let ask = ask(allow: 100)
    #expect(try await spend(ledger, ask, for: .backfill(reserve: 0.2)).granted == 80)
    #expect(try await spend(ledger, ask, for: .timer).granted == 20)
  }

  @Test("spends in all buckets of a request or in none")
  func severalBuckets() async throws {
    let ledger = try ledger()
    let wide = ask("wide", allow: 100)
    let narrow = ask("narrow", cost: 2, allow: 5)
    for _ in 0..<2 {
      guard case .granted = try await ledger.reserve([wide, narrow], job: "j") else {
        Issue.record("refused too early")
        return
      }
    }
    guard case .notBefore(_, let bucket, _) = try await ledger.reserve([wide, narrow], job: "j")
    else {
      Issue.record("granted too much")
      return
    }
    #expect(bucket == "narrow")
    #expect(try await ledger.left(in: wide).left == 98)
  }

  @Test("believes the server where it says less, until its reset")
  func serverSaysLess() async throws {
    let ledger = try ledger()
    let ask = ask(allow: 5000)
    let reset = time.now + .seconds(600)
    try await ledger.learn(ServerCount(limit: 5000, remaining: 2, resetsAt: reset), about: ask)
    let (granted, until) = try await spend(ledger, ask)
    #expect(granted == 2)
    #expect(until == reset + .seconds(1))
    time.advance(by: .seconds(601))
    #expect(try await ledger.left(in: ask).left == 5000)
  }

  @Test("does not believe a server that says more than was allowed")
  func serverSaysMore() async throws {
    let ledger = try ledger()
    let ask = ask(allow: 4)
    try await ledger.learn(
      ServerCount(remaining: 5000, resetsAt: time.now + .seconds(60)), about: ask)
    #expect(try await spend(ledger, ask).granted == 4)
  }

  @Test("spaces requests evenly at the allowed rate, after the burst that is allowed")
  func spacing() async throws {
    let ledger = try ledger()
    let ask = ask(allow: 50, per: .seconds(1), burst: 3)
    var starts: [Instant] = []
    for _ in 0..<20 {
      guard case .granted(_, let at) = try await ledger.reserve([ask], job: "j") else {
        Issue.record("refused")
        return
      }
      starts.append(at)
    }
    let gaps = zip(starts, starts.dropFirst()).map { $1 - $0 }
    #expect(gaps.prefix(2).allSatisfy { $0 == .zero })
    #expect(gaps.dropFirst(2).allSatisfy { $0 == .milliseconds(20) })
  }

  @Test("a clock that falls back resets no bucket")
  func clockFallsBack() async throws {
    let ledger = try ledger()
    let ask = ask(allow: 5)
    let start = time.now
    #expect(try await spend(ledger, ask).granted == 5)
    time.setWallClock(Instant(seconds: 86400))
    let (granted, until) = try await spend(ledger, ask)
    #expect(granted == 0)
    #expect(until == start + .seconds(3600))
  }

  @Test("a wait that the server asked for holds for every process on the key")
  func blocks() async throws {
    let first = try ledger()
    let second = try ledger()
    let ask = ask(allow: 100)
    let until = time.now + .seconds(90)
    try await first.block(ask, until: until, why: "429 asked for 90 s")
    #expect(
      try await second.reserve([ask], job: "j")
        == .notBefore(until, bucket: "core", why: "429 asked for 90 s"))
    time.advance(by: .seconds(90))
    #expect(try await spend(second, ask).granted == 100)
  }

  @Test("a reservation that was not sent is given back; one whose run died counts as sent")
  func release() async throws {
    let ledger = try ledger()
    let ask = ask(allow: 2)
    guard case .granted(let first, _) = try await ledger.reserve([ask], job: "j") else { return }
    _ = try await ledger.reserve([ask], job: "j")
    try await ledger.release(first)
    #expect(try await ledger.left(in: ask).left == 1)
    await ledger.close()
    let later = try self.ledger()
    #expect(try await later.left(in: ask).left == 1)
  }

  @Test("two connections side by side never pass the limit together")
  func sideBySide() async throws {
    let ask = ask(allow: 200)
    let ledgers = [try ledger(), try ledger()]
    let total = try await withThrowingTaskGroup(of: Int.self) { group in
      for ledger in ledgers {
        group.addTask { try await spend(ledger, ask).granted }
      }
      return try await group.reduce(0, +)
    }
    #expect(total == 200)
  }

  @Test("remembers over runs how often a host failed in a row")
  func breaker() async throws {
    let ledger = try ledger()
    for _ in 0..<3 { try await ledger.noteFailure(of: "api.example", "no route") }
    await ledger.close()
    let later = try self.ledger()
    #expect(try await later.failures(of: "api.example")?.inARow == 3)
    try await later.noteSuccess(of: "api.example")
    #expect(try await later.failures(of: "api.example") == nil)
  }

  @Test("refuses a newer ledger and another program's database, and leaves both untouched")
  func refusesForeign() throws {
    let path = "\(folder.path)/other.db"
    let other = try Connection(path, .create)
    try other.execute("CREATE TABLE t (x); PRAGMA application_id = 7")
    other.close()
    #expect { try QuotaLedger(file: path, timekeeper: time.timekeeper) } throws: {
      ($0 as? LedgerError)?.kind == .foreign
    }
    let newer = "\(folder.path)/newer.db"
    let connection = try Connection(newer, .create)
    try connection.execute(
      "PRAGMA application_id = \(LedgerSchema.applicationID); PRAGMA user_version = 99")
    connection.close()
    #expect { try QuotaLedger(file: newer, timekeeper: time.timekeeper) } throws: {
      ($0 as? LedgerError)?.kind == .newer
    }
  }
}
