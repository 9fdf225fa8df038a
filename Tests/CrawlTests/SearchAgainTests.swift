import Base
import Crawl
import TestSupport
import Testing

@Suite("A search whose windows a backfill walks again")
struct SearchAgainTests {
  private let gallery = Gallery()

  /// Two windows' worth of answers: of each walk six records, four of which every walk brings.
  private func exchange() -> ScriptedExchange {
    let walks = Locked(0)
    return ScriptedExchange { request, _ in
      let walk = walks.withLock { walks in
        defer { walks += 1 }
        return walks
      }
      let ids = [1, 2, 3, 4, 5 + 2 * walk, 6 + 2 * walk]
      let items = ids.map { "{\"id\":\($0),\"url\":\"u\"}" }.joined(separator: ",")
      return .success(.whole(request, Array("{\"items\":[\(items)]}".utf8)))
    }
  }

  private func job(again: Int) throws -> Job {
    var job = try gallery.job()
    job.streams[0].media = []
    job.streams[0].isSearch = true
    job.streams[0].again = again
    job.streams[0].window = Window(from: "since", to: "till", column: nil, overlap: .zero)
    return job
  }

  private func fill(_ job: Job, _ exchange: ScriptedExchange) async throws -> RunFacts {
    let end = gallery.time.now - .seconds(86_400)
    return try await gallery.run(job, exchange) { options in
      options.command = "backfill"
      options.window = TimeWindow(from: end - .seconds(864_000), to: end)
    }.facts
  }

  @Test("tells by what two walks have in common how much it shows, and is unproven")
  func twice() async throws {
    let exchange = exchange()
    let facts = try await fill(try job(again: 2), exchange)
    #expect(exchange.asked.count == 2 && facts.requests.sent == 2)
    let estimate = SearchEstimate(before: 6, again: 6, both: 4)
    #expect(facts.coverage.first?.estimate == estimate && estimate.records == 9)
    let certificate = try #require(facts.units.first?.certificate)
    #expect(certificate.verdict == .unproven)
    #expect(certificate.why.contains("4 of 6 had come before: it shows about 9, of which 8 came"))
    #expect(
      try gallery.rows("SELECT shown_before, shown_again, shown_both FROM trawl_fills")
        == ["6|6|4"])
    #expect(try gallery.rows("SELECT count(*) FROM gallery_pictures") == ["8"])
  }

  @Test("holds the last walk against all before it, and nothing is asked again later")
  func thrice() async throws {
    let exchange = exchange()
    let facts = try await fill(try job(again: 3), exchange)
    #expect(exchange.asked.count == 3)
    #expect(facts.coverage.first?.estimate == SearchEstimate(before: 8, again: 6, both: 4))
    _ = try await fill(try job(again: 3), exchange)
    #expect(exchange.asked.count == 3)
  }

  @Test("says that nothing is known where they have nothing in common")
  func nothingInCommon() {
    #expect(SearchEstimate(before: 3, again: 3, both: 0).records == nil)
    #expect(SearchEstimate(before: 3, again: 3, both: 0).text.contains("nothing says how much"))
    #expect(SearchEstimate().records == 0)
  }

  @Test("One answer for each record of another stream is a search, too, where the job says so")
  func ofParents() async throws {
    let gallery = Gallery()
    for isSearch in [false, true] {
      let shelf = Shelf(parents: [1, 2, 3])
      var job = try shelf.job()
      job.name = isSearch ? "searches" : "shelf"
      job.streams[1].isSearch = isSearch
      let facts = try await gallery.run(job, shelf.exchange { _ in nil }).facts
      #expect(facts.units.last?.certificate.verdict == (isSearch ? .unproven : .complete))
    }
  }
}
