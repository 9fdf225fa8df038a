import Base
import TestSupport
import Glibc
import Testing

@Suite("A run that an error of the database ends in the middle of a list")
struct BrokenOffTests {
  private let gallery = Gallery()

  @Test("tells as new what it had stored by then")
  func told() async throws {
    let database = "\(gallery.path)/trawl.db"
    let exchange = ScriptedExchange.json { request, number in
      let from = request.number("token") ?? 0
      if number == 4 { rename(database, database + ".aside") }
      return listing((from..<from + 3).map { "{\"id\":\($0),\"url\":\"u\"}" }, next: "\(from + 3)")
    }
    let job = try gallery.job(hasPictures: false)
    let facts = try await gallery.run(job, exchange).facts
    #expect(facts.outcome.kinds == [.cannotWrite])
    #expect(facts.units.isEmpty)
    try #require(rename(database + ".aside", database) == 0)
    let rows = try gallery.rows("SELECT count(*) FROM gallery_pictures")
    #expect(rows == ["\(facts.counts.new)"] && facts.counts.new > 0)
  }
}
