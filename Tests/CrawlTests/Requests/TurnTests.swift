import Crawl
import Ledger
import Model
import SQLite
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

  @Test("is not sent at its turn when a server has asked another run for a wait meanwhile")
  func blocked() async throws {
    let gallery = Gallery()
    let time = gallery.time
    let isAsked = Locked(false)
    let until = time.now + .seconds(100)
    let keeper = Timekeeper(
      now: { time.now }, elapsed: { time.timekeeper.elapsed() },
      sleep: { [path = gallery.path] span in
        // The other run hears of it while this one sleeps.
        let isFirst = isAsked.withLock { isAsked in
          defer { isAsked = true }
          return !isAsked
        }
        if isFirst {
          let ledger = try await QuotaLedger.open(
            file: "\(path)/ledger.db", timekeeper: time.timekeeper)
          let origin = try WebAddress(Gallery.base).origin.description
          let ask = QuotaAsk(
            key: QuotaKey(origin: origin, name: "pace", account: "nobody"), cost: 1, allow: 4,
            stretch: .rolling(.seconds(60)), burst: 1)
          try await ledger.block(ask, until: until, why: "the other run has heard of it")
          await ledger.close()
        }
        try await time.timekeeper.sleep(span)
      }, random: { time.timekeeper.random() })
    let sent = Locked<[Instant]>([])
    let exchange = ScriptedExchange { request, number in
      sent.withLock { $0.append(time.now) }
      let next = number < 3 ? "\"\(number)\"" : "null"
      return .success(
        .whole(request, Array(#"{"items":[{"id":\#(number)}],"next":\#(next)}"#.utf8)))
    }
    let left = try await gallery.run(Self.job(gallery), exchange, time: keeper)
    #expect(left.verdicts == [.unproven])
    let asked = sent.withLock { $0 }
    #expect(asked.count == 3)
    #expect(asked.dropFirst().allSatisfy { $0 >= until }, "\(asked)")
    // What it had set aside for the turn that it let go by is not spent.
    let ledger = try Connection("\(gallery.path)/ledger.db", .readOnly)
    defer { ledger.close() }
    #expect(try ledger.integer("SELECT sum(cost) FROM trawl_uses") == 3)
  }
}
