import Base
import Crawl
import TestSupport
import Testing

/// Authors, some of them with a slug, and books that are requested by it, in each way in which a stream can take values
/// from another.
private struct Library: Sendable, CustomStringConvertible {
  enum Way: Sendable, CaseIterable { case parent, batch, pages, values }

  var way: Way
  var when: ParentFeed.When
  let authors = 3

  var description: String { "\(way) \(when)" }

  static let all = Way.allCases.flatMap { way in
    [ParentFeed.When.new, .changed, .stale(.seconds(60)), .all, .run].map {
      Library(way: way, when: $0)
    }
  }

  func job() throws -> Job {
    var authors = try Base.Stream("authors", "/authors", "id, slug", by: .single)
    authors.hasOnePage = true
    let isPaged = way == .pages || way == .values
    var books = try Base.Stream(
      "books", "/books/{slug}", "id", by: isPaged ? .tokens() : .single)
    books.hasOnePage = true
    if way != .values {
      books.parent = ParentFeed(
        stream: "authors", column: "slug", when: when, batch: way == .batch ? 2 : 1)
    }
    if way == .batch { books.membership = Membership("written", of: "slug", key: "book") }
    return try Job(
      "library", authors, books, with: way == .values ? ["slug": ["@authors.slug"]] : [:])
  }

  /// - Parameter named: how many of the authors have a slug tonight.
  func exchange(named: Int) -> ScriptedExchange {
    .json { request, _ in
      listing(
        request.address.parts.contains("books")
          ? [#"{"id":"of \#(request.lastPart)"}"#]
          : (0..<authors).map { #"{"id":"\#($0)"\#($0 < named ? #","slug":"s\#($0)""# : "")}"# },
        next: nil)
    }
  }
}

@Suite("Each stream of a run")
struct StreamAccountTests {
  @Test(
    "stands in its outcome: with its lists, with why it rests, or as failed where no record names its lists",
    arguments: Library.all)
  fileprivate func stands(library: Library) async throws {
    for nights in [[0, 3, 0, 1], [3, 0, 3], [1, 1, 0, 0], [2, 3, 3]] {
      let gallery = Gallery()
      for (night, named) in nights.enumerated() {
        let exchange = library.exchange(named: named)
        let facts = try await gallery.run(library.job(), exchange, then: .day).facts
        let lists = facts.units.filter { $0.stream == "books" }
        let resting = facts.resting.filter { $0.hasPrefix("books ") }
        let note: Comment = "\(nights), night \(night): \(facts.units) \(facts.resting)"
        #expect(lists.isEmpty == (resting.count == 1), note)
        // No record has a slug: that is no success, whatever happened before.
        #expect(facts.outcome.kinds.contains(.failed) == (named == 0), note)
        if named == 0 {
          #expect(
            facts.outcome.sentence
              == "failed: 0 of \(library.authors) records of authors have slug", note)
        }
        // A list of which nothing was marked as gone has everything that it ever returned.
        if library.way == .batch, !lists.isEmpty, named > 0 {
          #expect(
            try gallery.rows("SELECT rows FROM trawl_trust WHERE list = 'books'")
              == gallery.rows("SELECT count(*) FROM library_written"), note)
        }
      }
    }
  }

  @Test("is read by stored values, though --set closes a circle: with itself, or with another")
  func circle() async throws {
    let gallery = Gallery()
    let job = try Job(
      "circle", Base.Stream("one", "/one/{a}", "id"), Base.Stream("two", "/two/{b}", "id"),
      with: ["a": ["x"], "b": ["y"]])
    let exchange = ScriptedExchange.json { request, _ in
      listing([#"{"id":"\#(request.lastPart)1"}"#], next: nil)
    }
    _ = try await gallery.run(job, exchange)
    for values in [["a": ["@one.id"]], ["a": ["@two.id"], "b": ["@one.id"]]] {
      let facts = try await gallery.run(job, exchange) { $0.values = values }.facts
      #expect(facts.outcome.kinds == [.asDeclared], "\(facts.outcome)")
      #expect(Set(facts.units.map(\.stream)) == ["one", "two"], "\(facts.units)")
    }
    #expect(Set(exchange.asked.map(\.lastPart)).isSuperset(of: ["x", "y", "x1", "y1"]))
  }

  @Test(
    "that a stop keeps from being read is named, too, whether it was begun or not",
    arguments: Library.Way.allCases, [true, false])
  fileprivate func stopped(way: Library.Way, isBegun: Bool) async throws {
    var job = try Library(way: way, when: .new).job()
    // The only request ends the list of authors, or does not.
    if !isBegun { (job.streams[0].pager, job.streams[0].hasOnePage) = (try .tokens(), false) }
    let exchange = ScriptedExchange.json { _, _ in
      listing([#"{"id":"1","slug":"s1"}"#], next: isBegun ? nil : "more")
    }
    let facts = try await Gallery().run(job, exchange) { $0.maxRequests = 1 }.facts
    #expect(facts.units.contains { $0.stream == "books" } == isBegun)
    #expect(facts.resting == (isBegun ? [] : ["books was not reached"]))
  }
}
