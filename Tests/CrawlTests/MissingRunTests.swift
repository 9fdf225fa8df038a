import Base
import Crawl
import TestSupport
import Glibc
import Testing

/// People by token, three a page: those that the list shows, its real members, and their current logins.
private struct Circle: Sendable {
  static let size = 3

  var shown: [Int]
  var members: Set<Int>
  /// Existing accounts; the default login is `pN`.
  var accounts: Set<Int>
  var logins: [Int: String] = [:]
  /// The answer to all questions instead, or to those about these people, with a header field.
  var trouble: (status: Int, field: HeaderField?)?
  var troubled: ClosedRange<Int>?

  init(_ shown: some Sequence<Int>, members: some Sequence<Int>, of accounts: ClosedRange<Int>) {
    self.shown = Array(shown)
    self.members = Set(members)
    self.accounts = Set(accounts)
  }

  func login(_ id: Int) -> String { logins[id] ?? "p\(id)" }

  func answer(_ request: Request) -> Answer {
    let parts = request.address.path.split(separator: "/").dropFirst()
    if parts.count == 1 { return page(request) }
    let name = request.lastPart
    if let trouble, troubled?.contains(Int(name.filter(\.isNumber)) ?? 0) ?? true {
      return .json(request, "{}", trouble.field.map { [$0] } ?? [], status: trouble.status)
    }
    if parts.first == "ids" {
      guard let id = Int(name), accounts.contains(id) else { return .json(request, status: 404) }
      return .json(request, "{\"login\":\"\(login(id))\"}")
    }
    let isThere = members.contains { login($0) == name }
    return .whole(request, [], status: isThere ? 204 : 404)
  }

  private func page(_ request: Request) -> Answer {
    let from = request.number("token") ?? 0
    let items = shown.dropFirst(from).prefix(Self.size).map {
      "{\"id\":\($0),\"login\":\"\(login($0))\"}"
    }
    let end = from + Self.size
    return .json(request, listing(items, next: end < shown.count ? "\(end)" : nil))
  }

  var exchange: ScriptedExchange {
    .answering { [self] request, _ in answer(request) }
  }

  static func job() throws -> Job {
    var stream = try Base.Stream("people", "/people", "id integer, login")
    stream.spends = ["all": 1]
    stream.marksVanished = true
    stream.roles = ["title": "login"]
    var confirmation = Confirmation(
      Confirmation.Question(path: Template([.text("/people/"), .hole("record.login")])))
    confirmation.lookup = Confirmation.Question(
      path: Template([.text("/ids/"), .hole("record.id")]))
    confirmation.renewed = ["login": try JSONPath("login")]
    stream.confirmation = confirmation
    var job = try Job("circle", stream)
    job.quotas = [
      Quota(name: "all", allow: 1_000, window: .rolling(.seconds(3600)), burst: 1_000)
    ]
    return job
  }
}

extension ScriptedExchange {
  /// Paths of the requests other than pages, without the base.
  fileprivate var questions: [String] {
    asked.map { String($0.address.path.dropFirst(3)) }.filter { $0 != "/people" }
  }
}

@Suite("Who is missing from a list without a proof")
struct MissingRunTests {
  private let gallery = Gallery()

  private func gone() throws -> [String] {
    try gallery.rows("SELECT id FROM circle_people WHERE vanished_at IS NOT NULL ORDER BY id")
  }

  /// One night: its result, and the requests other than pages.
  @discardableResult
  private func night(
    _ circle: Circle, _ change: (inout CrawlOptions) -> Void = { _ in }
  ) async throws -> (facts: RunFacts, asked: [String]) {
    let exchange = circle.exchange
    let facts = try await gallery.run(Circle.job(), exchange, then: .day, change).facts
    #expect(facts.requests.sent == exchange.asked.count)
    return (facts, exchange.questions)
  }

  /// The people that questions are about: `/ids/7`, `/people/p7`.
  private static func ids(_ asked: some Sequence<String>) -> Set<Int> {
    Set(asked.compactMap { Int($0.filter { $0.isNumber }) })
  }

  @Test("is asked for by number, then by today's login: one unfollowed, one was still there")
  func oneByOne() async throws {
    try await night(Circle(1...12, members: 1...12, of: 1...12))
    #expect(try gone() == [])
    // 2 has left, 5 has closed the account, 7 is only hidden, 9 was renamed.
    var second = Circle(
      [1, 3, 4, 6, 8, 10, 11, 12], members: [1, 3, 4, 6, 7, 8, 9, 10, 11, 12], of: 1...12)
    second.accounts.remove(5)
    second.logins = [9: "anna"]
    let (facts, asked) = try await night(second)
    #expect(facts.units.first?.certificate.verdict == .unproven)
    #expect(facts.outcome.kinds == [.asDeclared])
    #expect(try gone() == ["2", "5"])
    #expect(
      asked.dropFirst(2).sorted() == [
        "/ids/2", "/ids/2", "/ids/5", "/ids/7", "/ids/9", "/people/anna", "/people/p2",
        "/people/p7",
      ])
    // The control record comes first: the API must say that it is there.
    #expect(Self.ids(asked.prefix(2)).isSubset(of: second.shown))
    let unit = try #require(facts.units.first)
    #expect(unit.missing?.sentence == "4 looked gone: 2 are, 2 were still there")
    #expect(unit.vanished == 2)
    #expect(facts.story.contains("people: 4 looked gone: 2 are, 2 were still there."))
    #expect(facts.warnings.isEmpty)
    // Two equal walks only hold against one change: missing people are requested once more.
    let (third, again) = try await night(second)
    #expect(third.units.first?.certificate.verdict == .complete)
    #expect(again.contains("/ids/7") && again.contains("/ids/9"), "\(again)")
    #expect(try gone() == ["2", "5"])
  }

  @Test("is not gone who gets another name between the two requests about him")
  func renamed() async throws {
    try await night(Circle(1...12, members: 1...12, of: 1...12))
    let circle = Locked(Circle((1...12).filter { $0 != 5 }, members: 1...12, of: 1...12))
    let exchange = ScriptedExchange.answering { request, _ in
      circle.withLock { circle in
        if request.address.path.hasSuffix("/people/p5") { circle.logins[5] = "fred" }
        return circle.answer(request)
      }
    }
    let facts = try await gallery.run(Circle.job(), exchange, then: .day).facts
    #expect(try gone() == [])
    #expect(facts.units.first?.missing?.gone == 0)
    #expect(exchange.questions.suffix(3) == ["/ids/5", "/people/p5", "/ids/5"])
    // The new login finds the record.
    let (_, asked) = try await night(circle.withLock { $0 })
    #expect(asked.suffix(2) == ["/ids/5", "/people/fred"])
    #expect(try gone() == [])
  }

  /// A night of thirty people, and the circle of the next, which five have left; all questions get this answer.
  private func fiveLeft(_ status: Int, _ field: HeaderField? = nil) async throws -> Circle {
    try await night(Circle(1...30, members: 1...30, of: 1...30))
    var second = Circle(6...30, members: 6...30, of: 1...30)
    second.trouble = (status, field)
    return second
  }

  @Test("stays unmarked where there are too many requests, and nobody else is asked for")
  func tooMany() async throws {
    let (facts, asked) = try await night(fiveLeft(429))
    #expect(try gone() == [] && facts.outcome.kinds == [.asDeclared])
    let tally = try #require(facts.units.first?.missing)
    #expect([tally.missing, tally.unknown, tally.waiting] == [5, 0, 5], "\(tally.sentence)")
    #expect(Set(asked).count == 1 && asked.count <= 5)
  }

  @Test(
    "stays unmarked where the answers say nothing, and after one of them nobody else is asked for",
    arguments: [403, 500, 400, 451])
  func nothing(status: Int) async throws {
    var second = try await fiveLeft(status)
    let (facts, asked) = try await night(second)
    #expect(try gone() == [])
    #expect(facts.outcome.kinds == [.asDeclared])
    let tally = try #require(facts.units.first?.missing)
    #expect([tally.missing, tally.unknown, tally.waiting] == [5, 0, 5])
    #expect(tally.sentence.contains("5 wait for the next run (nothing is known of"))
    #expect(facts.warnings == ["people: \(tally.sentence)"])
    #expect(Set(asked).count == 1 && asked.allSatisfy { $0.hasPrefix("/ids/") })
    // The next night they are requested again.
    second.trouble = nil
    second.shown.removeLast()
    let (_, again) = try await night(second)
    #expect(Set(again).count == 14, "one who is there, five that left, one that is only not shown")
    #expect(try gone() == ["1", "2", "3", "4", "5"])
  }

  @Test("waits, too, after three answers in a row that say nothing")
  func threeSayNothing() async throws {
    var second = try await fiveLeft(403)
    second.troubled = 1...5
    let (facts, asked) = try await night(second)
    #expect(Self.ids(asked.dropFirst(2)).count == 3, "\(asked)")
    #expect(
      facts.units.first?.missing?.sentence
        == "5 looked gone: of 3 nothing is known, 2 wait for the next run (3 answers in a row said nothing)"
    )
    #expect(try gone() == [])
  }

  @Test(
    "stays unmarked where the API calls those gone whom it has just shown", arguments: [404, 410])
  func gateway(status: Int) async throws {
    var second = try await fiveLeft(status)
    let (facts, asked) = try await night(second)
    #expect(try gone() == [])
    #expect(asked.count == 3 && Self.ids(asked).isSubset(of: 6...30))
    let tally = try #require(facts.units.first?.missing)
    #expect([tally.missing, tally.gone, tally.waiting] == [5, 0, 5])
    #expect(
      tally.sentence.contains("was just received, and is said to be gone, too"), "\(tally.sentence)"
    )
    second.trouble = nil
    second.shown.swapAt(0, 1)
    try await night(second)
    #expect(try gone() == ["1", "2", "3", "4", "5"])
  }

  @Test("waits for a quota as everything does, and pauses nothing that was read")
  func limit() async throws {
    var second = try await fiveLeft(429, HeaderField("Retry-After", "90000"))
    let (facts, asked) = try await night(second)
    #expect(asked.count == 1)
    #expect(facts.units.first?.certificate.verdict == .unproven)
    #expect(facts.units.first?.missing?.waiting == 5 && facts.warnings.count == 1)
    #expect(try gone() == [])
    // Nine pages, two requests for the control record, and three for one of the missing.
    second.trouble = nil
    second.shown.swapAt(0, 1)
    let (budget, few) = try await night(second) { $0.maxRequests = 14 }
    #expect(few.count == 5 && budget.requests.sent == 14)
    #expect(budget.units.first?.missing?.gone == 1)
    #expect(try gone().count == 1)
  }

  @Test("is asked for at most twenty times in a run; the others wait, and are told")
  func twenty() async throws {
    try await night(Circle(1...100, members: 1...100, of: 1...100))
    let second = Circle(26...100, members: 26...100, of: 1...100)
    let (facts, asked) = try await night(second)
    #expect(asked.count == 62)
    #expect(try gone().count == 20)
    #expect(
      facts.warnings == [
        "people: 25 looked gone: 20 are, 5 wait for the next run (a run asks for 20 at most, over all "
          + "of its lists)"
      ])
    var third = second
    third.shown.swapAt(0, 1)
    let (rest, few) = try await night(third)
    #expect(few.count == 17 && rest.warnings.isEmpty)
    #expect(try gone() == (1...25).map(String.init))
  }

  @Test("is asked for at most twenty times, too, where many lists end at once")
  func atOnce() async throws {
    let lists = 8
    var stream = try Base.Stream("people", "/circles/{circle}", "id integer")
    stream.marksVanished = true
    stream.membership = Membership("found", of: "circle", key: "id")
    stream.confirmation = Confirmation(
      Confirmation.Question(path: Template([.text("/there/"), .hole("record.id")])))
    var job = try Job("circles", stream, with: ["circle": (1...lists).map(String.init)])
    job.atOnce = lists
    for isFirst in [true, false] {
      let asked = Locked(0)
      // Three have left each list.
      let isThere = { @Sendable (id: Int) in isFirst || ![2, 5, 8].contains(id % 100) }
      let exchange = ScriptedExchange { request, _ in
        let number = Int(request.lastPart) ?? 0
        guard request.address.parts.contains("there") else {
          let shown = (0..<13).map { number * 100 + $0 }.filter(isThere)
          let from = request.number("token") ?? 0
          let next = from + 3 < shown.count ? "\(from + 3)" : nil
          let page = shown.dropFirst(from).prefix(3).map { "{\"id\":\($0)}" }
          return .success(.json(request, listing(page, next: next)))
        }
        asked.withLock { $0 += 1 }
        // The first answer comes after each list's first request.
        do {
          try await until("each list requests a record") { asked.withLock { $0 } >= lists }
        } catch {
          Issue.record(error)
        }
        return .success(.whole(request, [], status: isThere(number) ? 204 : 404))
      }
      let units = try await gallery.run(job, exchange, then: .day).facts.units
      #expect(units.reduce(0) { $0 + ($1.missing?.gone ?? 0) } == (isFirst ? 0 : 20))
      #expect(units.reduce(0) { $0 + ($1.missing?.waiting ?? 0) } == (isFirst ? 0 : 4))
    }
  }

  @Test("is nobody's question where half of a list is missing, unless a person says that it may be")
  func withheld() async throws {
    try await night(Circle(1...60, members: 1...60, of: 1...60))
    let second = Circle(31...60, members: 31...60, of: 1...60)
    let (facts, asked) = try await night(second)
    #expect(asked.isEmpty)
    #expect(try gone() == [])
    #expect(facts.units.first?.withheld == 30 && facts.units.first?.vanished == 0)
    #expect(
      facts.warnings == [
        "people: 30 rows look gone, too many to be plausible; none was asked for. If it may be true: "
          + "--accept-vanish 30 asks for 20 in each run"
      ])
    var third = second
    third.shown.swapAt(0, 1)
    let (_, some) = try await night(third) { $0.acceptedVanish = 30 }
    #expect(some.count == 62)
    #expect(try gone().count == 20)
  }

  private static func second() -> Circle { Circle(5...30, members: 5...30, of: 1...30) }

  @Test(
    "is asked for at most once more where a process is killed between the answer and the mark",
    arguments: [
      (FaultPoint.Place.beforeMark, 1, 4), (.beforeMark, 3, 2), (.afterMark, 1, 4),
      (.afterMark, 2, 3), (.afterMark, 5, 0), (.beforeCertificate, 1, 0),
    ])
  func killed(place: FaultPoint.Place, visit: Int, left: Int) async throws {
    try await night(Circle(1...30, members: 1...30, of: 1...30))
    let start = gallery.time.now
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [
        path = gallery.path as String, place = place.rawValue as String, visit = visit as Int,
        start = start.milliseconds as Int64
      ] in
      let time = VirtualTime(at: Instant(milliseconds: start))
      _ = try await Gallery(in: path).run(
        Circle.job(), Self.second().exchange, time: time.timekeeper,
        faults: .killing(at: place, visit: visit))
    }
    let (facts, asked) = try await night(Self.second())
    #expect(asked.count == (left > 0 ? 2 + left * 3 : 0), "\(asked)")
    #expect(facts.outcome.kinds == [.asDeclared])
    #expect(try gone() == ["1", "2", "3", "4"])
    #expect(
      try gallery.rows("SELECT rows, verdict FROM trawl_trust") == ["26|unproven"])
  }
}
