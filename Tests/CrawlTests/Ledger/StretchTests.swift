import Base
@testable import Crawl
import TestSupport
import Testing

@Suite("Quotas of one name")
struct StretchTests: LedgerBench {
  let folder = ScratchFolder()
  let time = VirtualTime()

  @Test("quotas of one name and of different stretches are counted apart; of one stretch together")
  func stretches() async throws {
    let ledger = try await self.ledger()
    let day = ask(allow: 3, per: .seconds(86_400), burst: 1)
    let minute = ask(allow: 10, per: .seconds(60), burst: 1)
    try await grant(ledger, day)
    #expect(try await grant(ledger, minute).at == time.now, "the pace of the day is another one")
    #expect(try await ledger.left(in: minute).left == 9)
    #expect(try await ledger.left(in: ask(allow: 20, per: .seconds(60))).left == 19)
  }

  @Test("a turn that is further off than whoever asks would wait sets nothing aside")
  func farTurn() async throws {
    let ledger = try await self.ledger()
    let slow = ask(allow: 2, per: .seconds(3600), burst: 1)
    try await grant(ledger, slow)
    let next = try await ledger.reserve([slow], job: "a", waitMax: .seconds(60))
    guard case .notBefore(let until, _, let why) = next else {
      Issue.record("\(next)")
      return
    }
    #expect(until == time.now + .seconds(1800) && why.contains("spaced"), "\(why)")
    #expect(try await ledger.left(in: slow).left == 1)
  }
}
