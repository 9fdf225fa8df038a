import Base
@testable import Crawl
import TestSupport
import Testing

@Suite("A ledger that travels with its folder")
struct TravellingLedgerTests: LedgerBench {
  let folder = ScratchFolder()
  let time = VirtualTime()

  private var quota: QuotaAsk { ask(allow: 400, burst: 400) }

  private func open(
    _ claim: String, put: @escaping @Sendable () throws(TravellingLedger.Problem) -> Void = {}
  ) async throws -> QuotaLedger {
    try await QuotaLedger.open(
      file: path, timekeeper: time.timekeeper, travelling: TravellingLedger(claim: claim, put: put))
  }

  @Test("puts each block before the first request of it, and none twice")
  func blocks() async throws {
    let puts = Locked(0)
    let ledger = try await open("claim 1") { puts.withLock { $0 += 1 } }
    // The first is stored with its block, which has 64 more.
    for count in 1...65 {
      try await grant(ledger, quota)
      #expect(puts.withLock { $0 } == 1, "\(count)")
    }
    try await grant(ledger, quota)
    #expect(puts.withLock { $0 } == 2)
    await ledger.close()
  }

  @Test("grants nothing of a block that is not put")
  func refused() async throws {
    let isDown = Locked(true)
    let ledger = try await open("claim 1") { () throws(TravellingLedger.Problem) in
      if isDown.withLock({ $0 }) { throw TravellingLedger.Problem(sentence: "the claim is lost") }
    }
    for _ in 0..<3 {
      await #expect(throws: LedgerError.self) { try await ledger.reserve([quota], job: "j") }
    }
    isDown.withLock { $0 = false }
    try await grant(ledger, quota)
    await ledger.close()
  }

  @Test("pauses a run whose block is not put: nothing is requested, and the next run goes on")
  func pauses() async throws {
    let gallery = Gallery()
    var things = try Base.Stream(whole: "things", "/things")
    things.spends = ["all": 1]
    var job = try Job("shop", things)
    job.quotas = [Quota(name: "all", allow: 400, window: .rolling(.seconds(3600)), burst: 400)]
    let exchange = ScriptedExchange.json { _, _ in listing(["{\"id\":1}"]) }
    let lost = TravellingLedger(claim: "claim 1") { () throws(TravellingLedger.Problem) in
      throw TravellingLedger.Problem(sentence: "the claim is lost")
    }
    let left = try await gallery.run(job, exchange, travelling: lost)
    #expect(left.facts.outcome.kinds == [.paused] && exchange.asked.isEmpty)
    #expect(left.facts.outcome.sentence.contains("the claim is lost"), "\(left.facts.outcome)")
    let held = TravellingLedger(claim: "claim 2") {}
    #expect(try await gallery.run(job, exchange, travelling: held).verdicts == [.complete])
  }

  @Test(
    "counts the open block of another claim as spent, also on the same machine, and that of its own not"
  )
  func foreignBlock() async throws {
    let killed = try await open("claim 1")
    for _ in 0..<10 { try await grant(killed, quota) }
    let beside = try await open("claim 1")
    #expect(try await beside.left(in: quota).left == 390)
    await beside.close()
    let next = try await open("claim 2")
    let left = try await next.left(in: quota).left
    #expect(left <= 400 - 64 && left >= 400 - 75, "\(left)")
    await next.close()
    await killed.close()
  }
}
