import Base
@testable import Crawl
import Store
import TestSupport
import Testing

@Suite("A request that waits for its turn")
struct TurnTests {
  /// Four requests a minute, one every 15 seconds.
  private static func job(_ gallery: Gallery) throws -> Job {
    var job = try gallery.job()
    job.streams[0].spends = ["pace": 1]
    job.quotas = [Quota(name: "pace", allow: 4, window: .rolling(.seconds(60)), burst: 1)]
    return job
  }

  /// What another run hears, on the same key.
  enum News: CaseIterable {
    case wait, noneLeft, oneLeft
  }

  @Test(
    "is not sent at its turn when a server has meanwhile asked another run for a wait, or told it a count that has no room for it",
    arguments: News.allCases)
  func recalled(_ news: News) async throws {
    let gallery = Gallery()
    let time = gallery.time
    let hasSlept = Locked(false)
    let until = time.now + .seconds(100)
    let origin = try WebAddress(Gallery.base).origin.description
    let ask = QuotaAsk(
      key: QuotaKey(
        origin: origin, name: "pace", account: "nobody", length: .seconds(60)),
      cost: 1, allow: 4,
      stretch: .rolling(.seconds(60)), burst: 1)
    let folder = try DataFolder(creating: gallery.path)
    let other = try await QuotaLedger.open(
      file: "\(folder.path)/ledger.db", timekeeper: time.timekeeper)
    // The other run's request goes at once; this run's first waits for 15 seconds.
    guard case .granted(let reservation, _) = try await other.reserve([ask], job: "other") else {
      Issue.record("a new quota has room")
      return
    }
    let keeper = Timekeeper(
      now: { time.now }, elapsed: { time.timekeeper.elapsed() },
      sleep: { span in
        let isFirst = hasSlept.withLock { hasSlept in
          defer { hasSlept = true }
          return !hasSlept
        }
        if isFirst {
          switch news {
          case .wait: try await other.block(ask, until: until, why: "the other run has heard of it")
          case .noneLeft, .oneLeft:
            let left = news == .oneLeft ? 1 : 0
            try await other.learn(
              ServerQuota(limit: 4, remaining: left, resetsIn: .seconds(100)), at: time.now,
              about: ask, from: reservation)
          }
        }
        try await time.timekeeper.sleep(span)
      }, random: { time.timekeeper.random() })
    let sent = Locked<[Instant]>([])
    let exchange = ScriptedExchange.json { _, number in
      sent.withLock { $0.append(time.now) }
      return listing([#"{"id":\#(number)}"#], next: number < 3 ? "\(number)" : nil)
    }
    let left = try await gallery.run(Self.job(gallery), exchange, time: keeper)
    #expect(left.verdicts == [.unproven])
    let asked = sent.withLock { $0 }
    #expect(asked.count == 3)
    // For one there is room, and none for the next.
    let early = news == .oneLeft ? 1 : 0
    #expect(asked.count { $0 < until } == early, "\(asked)")
    // What was set aside for a turn that was let go by is not spent: three, and the other run's one.
    await other.close()
    let ledger = try Connection("\(gallery.path)/ledger.db", .readOnly)
    defer { ledger.close() }
    #expect(try ledger.integer("SELECT sum(cost) FROM trawl_uses") == 4)
  }
}
