import Base
import TestSupport
import Glibc
import Testing

/// Lists that depend on the records of another, and a kill at each place where records and claims might come to differ.
@Suite("A run with lists of lists, killed")
struct FeedCrashTests {
  /// Four authors on two pages; four books of each on two pages.
  private static func job(_ when: ParentFeed.When) throws -> Job {
    var books = try Base.Stream("books", "/authors/{id}/books")
    books.parent = ParentFeed(stream: "authors", column: "id", when: when, batch: 1)
    return try Job("shelf", Base.Stream("authors", "/authors"), books)
  }

  private static func exchange() -> ScriptedExchange {
    .json { request, _ in
      let page = request.address.query == nil ? 0 : 1
      let parts = request.address.parts
      // /v1/authors or /v1/authors/N/books
      let author = parts.count > 3 ? (Int(parts[2]) ?? 0) * 100 : 0
      let items = (0..<2).map { "{\"id\":\(author + page * 2 + $0 + 1)}" }
      return listing(items, next: page == 0 ? "1" : nil)
    }
  }

  static let kills: [(FaultPoint.Place, Int)] =
    [FaultPoint.Place.beforePageCommit, .afterPageCommit].flatMap { place in
      [1, 2, 3, 6].map { (place, $0) }
    }
    + [FaultPoint.Place.beforeCertificate, .afterCertificate].flatMap { place in
      [1, 2, 4].map { (place, $0) }
    }

  @Test(
    "is gone on with by the next: no list is left unasked under a success",
    arguments: kills, [false, true])
  func resumed(kill: (FaultPoint.Place, Int), isOnce: Bool) async throws {
    let gallery = Gallery()
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [
        path = gallery.path as String, place = kill.0.rawValue as String, visit = kill.1 as Int,
        isOnce = isOnce as Bool
      ] in
      _ = try await Gallery(in: path).run(
        Self.job(isOnce ? .new : .run), Self.exchange(),
        faults: .killing(at: place, visit: visit))
    }
    let left = try await gallery.run(Self.job(isOnce ? .new : .run), Self.exchange())
    #expect(left.facts.outcome.kinds == [.asDeclared])
    #expect(try gallery.rows("SELECT count(*) FROM shelf_authors") == ["4"])
    #expect(try gallery.rows("SELECT count(*) FROM shelf_books") == ["16"])
    #expect(
      try gallery.rows("SELECT verdict, count(*) FROM trawl_trust GROUP BY verdict")
        == ["complete|5"])
  }
}
