import Base
import Crawl
import TestSupport
import Testing

@Suite("A search")
struct SearchTests {
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
