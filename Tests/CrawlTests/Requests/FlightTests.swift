import Base
import Crawl
import TestSupport
import Testing

/// Answers only once the expected number of requests is in flight, and counts them.
private final class CountingExchange: Exchange {
  private struct State {
    var underWay = 0
    var most = 0
    var asked: [String] = []
  }

  private let state = Locked(State())
  private let wanted: Int
  private let alone: Int
  /// How many turns each request leaves to one that would be too many.
  private let lingers: Int
  private let script: @Sendable (Request, Int) throws(ExchangeFailure) -> Answer
  /// How often it looks for the others before it answers anyway.
  private static let looksMax = 2_000_000

  init(
    waitingFor wanted: Int, behind alone: Int = 1, lingering lingers: Int = 0,
    _ script: @escaping @Sendable (Request, Int) throws(ExchangeFailure) -> Answer
  ) {
    self.wanted = wanted
    self.alone = alone
    self.lingers = lingers
    self.script = script
  }

  /// The most that were in flight at once.
  var most: Int { state.withLock { $0.most } }
  var asked: [String] { state.withLock { $0.asked } }

  func send(
    _ request: Request, into sink: (any BodySink)?
  ) async throws(ExchangeFailure) -> Answer {
    let number = state.withLock { state in
      state.underWay += 1
      state.most = max(state.most, state.underWay)
      state.asked.append(request.address.target)
      return state.asked.count
    }
    defer { state.withLock { $0.underWay -= 1 } }
    // All others wait for the first answers.
    var looks = 0
    while number > alone, most < wanted, looks < Self.looksMax {
      looks += 1
      await Task.yield()
    }
    for _ in 0..<lingers { await Task.yield() }
    return try script(request, number)
  }
}

@Suite("Requests in flight")
struct FlightTests {
  private let gallery = Gallery()
  static let atOnce = 4

  /// A stream with a list for each value, of two pages by token.
  static func job(lists: Int, atOnce: Int = Self.atOnce) throws -> Job {
    let things = try Base.Stream("things", "/lists/{list}")
    var job = try Job("shop", things, with: ["list": (1...lists).map { "\($0)" }])
    job.atOnce = atOnce
    return job
  }

  /// List 7 has the records 701 and 702, one on each page.
  static func page(_ request: Request) -> Answer {
    let list = Int(request.lastPart) ?? 0
    let isSecond = request["token"] != nil
    let record = #"{"id":\#(list * 100 + (isSecond ? 2 : 1))}"#
    return .json(request, listing([record], next: isSecond ? nil : "more"))
  }

  private static func records(_ gallery: Gallery) throws -> Int {
    Int(try gallery.rows("SELECT count(*) FROM shop_things").first ?? "") ?? -1
  }

  @Test("of several lists are as many as the job says, and each list knows its own")
  func lists() async throws {
    let exchange = CountingExchange(waitingFor: Self.atOnce, lingering: 2_000) { request, _ in
      Self.page(request)
    }
    let left = try await gallery.run(Self.job(lists: 20), exchange)
    #expect(exchange.most == Self.atOnce)
    #expect(left.facts.units.count == 20)
    // Two pages, and page 1 again.
    #expect(left.facts.units.allSatisfy { $0.requests == 3 }, "\(left.facts.units.map(\.requests))")
    #expect(left.facts.units.map(\.requests).reduce(0, +) == left.facts.requests.sent)
    #expect(left.facts.requests.sent == exchange.asked.count)
    #expect(try Self.records(gallery) == 40)
  }

  @Test("are one where the job says nothing, and until the first answer of a run")
  func one() async throws {
    let alone = CountingExchange(waitingFor: 1, lingering: 2_000) { request, _ in
      Self.page(request)
    }
    _ = try await Gallery().run(Self.job(lists: 6, atOnce: 1), alone)
    #expect(alone.most == 1)
    // An unreachable host is noticed once, not once for each list.
    let dead = CountingExchange(waitingFor: 1, lingering: 2_000) {
      (request: Request, _: Int) throws(ExchangeFailure) -> Answer in
      throw ExchangeFailure.simulated(.unreachable, request)
    }
    let left = try await Gallery().run(Self.job(lists: 20), dead)
    #expect(left.facts.outcome.kinds.contains(.unreachable) && dead.most == 1)
    // Lists that start before the first one has failed make one request.
    #expect(dead.asked.count < 4 + Self.atOnce, "\(dead.asked)")
  }

  @Test("never go beyond --max-requests; what was begun goes on in the next run", arguments: 1...12)
  func budget(most: Int) async throws {
    let exchange = CountingExchange(waitingFor: most < 3 ? 1 : 2) { request, _ in Self.page(request)
    }
    let job = try Self.job(lists: 8)
    let left = try await gallery.run(job, exchange) { $0.maxRequests = most }
    #expect(exchange.asked.count == most && left.facts.requests.sent == most)
    #expect(left.facts.outcome.kinds == [.paused], "\(left.facts.outcome)")
    let open = left.facts.units.filter { $0.certificate.verdict == .paused }
    #expect(!open.isEmpty && open.count <= Self.atOnce)
    #expect(left.facts.units.map(\.requests).reduce(0, +) == most)
    // What was answered is kept.
    #expect(try Self.records(gallery) >= most * 2 / 3)
    let next = try await gallery.run(job, exchange)
    #expect(!next.facts.units.contains { $0.certificate.verdict == .paused })
    #expect(try Self.records(gallery) == 16)
  }

  @Test("hear of one limit together: all wait, half as many go on, and nothing is lost")
  func limit() async throws {
    let exchange = CountingExchange(waitingFor: Self.atOnce) { request, number in
      (8...11).contains(number)
        ? .whole(request, [], [HeaderField("Retry-After", "30")], status: 429)
        : Self.page(request)
    }
    let left = try await gallery.run(Self.job(lists: 20), exchange)
    #expect(try Self.records(gallery) == 40)
    #expect(!left.facts.outcome.kinds.contains(.paused), "\(left.facts.outcome)")
    let narrowed = left.facts.story.filter { $0.contains("it is too much for the API") }
    #expect(!narrowed.isEmpty && narrowed.count <= 2, "\(narrowed)")
  }

  @Test("end with the first list that a refused key stops: one reason, and each list has its word")
  func refused() async throws {
    var job = try Self.job(lists: 20)
    job.authentication = Authentication(place: .query(name: "key"), secret: "shop")
    let exchange = CountingExchange(waitingFor: Self.atOnce) { request, number in
      number == 9 ? .json(request, status: 401) : Self.page(request)
    }
    let left = try await gallery.run(job, exchange)
    #expect(
      left.facts.outcome.kinds.contains(.secret) && !left.facts.outcome.kinds.contains(.paused))
    // Requests in flight were answered; none was started afterwards.
    #expect(exchange.asked.count < 9 + Self.atOnce + 1, "\(exchange.asked.count)")
    let open = try gallery.rows("SELECT count(*) FROM trawl_windows WHERE is_open = 1")
    #expect((Int(open.first ?? "") ?? 99) <= Self.atOnce)
    #expect(left.facts.units.allSatisfy { !$0.certificate.why.isEmpty })
    let calm = CountingExchange(waitingFor: Self.atOnce) { request, _ in Self.page(request) }
    _ = try await gallery.run(job, calm)
    #expect(try Self.records(gallery) == 40)
  }

  // MARK: pages of one list

  static func numbered() throws -> Job {
    var job = try Self.job(lists: 1)
    job.streams[0].pager = .numbers
    job.streams[0].size = PageSize(parameter: "size", value: 10)
    job.streams[0].total = try .told(.counted)
    return job
  }

  /// A hundred and five records in pages of ten.
  static func numberedPage(_ request: Request, shortPage: Int? = nil) -> String {
    let page = max(1, request.number("page") ?? 1)
    let ids = (0..<105).dropFirst((page - 1) * 10).prefix(page == shortPage ? 7 : 10)
    return listing(ids.map { "{\"id\":\($0)}" }, total: 105)
  }

  @Test(
    "of one list are as many where a counted total says that the pages are there, and none beyond")
  func pages() async throws {
    let exchange = CountingExchange(waitingFor: Self.atOnce, behind: 2, lingering: 2_000) {
      request, _ in .json(request, Self.numberedPage(request))
    }
    let ordinals = Locked<[Int]>([])
    let left = try await gallery.run(
      Self.numbered(), exchange,
      tell: { event in
        if case .pageStored(_, let ordinal, _, _) = event {
          ordinals.withLock { $0.append(ordinal) }
        }
      })
    #expect(exchange.most == Self.atOnce)
    let certificate = try #require(left.facts.units.first?.certificate)
    #expect(certificate.verdict == .complete, "\(certificate)")
    #expect(certificate.proofs.contains(.counted) && certificate.distinctKeys == 105)
    // Eleven pages, and page 1 again.
    #expect(exchange.asked.count == 12 && left.facts.units.first?.requests == 12)
    #expect(ordinals.withLock { Array($0.prefix(11)) } == Array(1...11))
  }

  @Test("of one list are asked for once where a page in the middle brings less than it might")
  func shortPage() async throws {
    let exchange = CountingExchange(waitingFor: Self.atOnce, behind: 2) { request, _ in
      .json(request, Self.numberedPage(request, shortPage: 3))
    }
    let left = try await gallery.run(Self.numbered(), exchange)
    #expect(exchange.most == Self.atOnce)
    let behind = exchange.asked.filter { !$0.contains("page=1&") && !$0.hasSuffix("page=1") }
    #expect(Set(behind).count == behind.count, "\(exchange.asked)")
    // Three records that the API counts were on no page.
    let certificate = try #require(left.facts.units.first?.certificate)
    #expect(certificate.verdict == .incomplete && certificate.distinctKeys == 102, "\(certificate)")
  }

  @Test("of one list are dropped behind a page that stops the walk, and are no page of it")
  func dropped() async throws {
    let exchange = CountingExchange(waitingFor: Self.atOnce, behind: 2) { request, _ in
      request.address.target.contains("page=6")
        ? .json(request, "{}", [HeaderField("Retry-After", "7200")], status: 429)
        : .json(request, Self.numberedPage(request))
    }
    let job = try Self.numbered()
    let left = try await gallery.run(job, exchange)
    #expect(left.facts.units.first?.certificate.verdict == .paused)
    #expect(left.facts.units.first?.certificate.pages == 5)
    #expect(left.facts.units.first?.requests == exchange.asked.count)
    #expect(try Self.records(gallery) == 50)
    gallery.time.advance(by: .seconds(7300))
    let calm = CountingExchange(waitingFor: Self.atOnce, behind: 2) { request, _ in
      .json(request, Self.numberedPage(request))
    }
    let next = try await gallery.run(job, calm)
    #expect(next.facts.units.first?.certificate.verdict == .complete, "\(next.facts.units)")
    #expect(try Self.records(gallery) == 105)
  }

  @Test("of one list are no old copies where a page before them was answered later than they")
  func answeredEarlier() async throws {
    let isLate = Locked(true)
    let exchange = CountingExchange(waitingFor: Self.atOnce, behind: 2) {
      [time = gallery.time] request, _ in
      let date = HeaderField("Date", CivilTime(time.now).httpDate)
      let mustWait =
        request.address.target.contains("page=3")
        && isLate.withLock { isLate in
          defer { isLate = false }
          return isLate
        }
      return mustWait
        ? .whole(request, [], [HeaderField("Retry-After", "30"), date], status: 503)
        : .json(request, Self.numberedPage(request), [date])
    }
    let left = try await gallery.run(Self.numbered(), exchange)
    let certificate = try #require(left.facts.units.first?.certificate)
    #expect(certificate.verdict == .complete, "\(certificate)")
    // Eleven pages, page 1 again, and the one that had to wait.
    #expect(exchange.asked.count == 13, "\(exchange.asked)")
  }

  // MARK: requests for records of another stream

  @Test(
    "of answers for parents are as many, and each parent is asked for once",
    arguments: [true, false])
  func children(isPaged: Bool) async throws {
    let shelf = Shelf(parents: Array(1...30), isPaged: isPaged)
    var job = try shelf.job()
    job.atOnce = Self.atOnce
    let exchange = CountingExchange(waitingFor: Self.atOnce) { request, _ in
      let ids = Shelf.ids(request.address)
      let items = (ids?.map { $0 + 1000 } ?? shelf.parents).map { "{\"id\":\($0)}" }
      return .json(request, listing(items, next: nil))
    }
    let left = try await gallery.run(job, exchange) { $0.maxRequests = 17 }
    #expect(exchange.most == Self.atOnce && exchange.asked.count == 17)
    #expect(left.facts.outcome.kinds == [.paused], "\(left.facts.outcome)")
    #expect(try gallery.rows("SELECT count(*) FROM shelf_books") == ["16"])
    _ = try await gallery.run(job, exchange)
    #expect(try gallery.rows("SELECT count(*) FROM shelf_books") == ["30"])
    let books = exchange.asked.filter { $0.contains("books") }
    #expect(books.count == 30 && Set(books).count == 30)
  }
}
