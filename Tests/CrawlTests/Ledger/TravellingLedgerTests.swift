import Base
@testable import Crawl
import Glibc
import TestSupport
import Testing

@Suite("A ledger that travels with its folder")
struct TravellingLedgerTests {
  let folder = ScratchFolder()
  let time = VirtualTime()
  private var path: String { "\(folder.path)/ledger.db" }

  private let ask = QuotaAsk(
    key: QuotaKey(
      origin: "https://api.example", name: "core", account: "me", length: .seconds(3600)),
    cost: 1, allow: 400, stretch: .rolling(.seconds(3600)), burst: 400)

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
      guard case .granted = try await ledger.reserve([ask], job: "j") else {
        Issue.record("not granted")
        break
      }
      #expect(puts.withLock { $0 } == 1, "\(count)")
    }
    _ = try await ledger.reserve([ask], job: "j")
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
      await #expect(throws: LedgerError.self) { try await ledger.reserve([ask], job: "j") }
    }
    isDown.withLock { $0 = false }
    guard case .granted = try await ledger.reserve([ask], job: "j") else {
      Issue.record("not granted")
      return
    }
    await ledger.close()
  }

  @Test(
    "counts the open block of another claim as spent, also on the same machine, and that of its own not"
  )
  func foreignBlock() async throws {
    let killed = try await open("claim 1")
    for _ in 0..<10 { _ = try await killed.reserve([ask], job: "j") }
    let beside = try await open("claim 1")
    #expect(try await beside.left(in: ask).left == 390)
    await beside.close()
    let next = try await open("claim 2")
    let left = try await next.left(in: ask).left
    #expect(left <= 400 - 64 && left >= 400 - 75, "\(left)")
    await next.close()
    await killed.close()
  }
}
