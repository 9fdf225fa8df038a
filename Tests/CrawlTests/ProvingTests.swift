import Base
import TestSupport
import Testing

@Suite("A list that its job wants proven once a week")
struct ProvingTests {
  private let gallery = Gallery()

  /// Nine records by token, three a page; each night another one is at the front.
  private func night(_ first: Int, moves: Bool = false) async throws -> RunFacts {
    var job = try gallery.job(hasPictures: false)
    job.streams[0].provesEvery = .seconds(7 * 86_400)
    let asked = Locked(0)
    let exchange = ScriptedExchange.json { request, _ in
      let walk = asked.withLock { asked in
        defer { asked += 1 }
        return asked / 3
      }
      let front = first + (moves ? walk : 0)
      let from = request.number("token") ?? 0
      return listing(
        (from..<from + 3).map { "{\"id\":\(front - $0),\"url\":\"u\"}" },
        next: from < 6 ? "\(from + 3)" : nil)
    }
    let facts = try await gallery.run(job, exchange, then: .day).facts
    #expect(facts.requests.sent == exchange.asked.count)
    return facts
  }

  @Test("is walked twice once a week, and once on the nights between, however much it moved")
  func weekly() async throws {
    var claims: [String] = []
    var requests: [Int] = []
    for day in 0..<9 {
      let facts = try await night(100 + day)
      claims.append(facts.units.last?.certificate.claim ?? "")
      requests.append(facts.requests.sent)
      #expect(facts.outcome.kinds == [.asDeclared])
    }
    #expect(
      claims == ["complete"] + Array(repeating: "unproven", count: 6) + ["complete", "unproven"])
    #expect(requests == [6, 3, 3, 3, 3, 3, 3, 6, 3])
    let trust = "SELECT verdict, complete_as_of IS NOT NULL FROM trawl_trust"
    #expect(try gallery.rows(trust) == ["unproven|1"])
  }

  @Test("is not walked twice each night where it moves between the two walks, too")
  func restless() async throws {
    var requests: [Int] = []
    for day in 0..<8 { requests.append(try await night(100 + day * 5, moves: true).requests.sent) }
    #expect(requests == [6, 3, 3, 3, 3, 3, 3, 6])
  }
}
