import Base
import Crawl
import TestSupport
import Testing

/// Lists whose last page names a next one, which is empty.
@Suite("A list that ends with an empty page behind a named one")
struct EmptyTailTests {
  /// Three pages of two, followed by as many empty ones as are requested.
  private static func exchange(
    _ count: Int, isEndless: Bool = false, total: Int? = nil
  ) -> ScriptedExchange {
    .json { request, _ in
      let page = request.number("token") ?? 0
      let keys = (page * 2..<page * 2 + 2).filter { $0 < count }
      return listing(
        keys.map { #"{"id":\#($0),"name":"n"}"# },
        next: isEndless || !keys.isEmpty ? "\(page + 1)" : nil, total: total)
    }
  }

  private static func job(_ trust: Total.Trust? = nil) throws -> Job {
    var job = try LyingList(style: .token, total: trust, base: Gallery.base).job()
    job.streams[0].size = nil
    return job
  }

  @Test(
    "is proven on its third night by walks that agree, not a second after another, nor by an empty tail that stands in the place of records for a night",
    arguments: [
      ([(6, 1), (6, 1), (6, 86_400), (6, 86_400), (6, 0)], "complete [\"twice\"]"),
      ([(5, 1), (5, 1), (5, 86_400), (5, 86_400), (5, 0)], "complete [\"twice\"]"),
      ([(6, 86_400), (4, 1), (4, 1), (4, 86_400), (6, 0)], "unproven []"),
    ] as [([(Int, Int64)], String)])
  func nights(nights: [(Int, Int64)], last: String) async throws {
    let (gallery, job) = (Gallery(), try Self.job())
    var claims: [String] = []
    for (count, pause) in nights {
      let left = try await gallery.run(job, Self.exchange(count), then: .seconds(pause))
      let certificate = try #require(left.facts.units.last).certificate
      claims.append("\(certificate.claim) \(certificate.proofs.map(\.rawValue))")
    }
    #expect(claims == Array(repeating: "unproven []", count: 4) + [last])
  }

  @Test(
    "ends at a total that is reached, though it names a next page for ever",
    arguments: [(Total.Trust.counted, "complete"), (.estimate, "unproven")])
  func endless(trust: Total.Trust, claim: String) async throws {
    let gallery = Gallery()
    let left = try await gallery.run(
      try Self.job(trust), Self.exchange(6, isEndless: true, total: 6))
    let certificate = try #require(left.facts.units.last).certificate
    #expect(certificate.claim == claim && certificate.rule == .emptyPage, "\(certificate.why)")
    #expect(certificate.pages == 7 && certificate.distinctKeys == 6)
    #expect(!(certificate.isEndShown && trust == .estimate))
  }

  @Test("does not end at an empty page between others, where its total says too little")
  func between() async throws {
    let gallery = Gallery()
    let left = try await gallery.run(
      try Self.job(.counted),
      ScriptedExchange.json { request, _ in
        let page = request.number("token") ?? 0
        let keys = page == 1 ? [] : page == 0 ? [0, 1] : [2, 3]
        return listing(
          keys.map { #"{"id":\#($0),"name":"n"}"# }, next: page < 2 ? "\(page + 1)" : nil, total: 2)
      })
    let certificate = try #require(left.facts.units.last).certificate
    #expect(certificate.verdict != .complete && certificate.distinctKeys == 4)
  }
}
