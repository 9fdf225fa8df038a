import Base
@testable import Crawl
import Store
import TestSupport
import Testing

/// A job whose second stream is requested for the records of the first, and its API.
struct Shelf: Sendable {
  /// The ids of the parents, in the order of the list.
  var parents: [Int]
  var batch = 1
  var when = ParentFeed.When.new
  var isPaged = false
  var place = "/books/"

  func job() throws -> Job {
    var authors = try Base.Stream("authors", "/authors")
    authors.hasOnePage = true
    let column = batch > 1 ? "author" : "id"
    var books = try Base.Stream("books", "\(place){\(column)}", by: isPaged ? .tokens() : .single)
    books.hasOnePage = true
    books.parent = ParentFeed(stream: "authors", column: column, when: when, batch: batch)
    if batch > 1 {
      // A book names the author that it was requested for.
      authors.columns += [
        Column(name: "author", source: .paths([try JSONPath("id")]), kind: .integer)
      ]
      books.columns += [try Column("author integer")]
    }
    return try Job("shelf", authors, books)
  }

  /// The ids of the parents in each request for books.
  static func asked(_ exchange: ScriptedExchange) -> [[Int]] {
    exchange.asked.compactMap { ids($0.address) }
  }

  static func ids(_ address: WebAddress) -> [Int]? {
    let parts = address.parts
    guard parts.count == 3, parts[1].hasSuffix("books") else { return nil }
    return parts[2].split(separator: ",").compactMap { Int($0) }
  }

  /// Answers with a book for each parent, or with the status of one in the request.
  func exchange(_ status: @escaping @Sendable (Int) -> Int?) -> ScriptedExchange {
    .answering { request, _ in
      let ids = Self.ids(request.address)
      if let other = ids?.compactMap(status).first {
        return .json(request, status: other)
      }
      let books = ids?.map { "{\"id\":\($0 + 1000),\"author\":\($0)}" }
      return .json(request, listing(books ?? parents.map { "{\"id\":\($0)}" }, next: nil))
    }
  }
}

extension Gallery {
  /// One run of the shelf, and the parents that it requested.
  func run(
    _ shelf: Shelf, _ status: @escaping @Sendable (Int) -> Int? = { _ in nil }
  ) async throws -> (left: Left, asked: [[Int]]) {
    let exchange = shelf.exchange(status)
    // The parents are read first; what is due for stored ones is known before.
    let plan = try await plan(shelf.job())
    let known = try await due(shelf.job())
    let left = try await run(shelf.job(), exchange)
    #expect(try await proves())
    let asked = Shelf.asked(exchange)
    let books = try #require(plan.parts.first { $0.stream.name == "books" })
    #expect(plan.lists.first?.first == exchange.asked.first?.address)
    // With `run`, parents are due only once the run has read them.
    if shelf.when != .run { #expect(known.reduce(0) { $0 + $1.count } == books.due ?? 0) }
    let stored = Set(asked.map(\.description))
    for list in books.lists where left.facts.outcome.kinds == [.asDeclared] {
      let ids = try Shelf.ids(#require(list.first))
      #expect(try stored.contains(#require(ids).description), "\(list)")
    }
    return (left, asked)
  }

  /// Values that did not come when they were requested.
  func missed(_ columns: String = "value") throws -> [String] {
    try rows("SELECT \(columns) FROM trawl_due WHERE missed_run IS NOT NULL")
  }

  /// What the runs request that come a minute before and a second after 1, 2, 4 … 30 days: nothing, then these.
  func expectDistances<Asked: Collection & Equatable>(
    of asked: Asked, _ run: () async throws -> Asked
  ) async throws {
    for days in [1, 2, 4, 8, 16, 30, 30] {
      time.advance(by: Duration.day * days - .seconds(60))
      let before = try await run()
      #expect(before.isEmpty, "\(days) days")
      time.advance(by: .seconds(61))
      let due = try await run()
      #expect(due == asked, "\(days) days")
    }
  }

  /// As commands that write nothing open its database, if there is one.
  private func reading<Result>(
    _ body: (RecordStore?) async throws -> Result
  ) async throws -> Result {
    let folder = try DataFolder(creating: path)
    guard folder.hasDatabase else { return try await body(nil) }
    let store = try await RecordStore.openForReading(
      folder, RecordStore.Settings(time: time.timekeeper))
    let result = try await body(store)
    await store.close()
    return result
  }

  /// What `status` would show as due now.
  func due(_ job: Job) async throws -> [DueChildren] {
    try await reading { store in
      guard let store else { return [] }
      return try await DueChildren.all(of: job, store: store, time: time.timekeeper)
    }
  }

  /// What `--dry-run` would show now.
  func plan(_ job: Job, _ change: (inout CrawlOptions) -> Void = { _ in }) async throws -> Plan {
    var options = CrawlOptions()
    change(&options)
    return try await reading { [options] store in
      try await Plan(job: job, options: options, store: store, time: time.timekeeper)
    }
  }

  /// The parents that a run would get, if none of them were answered.
  func dueParents(_ job: Job, portion: Int) async throws -> [String] {
    try await store { store in
      _ = try await store.adopt(job, origin: job.base.origin)
      let run = try await store.beginRun(job: job.name, command: "run", arguments: [])
      var parents = DueParents(
        store: store, stream: job.streams[1], job: job.name, run: run, portion: portion)
      var given: [String] = []
      while let next = try await parents.next() { given.append(next.value) }
      return given
    }
  }
}

@Suite("A child that is not there")
struct AbsentChildTests {
  private let gallery = Gallery()

  @Test("does not take its batch along, and is asked again after 1, 2, 4 … 30 days, never before")
  func distances() async throws {
    let shelf = Shelf(parents: Array(1...8), batch: 4)
    let first = try await gallery.run(shelf) { $0 == 3 ? 404 : nil }
    #expect(first.left.verdicts == [.complete, .complete])
    #expect(first.asked == [[1, 2, 3, 4], [1, 2], [3, 4], [3], [4], [5, 6, 7, 8]])
    #expect(
      try gallery.rows("SELECT id - 1000 FROM shelf_books ORDER BY id")
        == ["1", "2", "4", "5", "6", "7", "8"])
    #expect(first.left.facts.units.last?.certificate.why.hasSuffix("; 1 is not there") == true)
    try await gallery.expectDistances(of: [[3]]) {
      let again = try await gallery.run(shelf) { $0 == 3 ? 404 : nil }
      if again.asked.isEmpty { return [] }
      // The certificate says nothing new about the list.
      #expect(again.left.verdicts == [.complete, .complete])
      #expect(again.left.facts.outcome.kinds == [.asDeclared])
      #expect(
        try gallery.rows("SELECT rows, verdict FROM trawl_trust WHERE list = 'books'")
          == ["7|complete"])
      return again.asked
    }
    gallery.time.advance(by: Duration.day * 30 + .seconds(1))
    #expect(try await gallery.run(shelf).asked == [[3]])
    #expect(try gallery.rows("SELECT count(*) FROM shelf_books") == ["8"])
    #expect(try gallery.missed() == [])
    gallery.time.advance(by: Duration.day * 60)
    #expect(try await gallery.run(shelf).asked == [])
  }

  @Test("leaves no success when none of them is there", arguments: [1, 5])
  func none(batch: Int) async throws {
    let shelf = Shelf(parents: Array(1...5), batch: batch)
    let moved = try await gallery.run(shelf) { _ in 404 }
    #expect(moved.left.verdicts == [.complete, .absent])
    #expect(moved.left.facts.outcome.kinds == [.lessThanDeclared])
    #expect(
      try gallery.rows("SELECT verdict, resumes_at FROM trawl_trust WHERE table_name LIKE '%books'")
        == ["absent|\((gallery.time.now + Duration.day).description)"])
    // Until then it is no success either.
    let waiting = try await gallery.run(shelf) { _ in 404 }
    #expect(waiting.asked == [])
    #expect(waiting.left.verdicts == [.complete, .absent])
    gallery.time.advance(by: Duration.day + .seconds(1))
    let still = try await gallery.run(shelf) { _ in 404 }
    #expect(still.left.verdicts == [.complete, .absent])
    #expect(Set(still.asked.joined()) == Set(1...5))
    gallery.time.advance(by: Duration.day * 2 + .seconds(1))
    let back = try await gallery.run(shelf)
    #expect(back.left.verdicts == [.complete, .complete])
    #expect(try gallery.rows("SELECT count(*) FROM shelf_books") == ["5"])
  }

  @Test("is not looked for without end where the address of all has moved")
  func bounded() async throws {
    let shelf = Shelf(parents: Array(1...300), batch: 50)
    let moved = try await gallery.run(shelf) { _ in 404 }
    #expect(moved.left.verdicts == [.complete, .absent])
    #expect(moved.asked.count == 100)
    #expect(moved.left.facts.units.last?.certificate.why.contains("the others") == true)
    // None of them counts as answered.
    gallery.time.advance(by: Duration.day + .seconds(1))
    _ = try await gallery.run(shelf)
    #expect(try gallery.rows("SELECT count(*) FROM shelf_books") == ["300"])
  }

  @Test("keeps its list due, and is asked again after 1, 2, 4 … 30 days")
  func paged() async throws {
    let shelf = Shelf(parents: [1, 2, 3], isPaged: true)
    let first = try await gallery.run(shelf) { $0 == 2 ? 404 : nil }
    #expect(first.left.verdicts == [.complete, .complete, .absent, .complete])
    try await gallery.expectDistances(of: [[2]]) {
      try await gallery.run(shelf) { $0 == 2 ? 404 : nil }.asked
    }
    gallery.time.advance(by: Duration.day * 30 + .seconds(1))
    #expect(try await gallery.run(shelf).asked == [[2]])
    #expect(try gallery.rows("SELECT count(*) FROM shelf_books") == ["3"])
  }

  @Test("is asked at once where the job asks elsewhere now", arguments: [false, true])
  func elsewhere(isPaged: Bool) async throws {
    var shelf = Shelf(parents: [1, 2], isPaged: isPaged)
    #expect(try await gallery.run(shelf) { _ in 404 }.asked == [[1], [2]])
    #expect(try await gallery.run(shelf).asked == [])
    shelf.place = "/newbooks/"
    #expect(try await gallery.run(shelf) { $0 == 2 ? 404 : nil }.asked == [[1], [2]])
    #expect(try await gallery.run(shelf).asked == [])
  }
}

@Suite("A child that is refused")
struct RefusedChildTests {
  private let gallery = Gallery()

  @Test("lets the others have their turn in the next run", arguments: [false, true])
  func turns(isPaged: Bool) async throws {
    // A run stops after three failures in a row, or after ten failed lists.
    let refused = isPaged ? 11 : 4
    let shelf = Shelf(parents: Array(1...refused + 4), isPaged: isPaged)
    let first = try await gallery.run(shelf) { $0 <= refused ? 400 : nil }
    #expect(first.asked == (1..<refused).map { [$0] })
    #expect(first.left.facts.outcome.kinds == [.failed])
    let second = try await gallery.run(shelf) { $0 <= refused ? 400 : nil }
    let others = Array(refused...refused + 4)
    #expect(second.asked == (others + Array(1..<refused)).map { [$0] })
    // Once others of the stream were readable, these may be as well.
    #expect(
      second.left.facts.outcome.kinds == (isPaged ? [.lessThanDeclared, .failed] : [.failed]))
    #expect(try gallery.rows("SELECT count(*) FROM shelf_books") == ["4"])
    // None is given up.
    let third = try await gallery.run(shelf)
    #expect(third.asked == (1...refused).map { [$0] })
    #expect(third.left.facts.outcome.kinds == [.asDeclared])
    #expect(try gallery.missed() == [])
  }

  @Test("is told from its batch by halves, from run to run")
  func halves() async throws {
    let shelf = Shelf(parents: Array(1...8), batch: 4)
    let refused: @Sendable (Int) -> Int? = { $0 == 2 || $0 == 6 ? 400 : nil }
    let first = try await gallery.run(shelf, refused)
    #expect(first.asked == [[1, 2, 3, 4], [5, 6, 7, 8], [1, 2, 3, 4]])
    let second = try await gallery.run(shelf, refused)
    #expect(second.asked == [[1, 2], [3, 4], [5, 6], [7, 8], [1, 2], [5, 6]])
    let third = try await gallery.run(shelf, refused)
    #expect(third.asked == [[1], [2], [5], [6], [2], [6]])
    #expect(
      try gallery.rows("SELECT id - 1000 FROM shelf_books ORDER BY id")
        == ["1", "3", "4", "5", "7", "8"])
    #expect(try gallery.missed("value, tries") == ["2|3", "6|3"])
  }

  @Test("stays due while something speaks against its list, and is read once when nothing does")
  func doubtful() async throws {
    let shelf = Shelf(parents: [1, 2], isPaged: true)
    func run(_ more: String) async throws -> [[Int]] {
      let exchange = ScriptedExchange.json { request, _ in
        guard let ids = Shelf.ids(request.address) else {
          return listing(["{\"id\":1}", "{\"id\":2}"], next: nil)
        }
        let text = listing(["{\"id\":\(ids[0] + 1000)}"], next: nil)
        return ids == [2] ? text.dropLast() + more + "}" : text
      }
      _ = try await gallery.run(shelf.job(), exchange)
      return Shelf.asked(exchange)
    }
    #expect(try await run(",\"partial\":true") == [[1], [2]])
    for _ in 1...3 { #expect(try await run(",\"partial\":true") == [[2]]) }
    #expect(try await run("") == [[2]])
    #expect(try await run("") == [])
    #expect(try gallery.rows("SELECT DISTINCT verdict FROM trawl_trust") == ["complete"])
  }

  @Test(
    "for want of a value rests, says which, and lets the run go on", arguments: [false, true])
  func valueMissing(isPaged: Bool) async throws {
    var job = try Shelf(parents: [1], isPaged: isPaged).job()
    job.streams[1].path = try #require(Template("/{lang}/books/{id}"))
    job.parameters = [Parameter(name: "lang", defaults: [])]
    let exchange = ScriptedExchange.json { _, _ in listing(["{\"id\":1}"], next: nil) }
    let facts = try await gallery.run(job, exchange).facts
    #expect(facts.outcome.kinds == [.asDeclared], "\(facts.outcome)")
    #expect(exchange.asked.allSatisfy { $0.lastPart == "authors" })
    let why = "idle, since it needs --set lang=…"
    #expect(facts.resting == ["books is \(why)"])
    let part = try #require(try await gallery.plan(job).parts.last)
    #expect(part.note.hasSuffix("; 1 of those stored now; \(why)") && part.lists.isEmpty)
  }

  @Test("for good ends the run: what was in flight beside it is kept, the rest stays due")
  func fatal() async throws {
    let shelf = Shelf(parents: Array(1...4))
    var job = try shelf.job()
    (job.atOnce, job.errors) = (2, [ErrorRule(statuses: [418...418], action: .fatal)])
    let underWay = Locked<Set<Int>>([])
    let exchange = ScriptedExchange { request, _ in
      guard let id = Shelf.ids(request.address)?.first else {
        return .success(.json(request, listing((1...4).map { "{\"id\":\($0)}" }, next: nil)))
      }
      underWay.withLock { _ = $0.insert(id) }
      try? await until("both are in flight") { underWay.withLock { $0.count > 1 } }
      let book = listing(["{\"id\":\(id + 1000)}"], next: nil)
      return .success(id == 1 ? .json(request, status: 418) : .json(request, book))
    }
    let left = try await gallery.run(job, exchange)
    #expect(left.facts.outcome.kinds == [.failed], "\(left.facts.outcome)")
    #expect(left.verdicts == [.complete, .failed])
    #expect(try gallery.rows("SELECT id FROM shelf_books") == ["1002"])
    let next = shelf.exchange { _ in nil }
    _ = try await gallery.run(job, next)
    #expect(Set(Shelf.asked(next)) == [[1], [3], [4]])
  }

  @Test("does not hold up the next round of those that are asked in every run")
  func rounds() async throws {
    for when in [ParentFeed.When.all, .run] {
      let shelf = Shelf(parents: [1, 2, 3], when: when)
      for _ in 1...3 {
        let run = try await gallery.run(shelf) { $0 == 2 ? 400 : nil }
        #expect(Set(run.asked.joined()) == [1, 2, 3], "\(when)")
      }
    }
  }
}
