import Base
import Store
import TestSupport
import Testing

/// Things, and their details, which are requested for several at once.
struct Catalog: Sendable {
  enum Details: Sendable {
    /// Columns of existing rows, or rows of their own table.
    case fill, own
    /// Many for each thing, none with its key.
    case posts
    /// A list for each thing, with several pages.
    case lists
  }

  var things: Int
  var batch = 4
  var details = Details.fill
  var when = ParentFeed.When.new
  /// A request that is answered by an error in the shape of a page.
  var refused: [Int]?
  var marks = false

  func job() throws -> Job {
    let all = try Base.Stream(whole: "things", "/things")
    var more = try Base.Stream(
      "details", "/details/{id}", "id integer, views integer",
      by: details == .lists ? .tokens() : .single)
    if details == .fill { more.table = "things" }
    more.ownsTable = details != .fill
    more.marksVanished = marks
    more.parent = ParentFeed(stream: "things", column: "id", when: when, batch: batch)
    return try Job("shop", all, more)
  }

  /// One run, and its requests; `came` returns the ids in the answer to the requested ones.
  func run(
    in gallery: Gallery, _ came: @escaping @Sendable ([Int]) -> [Int]
  ) async throws -> (claim: String, why: String, kinds: Set<RunOutcome.Kind>, asked: [[Int]]) {
    let things = things
    let refused = refused
    let exchange = ScriptedExchange.json { request, _ in
      let ids = Self.ids(request.address)
      if let ids, ids == refused { return "{\"items\":{\"error\":5}}" }
      return listing((ids.map(came) ?? Array(1...things)).map { "{\"id\":\($0),\"views\":1}" })
    }
    let left = try await gallery.run(job(), exchange)
    #expect(try await gallery.proves())
    let misses = try gallery.rows("SELECT count(*) FROM trawl_due WHERE missed_run IS NOT NULL")
    #expect(try await gallery.store { try await $0.overview().map { "\($0.misses)" } } == misses)
    let details = left.facts.units.first { $0.stream == "details" }?.certificate
    return (
      details?.claim ?? "", details?.why ?? "", left.facts.outcome.kinds,
      exchange.asked.compactMap { Self.ids($0.address) }
    )
  }

  static func ids(_ address: WebAddress) -> [Int]? {
    let parts = address.parts
    return parts.contains("details")
      ? parts.last?.split(separator: ",").compactMap { Int($0) } : nil
  }
}

@Suite("What an answer leaves out")
struct LeftOutTests {
  let gallery = Gallery()

  @Test(
    "is requested again by the next run, then after 1, 2, 4 … 30 days, until it comes",
    arguments: [Catalog.Details.fill, .own])
  func distances(details: Catalog.Details) async throws {
    let catalog = Catalog(things: 6, details: details)
    let first = try await catalog.run(in: gallery) { $0.filter { $0 != 3 } }
    #expect(first.asked == [[1, 2, 3, 4], [5, 6]])
    #expect(first.claim == "unproven" && first.kinds == [.asDeclared])
    #expect(first.why == "2 requests; 1 value that did not come will be requested again")
    #expect(try gallery.missed("value, reason") == ["3|left out"])
    let second = try await catalog.run(in: gallery) { _ in [] }
    #expect(second.asked == [[3]])
    #expect(second.claim == "complete" && second.kinds == [.asDeclared])
    #expect(
      second.why
        == "only what had not been found was requested again, nothing left to fetch; 1 is not there"
    )
    try await gallery.expectDistances(of: [[3]]) {
      try await catalog.run(in: gallery) { _ in [] }.asked
    }
    gallery.time.advance(by: Duration.day * 31)
    #expect(try await catalog.run(in: gallery) { $0 }.asked == [[3]])
    #expect(try gallery.missed() == [])
    let table = details == .fill ? "shop_things" : "shop_details"
    #expect(try gallery.rows("SELECT count(*) FROM \(table) WHERE views = 1") == ["6"])
    gallery.time.advance(by: Duration.day * 60)
    #expect(try await catalog.run(in: gallery) { $0 }.asked == [])
  }

  @Test("whole, for once, is a slip of the API's: said at once, and requested again")
  func emptyOnce() async throws {
    let catalog = Catalog(things: 8)
    let first = try await catalog.run(in: gallery) { $0.contains(1) ? [] : $0 }
    #expect(first.asked == [[1, 2, 3, 4], [5, 6, 7, 8]])
    #expect(first.claim == "incomplete (empty)")
    #expect(first.kinds == [.lessThanDeclared])
    let second = try await catalog.run(in: gallery) { $0 }
    #expect(second.asked == [[1, 2, 3, 4]])
    #expect(second.claim == "complete" && second.kinds == [.asDeclared])
  }

  @Test("is no list that is there where nothing ever comes")
  func neverAny() async throws {
    let catalog = Catalog(things: 3)
    let first = try await catalog.run(in: gallery) { _ in [] }
    #expect(first.claim == "incomplete (empty)")
    let second = try await catalog.run(in: gallery) { _ in [] }
    #expect(second.claim == "absent")
    // No request before it is due, but no success either.
    let third = try await catalog.run(in: gallery) { $0 }
    #expect(third.asked == [] && third.claim == "absent")
    gallery.time.advance(by: Duration.day + .seconds(1))
    let fourth = try await catalog.run(in: gallery) { $0 }
    #expect(fourth.asked == [[1, 2, 3]] && fourth.claim == "complete")
  }

  @Test("is missing, whatever else comes in its place")
  func others() async throws {
    let catalog = Catalog(things: 4)
    let first = try await catalog.run(in: gallery) { $0.map { $0 + 100 } }
    #expect(first.claim == "incomplete (rejects)")
    #expect(try gallery.missed() == ["1", "2", "3", "4"])
    let second = try await catalog.run(in: gallery) { $0 }
    #expect(second.asked == [[1, 2, 3, 4]] && second.claim == "complete")
  }

  @Test("is unknown where most records are of other values, such as the posts of some users")
  func posts() async throws {
    let catalog = Catalog(things: 4, details: .posts)
    let first = try await catalog.run(in: gallery) { _ in [100, 101, 3] }
    #expect(first.claim == "unproven" && first.kinds == [.lessThanDeclared])
    #expect(
      first.why
        == "1 request; 3 values that did not come will be requested again; 1 answer had other "
        + "records than were requested: a column named as in \"for\" must hold the value that a "
        + "record answers"
    )
    #expect(try gallery.missed() == ["1", "2", "3", "4"])
    let second = try await catalog.run(in: gallery) { $0 }
    #expect(Set(second.asked.joined()) == Set(1...4))
    #expect(second.claim == "complete")
  }

  @Test("is unknown, too, while one alone is answered by the record of another")
  func otherAlone() async throws {
    let catalog = Catalog(things: 4, details: .own)
    for _ in 0..<3 {
      let run = try await catalog.run(in: gallery) {
        Array($0.dropLast()) + [$0.last == 4 ? 100 : 4]
      }
      #expect(run.claim == "unproven")
      #expect(try gallery.missed() == ["4"])
    }
  }

  @Test("is there after all where the API answers only some at once: none is lost")
  func silentMaximum() async throws {
    let catalog = Catalog(things: 10, details: .own)
    let first = try await catalog.run(in: gallery) { Array($0.prefix(2)) }
    #expect(first.asked == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10]])
    #expect(first.claim == "unproven")
    let second = try await catalog.run(in: gallery) { Array($0.prefix(2)) }
    #expect(second.asked == [[3, 4, 7, 8], [7], [8]])
    #expect(second.claim == "complete")
    #expect(try gallery.rows("SELECT count(*) FROM shop_details") == ["10"])
  }

  @Test("is there after all where the API takes one value at once")
  func oneAtOnce() async throws {
    let catalog = Catalog(things: 3, details: .own)
    let first = try await catalog.run(in: gallery) { $0.count > 1 ? [] : $0 }
    #expect(first.claim == "incomplete (empty)")
    let second = try await catalog.run(in: gallery) { $0.count > 1 ? [] : $0 }
    #expect(second.asked == [[1, 2, 3], [1], [2], [3]])
    #expect(second.claim == "complete")
  }

  @Test("costs one request of its own before it counts as not there, and none in later nights")
  func alone() async throws {
    let catalog = Catalog(things: 40, batch: 20, details: .own)
    let answer: @Sendable ([Int]) -> [Int] = { $0.filter { $0 % 10 != 0 } }
    #expect(try await catalog.run(in: gallery, answer).asked.count == 2)
    let second = try await catalog.run(in: gallery, answer)
    #expect(second.asked == [[10, 20, 30, 40], [10], [20], [30], [40]])
    #expect(second.why.hasSuffix("; 4 are not there"))
    #expect(try await catalog.run(in: gallery, answer).asked == [])
    gallery.time.advance(by: Duration.day + .seconds(1))
    #expect(try await catalog.run(in: gallery, answer).asked == [[10, 20, 30, 40]])
  }

  @Test("is not there, too, where a request for it alone is refused", arguments: [404, 400, 403])
  func absentAlone(status: Int) async throws {
    let job = try Catalog(things: 6, details: .own).job()
    for asked in [[[1, 2, 3, 4], [5, 6]], [[3, 5], [3], [5]], [[3, 5]]] {
      let exchange = ScriptedExchange.answering { request, _ in
        let ids = Catalog.ids(request.address)
        if ids == [3] || ids == [5] { return .json(request, status: status) }
        let came = ids?.filter { $0 != 3 && $0 != 5 } ?? Array(1...6)
        return .json(request, listing(came.map { "{\"id\":\($0),\"views\":1}" }))
      }
      let left = try await gallery.run(job, exchange, then: .day)
      #expect(exchange.asked.compactMap { Catalog.ids($0.address) } == asked)
      #expect(left.verdicts == [.complete, asked.count == 2 ? .unproven : .complete])
      #expect(try await gallery.proves())
    }
  }

  @Test("is requested alone by some hundred requests a night at most where nothing comes at all")
  func nothingComes() async throws {
    let catalog = Catalog(things: 300, batch: 50, details: .own)
    for most in [6, 120] {
      let asked = try await catalog.run(in: gallery) { _ in [] }.asked
      #expect((1...most).contains(asked.count), "\(asked)")
    }
  }

  @Test("is not forgotten by its age before it was requested alone")
  func retained() async throws {
    let catalog = Catalog(things: 4, details: .own, when: .stale(.seconds(3600)))
    var retaining = try catalog.job()
    retaining.streams[1].retain = .seconds(2 * 86_400)
    let job = retaining
    func outlived() async throws -> Int {
      try await gallery.store { store in
        try await store.outlived(of: job, by: gallery.time.now).flatMap(\.keys).count
      }
    }
    func run(_ came: @escaping @Sendable ([Int]) -> [Int]) async throws {
      let exchange = ScriptedExchange.answering { request, _ in
        let records = Catalog.ids(request.address).map(came) ?? Array(1...4)
        return .json(request, listing(records.map { "{\"id\":\($0),\"views\":1}" }))
      }
      _ = try await gallery.run(job, exchange)
    }
    try await run { $0 }
    gallery.time.advance(by: Duration.day * 3)
    try await run { Array($0.prefix(2)) }
    #expect(try await outlived() == 0)
    try await run { _ in [] }
    #expect(try await outlived() == 2)
  }

  @Test("stays due where every one is requested in every run, and holds up no round")
  func rounds() async throws {
    let catalog = Catalog(things: 3, when: .all)
    let answer: @Sendable ([Int]) -> [Int] = { $0.filter { $0 != 2 } }
    #expect(try await catalog.run(in: gallery, answer).asked == [[1, 2, 3]])
    #expect(try await catalog.run(in: gallery, answer).asked == [[1, 3, 2], [2]])
    #expect(try await catalog.run(in: gallery) { $0 }.asked == [[1, 3]])
    gallery.time.advance(by: Duration.day + .seconds(1))
    #expect(try await catalog.run(in: gallery) { $0 }.asked == [[1, 3, 2]])
  }

  @Test("and answers of which nothing fits end the requests after the third")
  func nothingFits() async throws {
    let catalog = Catalog(things: 40)
    let run = try await catalog.run(in: gallery) { $0.map { $0 + 100 } }
    #expect(run.asked.count == 3 && run.kinds.contains(.failed))
    #expect(run.why.hasPrefix("every record of 3 answers was rejected ("))
  }

  @Test("for a list of one of them is no answer where nothing of it fits: it is requested again")
  func lists() async throws {
    var catalog = Catalog(things: 3, batch: 1, details: .lists, refused: [2])
    let first = try await catalog.run(in: gallery) { $0.map { $0 + 100 } }
    #expect(first.asked == [[1], [2], [3]] && first.kinds == [.lessThanDeclared])
    #expect(
      try gallery.rows("SELECT verdict, cause FROM trawl_trust WHERE cause IS NOT NULL")
        == ["incomplete|rejects"])
    #expect(try await catalog.run(in: gallery) { $0.map { $0 + 100 } }.asked == [])
    gallery.time.advance(by: Duration.day + .seconds(1))
    catalog.refused = nil
    #expect(try await catalog.run(in: gallery) { $0.map { $0 + 100 } }.asked == [[2]])
    #expect(try gallery.rows("SELECT count(*) FROM shop_details") == ["3"])
    #expect(try gallery.missed() == [])
  }

  @Test("of many at once is withheld, and the file proves that")
  func withheld() async throws {
    var catalog = Catalog(things: 60, batch: 20, details: .own, when: .all)
    catalog.marks = true
    var claims: [String] = []
    for night in 0..<4 {
      let left = try await catalog.run(in: gallery) { ids in
        night == 0 ? ids : ids.filter { $0 > 40 }
      }
      claims.append(left.claim)
      gallery.time.advance(by: .day)
    }
    #expect(claims[0] == "complete" && claims.contains { $0.hasPrefix("incomplete") })
    #expect(
      try gallery.rows("SELECT count(*) FROM shop_details WHERE vanished_at IS NULL") == ["60"])
  }

  @Test("is told by the bytes of its value")
  func spellings() async throws {
    let all = try Base.Stream(whole: "things", "/things", "id")
    var more = try Base.Stream("details", "/details/{id}", "id, views integer", by: .single)
    (more.table, more.ownsTable) = ("things", false)
    more.parent = ParentFeed(stream: "things", column: "id", when: .all, batch: 4)
    let job = try Job("shop", all, more)
    let left = try await gallery.run(
      job,
      ScriptedExchange.json { request, _ in
        let isAll = request.lastPart == "things"
        return listing(
          (isAll ? ["\u{212b}", "A\u{30a}"] : ["A\u{30a}"]).map { "{\"id\":\"\($0)\",\"views\":1}" }
        )
      })
    #expect(left.verdicts == [.complete, .unproven])
    #expect(try gallery.missed("hex(value)") == ["E284AB"])
  }
}
