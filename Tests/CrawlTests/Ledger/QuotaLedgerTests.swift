import Glibc
import Base
@testable import Crawl
import TestSupport
import Testing

@Suite("The ledger")
struct QuotaLedgerTests: LedgerBench {
  let folder = ScratchFolder()
  let time = VirtualTime()
  private static let backfill = Spender.backfill(reserve: 0.2)

  @Test("under two names would be two quotas: it is refused, and a symbolic link is not")
  func hardLinks() async throws {
    await (try ledger()).close()
    #expect(symlink(path, "\(folder.path)/soft.db") == 0)
    await (try ledger("soft.db")).close()
    #expect(link(path, "\(folder.path)/other.db") == 0)
    for name in ["ledger.db", "other.db"] {
      await #expect {
        _ = try await ledger(name)
      } throws: { error in
        "\(error)".contains("has 2 names") && (error as? LedgerError)?.kind == .cannotWrite
      }
    }
  }

  /// A twentieth more, at most a second: the server counts on arrival.
  @Test(
    "lets no stretch of the rolling window hold more than the allowance, nor a little more than one",
    arguments: [1, 5, 60] as [Int64])
  func rolling(seconds: Int64) async throws {
    let ledger = try await ledger()
    let ask = ask(allow: 10, per: .seconds(seconds))
    let margin = min(.seconds(1), Duration.milliseconds(seconds * 50))
    var granted: [Instant] = []
    var random = SeededRandom(seed: 7)
    for _ in 0..<2_000 {
      switch try await ledger.reserve([ask], job: "j") {
      case .granted(_, let at): granted.append(at)
      case .notBefore(let until, _, _):
        #expect(until > time.now)
        #expect(until - time.now <= .seconds(seconds) + margin)
      }
      time.advance(by: .milliseconds(Int64.random(in: 0...seconds * 50, using: &random)))
    }
    for (early, late) in zip(granted, granted.dropFirst(10)) {
      #expect(late - early >= .seconds(seconds) + margin)
    }
    // And it is not stingy: about ten in each stretch were admitted.
    let stretches = (granted.last! - granted.first!).inSeconds / Double(seconds)
    #expect(Double(granted.count) >= stretches * 8.5)
  }

  @Test("says what is left where one request costs more than that")
  func leftOver() async throws {
    let ledger = try await ledger()
    let ask = ask(cost: 3, allow: 10)
    for _ in 0..<3 { try await grant(ledger, ask) }
    let why = try await refusal(ledger, ask).why
    #expect(why == "of the 10 requests of the hour (core) 1 is left, and this one costs 3")
  }

  @Test("says exactly when the next request may go")
  func exactInstant() async throws {
    let ledger = try await ledger()
    let ask = ask(allow: 3)
    let start = time.now
    for _ in 0..<3 {
      _ = try await ledger.reserve([ask], job: "j")
      time.advance(by: .seconds(10))
    }
    let (granted, until) = try await spend(ledger, ask)
    #expect(granted == 0)
    // A second more than the hour, since the server counts on arrival.
    #expect(until == start + .seconds(3601))
    time.advance(by: until - time.now - .milliseconds(1))
    #expect(try await spend(ledger, ask).granted == 0)
    time.advance(by: .milliseconds(1))
    #expect(try await spend(ledger, ask).granted == 1)
  }

  @Test("a daily quota is full again at its reset and not before")
  func daily() async throws {
    let ledger = try await ledger()
    let from = time.now
    var ask = ask(allow: 100)
    ask.stretch = .fixed(from: from, to: from + .seconds(86400))
    #expect(try await spend(ledger, ask) == (100, from + .seconds(86400)))
    time.advance(by: .seconds(86400))
    ask.stretch = .fixed(from: from + .seconds(86400), to: from + .seconds(2 * 86400))
    #expect(try await spend(ledger, ask).granted == 100)
  }

  @Test(
    "a backfill leaves its reserve to the timer, less what the timer's runs have taken of it",
    arguments: [0, 15])
  func reserve(taken: Int) async throws {
    let ledger = try await ledger()
    let ask = ask(allow: 100)
    for _ in 0..<taken { try await grant(ledger, ask) }
    #expect(try await ledger.left(in: ask, for: Self.backfill).left == 80)
    #expect(try await spend(ledger, ask, for: Self.backfill).granted == 80)
    #expect(try await spend(ledger, ask).granted == 20 - taken)
  }

  @Test(
    "a backfill leaves what the timer took in the stretch before, up to half",
    arguments: [(10, 80), (30, 70), (90, 50)])
  func habit(taken: Int, left: Int) async throws {
    let ledger = try await ledger()
    let ask = ask(allow: 100)
    for _ in 0..<taken { try await grant(ledger, ask) }
    time.advance(by: ask.length + .seconds(2))
    #expect(try await ledger.left(in: ask, for: Self.backfill).left == left)
    #expect(try await spend(ledger, ask, for: Self.backfill).granted == left)
    #expect(try await spend(ledger, ask, for: .timer).granted == 100 - left)
    // After two stretches without a run of the timer its habit is forgotten.
    time.advance(by: ask.length + .seconds(2))
    #expect(try await spend(ledger, ask, for: Self.backfill).granted >= 50)
    time.advance(by: ask.length + .seconds(2))
    #expect(try await spend(ledger, ask, for: Self.backfill).granted == 80)
  }

  @Test("a reserve never makes a backfill of a very small quota impossible", arguments: 1...4)
  func smallReserve(allow: Int) async throws {
    let ledger = try await ledger()
    let ask = ask(allow: allow)
    #expect(try await spend(ledger, ask, for: Self.backfill).granted == allow)
  }

  @Test(
    "the reserve is taken from what the server allows, where that is less", arguments: [nil, 600])
  func reserveOfLess(window: Int64?) async throws {
    let ledger = try await ledger()
    let ask = ask(allow: 5000)
    try await ledger.learn(
      ServerQuota(
        limit: 60, remaining: 60, resetsIn: .seconds(600), window: window.map { .seconds($0) }),
      at: time.now, about: ask)
    #expect(try await spend(ledger, ask, for: Self.backfill).granted == 48)
    #expect(try await spend(ledger, ask, for: .timer).granted == 12)
    time.advance(by: .seconds(601))
    #expect(try await ledger.left(in: ask).left == 4940, "what it said was of that window")
  }

  @Test(
    "the end of a server's window gives back what was spent of a quota of the same size and length alone",
    arguments: [
      (ServerQuota(limit: 20), 60, 0), (ServerQuota(limit: 1000), 60, 0),
      (ServerQuota(limit: 10), 60, 0), (ServerQuota(), 60, 0),
      (ServerQuota(limit: 20, window: .seconds(60)), 60, 0),
      (ServerQuota(limit: 20), 80_000, 20), (ServerQuota(limit: 1000), 80_000, 0),
      (ServerQuota(limit: 20, window: .seconds(86400)), 80_000, 20),
      (ServerQuota(limit: 20, window: .seconds(60)), 80_000, 0),
    ])
  func otherWindow(said: ServerQuota, after: Int64, back: Int) async throws {
    let ledger = try await ledger()
    var ask = ask(allow: 20)
    ask.key.length = .seconds(86400)
    ask.stretch = .rolling(ask.key.length)
    #expect(try await spend(ledger, ask).granted == 20)
    var said = said
    (said.remaining, said.resetsIn) = (5, .seconds(after))
    try await ledger.learn(said, at: time.now, about: ask)
    if after == 60 {
      #expect(try await ledger.left(in: ask).resetsAt == time.now + .seconds(86_401), "its own end")
      #expect(try await refusal(ledger, ask).until == time.now + .seconds(86_401))
    }
    time.advance(by: .seconds(after + 1))
    #expect(try await spend(ledger, ask).granted == back)
  }

  @Test("follows the server's count up again, and takes answers in any order")
  func serverCountRises() async throws {
    let ledger = try await ledger()
    let ask = ask(allow: 5000)
    var reservations: [Reservation] = []
    for _ in 0..<3 { reservations.append(try await grant(ledger, ask).reservation) }
    for (remaining, seconds, answered, left) in [
      // The second answer arrives first; it was made before the third request was counted.
      (10, 600, 1, 9), (11, 600, 0, 9),
      // A sliding window gives back as time passes.
      (700, 660, 2, 700),
      // A window that is over says nothing.
      (0, -1, 2, 700),
    ] as [(Int, Int64, Int, Int)] {
      try await ledger.learn(
        ServerQuota(remaining: remaining, resetsIn: .seconds(seconds)), at: time.now, about: ask,
        from: reservations[answered])
      #expect(try await ledger.left(in: ask).left == left)
    }
  }

  @Test("tells who spent what, and every quota of an origin without a job file")
  func users() async throws {
    let ledger = try await ledger()
    let ask = ask(allow: 100)
    for job in ["one", "one", "two"] { _ = try await ledger.reserve([ask], job: job) }
    _ = try await ledger.reserve([ask], for: .backfill(reserve: 0.2), job: "one")
    let told = try await LedgerReading.quotas(of: "https://api.example", file: path, now: time.now)
    let left = try await ledger.left(in: ask)
    #expect(told == [left] && left.key == ask.key)
    #expect(
      told[0].users == [
        QuotaLedger.User(job: "one", isBackfill: false, cost: 2),
        QuotaLedger.User(job: "one", isBackfill: true, cost: 1),
        QuotaLedger.User(job: "two", isBackfill: false, cost: 1),
      ])
    time.advance(by: .seconds(3602))
    let later = try await LedgerReading.quotas(of: "https://api.example", file: path, now: time.now)
    #expect(later[0].left == 100 && later[0].users.isEmpty)
  }

  @Test("spends in all quotas of a request or in none")
  func severalQuotas() async throws {
    let ledger = try await ledger()
    let wide = ask("wide", allow: 100)
    let narrow = ask("narrow", cost: 2, allow: 5)
    for _ in 0..<2 { try await grant(ledger, wide, narrow) }
    #expect(try await refusal(ledger, wide, narrow).quota == "narrow")
    #expect(try await ledger.left(in: wide).left == 98)
  }

  @Test("believes the server where it says less, until its reset")
  func serverSaysLess() async throws {
    let ledger = try await ledger()
    let ask = ask(allow: 5000)
    let reset = time.now + .seconds(600)
    try await ledger.learn(
      ServerQuota(limit: 5000, remaining: 2, resetsIn: reset - time.now), at: time.now, about: ask)
    let (granted, until) = try await spend(ledger, ask)
    #expect(granted == 2 && until == reset + .seconds(1))
    time.advance(by: .seconds(601))
    // Its window began before ours: what was spent then counts until its own hour is over.
    #expect(try await ledger.left(in: ask).left == 4998)
  }

  @Test("does not believe a server that says more than was allowed")
  func serverSaysMore() async throws {
    let ledger = try await ledger()
    let ask = ask(allow: 4)
    try await ledger.learn(
      ServerQuota(remaining: 5000, resetsIn: .seconds(60)), at: time.now, about: ask)
    #expect(try await spend(ledger, ask).granted == 4)
  }

  @Test("spaces requests evenly at the allowed rate, after the burst that is allowed")
  func spacing() async throws {
    let ledger = try await ledger()
    let ask = ask(allow: 50, per: .seconds(1), burst: 3)
    var starts: [Instant] = []
    for _ in 0..<20 { starts.append(try await grant(ledger, ask).at) }
    let gaps = zip(starts, starts.dropFirst()).map { $1 - $0 }
    #expect(gaps.prefix(2).allSatisfy { $0 == .zero })
    #expect(gaps.dropFirst(2).allSatisfy { $0 == .milliseconds(20) })
  }

  @Test("a wait that the server asked for holds for every process on the key")
  func blocks() async throws {
    let first = try await ledger()
    let second = try await ledger()
    let ask = ask(allow: 100)
    let until = time.now + .seconds(90)
    try await first.block(ask, until: until, why: "429 asked for 90 s")
    #expect(
      try await second.reserve([ask], job: "j")
        == .notBefore(until, quota: "core", why: "429 asked for 90 s"))
    time.advance(by: .seconds(90))
    #expect(try await spend(second, ask).granted == 100)
  }

  @Test("a reservation that was not sent is given back; one whose run died counts as sent")
  func release() async throws {
    let ledger = try await ledger()
    let ask = ask(allow: 2)
    let first = try await grant(ledger, ask).reservation
    _ = try await ledger.reserve([ask], job: "j")
    try await ledger.release(first)
    #expect(try await ledger.left(in: ask).left == 1)
    await ledger.close()
    let later = try await self.ledger()
    #expect(try await later.left(in: ask).left == 1)
  }

  @Test("one that is given back is not in what the server says it has left, if it told that later")
  func releaseBehindAnswer() async throws {
    let ledger = try await ledger()
    let ask = ask(allow: 5000)
    var all: [Reservation] = []
    for _ in 0..<3 { all.append(try await grant(ledger, ask).reservation) }
    try await ledger.learn(
      ServerQuota(remaining: 10, resetsIn: .seconds(600)), at: time.now, about: ask, from: all[1])
    #expect(try await ledger.left(in: ask).left == 9)
    try await ledger.release(all[2])
    #expect(try await ledger.left(in: ask).left == 10)
    // The server never saw it, and counted without it.
    try await ledger.release(all[0])
    #expect(try await ledger.left(in: ask).left == 10)
  }

  @Test("two connections side by side never pass the limit together")
  func sideBySide() async throws {
    let ask = ask(allow: 200)
    let ledgers = [try await ledger(), try await ledger()]
    let total = try await withThrowingTaskGroup(of: Int.self) { group in
      for ledger in ledgers {
        group.addTask { try await spend(ledger, ask).granted }
      }
      return try await group.reduce(0, +)
    }
    #expect(total == 200)
  }

  @Test("is there for all of several programs that make it at the same moment", arguments: 1...40)
  func madeAtOnce(round: Int) async throws {
    let opened = try await withThrowingTaskGroup(of: QuotaLedger.self) { group in
      for _ in 0..<8 { group.addTask { try await ledger() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let ask = ask(allow: 20)
    var granted = 0
    for ledger in opened { granted += try await spend(ledger, ask).granted }
    #expect(granted == 20)
  }

  @Test("remembers over runs how often a host failed in a row")
  func breaker() async throws {
    let ledger = try await ledger()
    for _ in 0..<3 { try await ledger.noteFailure(of: "api.example", "no route") }
    await ledger.close()
    let later = try await self.ledger()
    #expect(try await later.failures(of: "api.example") == 3)
    try await later.noteFailure(of: "api.example", "given up", atLeast: 20)
    #expect(try await later.failures(of: "api.example") == 20)
    try await later.noteSuccess(of: "api.example")
    #expect(try await later.failures(of: "api.example") == nil)
  }

  @Test("quotas of one name and of different stretches are counted apart; of one stretch together")
  func stretches() async throws {
    let ledger = try await ledger()
    let day = ask(allow: 3, per: .seconds(86_400), burst: 1)
    let minute = ask(allow: 10, per: .seconds(60), burst: 1)
    try await grant(ledger, day)
    #expect(try await grant(ledger, minute).at == time.now, "the pace of the day is another one")
    #expect(try await ledger.left(in: minute).left == 9)
    #expect(try await ledger.left(in: ask(allow: 20, per: .seconds(60))).left == 19)
  }

  @Test("a turn that is further off than whoever asks would wait sets nothing aside")
  func farTurn() async throws {
    let ledger = try await ledger()
    let slow = ask(allow: 2, per: .seconds(3600), burst: 1)
    try await grant(ledger, slow)
    let (until, _, why) = try await refusal(ledger, slow, waitMax: .seconds(60))
    #expect(until == time.now + .seconds(1800) && why.contains("spaced"), "\(why)")
    #expect(try await ledger.left(in: slow).left == 1)
  }
}
