import Base
import Crawl
import TestSupport
import Testing

/// A paged list whose records have a name in one field or another.
private struct NamedList: Sendable {
  var count: Int
  var size: Int
  /// Whether the name is null tonight.
  var isNull: @Sendable (Int) -> Bool = { _ in false }
  /// The field with the record's name tonight; nil: it has none.
  var field: @Sendable (Int) -> String?

  static func job(isVolatile: Bool = false) throws -> Job {
    var stream = try Base.Stream("users", "/users", "id integer, login, stars integer")
    stream.columns[1].isVolatile = isVolatile
    stream.total = try .told(.counted)
    return try Job("named", stream)
  }

  /// - Parameter night: changes something in each record.
  func exchange(night: Int) -> ScriptedExchange {
    .json { request, _ in
      let begin = request.number("token") ?? 0
      let end = min(begin + size, count)
      let items = (begin..<end).map { number in
        let value = isNull(number) ? "null" : #""u\#(number)""#
        let name = field(number).map { #","\#($0)":\#(value)"# } ?? ""
        return #"{"id":\#(number),"stars":\#(night)\#(name)}"#
      }
      return listing(items, next: end < count ? "\(end)" : nil, total: count)
    }
  }
}

@Suite("A field that a whole page of records has no more")
struct EmptiedFieldTests {
  private static func logins(_ gallery: Gallery) throws -> Int {
    try gallery.rows("SELECT id FROM named_users WHERE login IS NOT NULL").count
  }

  private static func run(
    _ gallery: Gallery, _ list: NamedList, _ night: Int, accepting: [String] = [],
    isVolatile: Bool = false
  ) async throws -> RunFacts {
    let (job, exchange) = try (NamedList.job(isVolatile: isVolatile), list.exchange(night: night))
    let left = try await gallery.run(job, exchange, then: .day) { $0.acceptedEmpty = accepting }
    #expect(try await gallery.proves())
    return left.facts
  }

  @Test(
    "empties no row: the list is incomplete and a person is told, until the field is back or given up",
    arguments: [(40, 20, false), (25, 10, true), (30, 100, false), (700, 350, false), (9, 9, true)])
  func renamed(count: Int, size: Int, isVolatile: Bool) async throws {
    let gallery = Gallery()
    func run(_ list: NamedList, _ night: Int, accepting: [String] = []) async throws -> RunFacts {
      try await Self.run(gallery, list, night, accepting: accepting, isVolatile: isVolatile)
    }
    let before = NamedList(count: count, size: size) { _ in "login" }
    let after = NamedList(count: count, size: size) { _ in "user_login" }
    for night in 0..<2 { _ = try await run(before, night) }
    for night in 2..<4 {
      let facts = try await run(after, night)
      let certificate = try #require(facts.units.first?.certificate)
      #expect(
        certificate.verdict == .incomplete && certificate.cause == .fields, "\(certificate.why)")
      #expect(try Self.logins(gallery) == count)
      // Everything else in the records is still stored.
      #expect(
        try gallery.rows("SELECT DISTINCT stars FROM named_users WHERE id < \(min(size, count))")
          == ["\(night)"])
      #expect(
        facts.warnings.contains { $0.contains("user_login") && $0.contains("--accept-empty login") }
      )
      #expect(facts.needsPerson)
      #expect(facts.outcome.kinds.contains(.lessThanDeclared) == (night == 2))
    }
    let back = try await run(before, 4)
    #expect(back.units.first?.certificate.verdict == .complete)
    let accepted = try await run(after, 5, accepting: ["login"])
    #expect(accepted.units.first?.certificate.verdict == .complete)
    let next = try await run(after, 6)
    #expect(next.units.first?.certificate.verdict == .complete)
    #expect(try Self.logins(gallery) == 0)
  }

  @Test("is none where new records have it as null, and in records that never had it")
  func notYet() async throws {
    let gallery = Gallery()
    for night in 0..<4 {
      let old = 200 + 20 * max(0, night - 1)
      let list = NamedList(
        count: 200 + 20 * night, size: 10, isNull: { $0 >= old && night > 0 },
        field: { $0 < 10 ? nil : "login" })
      let facts = try await Self.run(gallery, list, night)
      #expect(facts.units.first?.certificate.claim == "complete", "night \(night)")
    }
  }

  @Test("is found over the walk where its pages are short")
  func walk() async throws {
    let gallery = Gallery()
    let before = NamedList(count: 40, size: 8) { _ in "login" }
    let after = NamedList(count: 40, size: 8) { _ in nil }
    for night in 0..<2 { _ = try await Self.run(gallery, before, night) }
    for night in 2..<6 {
      let lost = try await Self.run(gallery, after, night)
      #expect(lost.units.first?.certificate.claim == "incomplete (fields)", "night \(night)")
      // The first page came before this was known.
      #expect(try Self.logins(gallery) == 32, "night \(night)")
    }
    let back = try await Self.run(gallery, before, 6)
    #expect(back.units.first?.certificate.claim == "complete")
    #expect(try Self.logins(gallery) == 40)
  }

  /// Users on one page, all that the API counts.
  private static func users(_ columns: String) throws -> Job {
    try Job.file(
      """
      users: {
        get: "/users", pages: { by: "single" }, total: "total counted", records: "items",
        columns: ["id integer", \(columns)],
      },
      """, name: "named")
  }

  /// The claim after a night in which the users are these.
  private static func claim(
    _ gallery: Gallery, _ job: Job, _ items: [String]
  ) async throws -> String? {
    let exchange = ScriptedExchange.json { _, _ in listing(items, total: items.count) }
    return try await gallery.run(job, exchange, then: .day).facts.units.first?.certificate.claim
  }

  private static let tags =
    #"children: { tags: { records: "tags", key: ["t"], parent: { id: "user" }, columns: ["t"] } }"#
  private static let presentTags = "FROM named_tags WHERE vanished_at IS NULL"

  /// Users, and a single answer about each.
  private static func detailed(when: String) throws -> Job {
    try Job.file(
      """
      users: {
        get: "/users", pages: { by: "single" }, records: "items", total: "total counted",
        columns: ["id integer"],
      },
      details: {
        for: { each: "users.id", when: "\(when)" }, get: "/users/{id}", records: ".",
        into: "users", columns: ["id integer", "login"],
      },
      """, name: "named")
  }

  private static func details(of count: Int, _ field: String) -> ScriptedExchange {
    .json { request, _ in
      request.lastPart == "users"
        ? listing((1...count).map { #"{"id":\#($0)}"# }, total: count)
        : #"{"id":\#(request.lastPart),"\#(field)":"u"}"#
    }
  }

  @Test("of single answers keeps what it holds each night, until the field is back or given up")
  func singleAnswers() async throws {
    let job = try Self.detailed(when: "all")
    let gallery = Gallery()
    func night(_ field: String, _ logins: Int, accepting: [String] = []) async throws -> Bool {
      let exchange = Self.details(of: 40, field)
      let left = try await gallery.run(job, exchange, then: .day) { $0.acceptedEmpty = accepting }
      #expect(try await gallery.proves())
      #expect(try Self.logins(gallery) == logins)
      return left.facts.units.contains { $0.certificate.cause == .fields }
    }
    for _ in 0..<2 { #expect(try await !night("login", 40)) }
    // Nine answers came before this was known.
    for _ in 0..<3 { #expect(try await night("user_login", 31)) }
    #expect(try await !night("login", 40))
    #expect(try await night("user_login", 31))
    #expect(try await !night("user_login", 0, accepting: ["login"]))
    #expect(try await !night("user_login", 0))
  }

  @Test("is missed in the details of new records, too, and stays so until a person gives it up")
  func newRecords() async throws {
    let job = try Self.detailed(when: "new")
    let gallery = Gallery()
    func night(_ field: String, _ count: Int, accepting: [String] = []) async throws -> Bool {
      let exchange = Self.details(of: count, field)
      let left = try await gallery.run(job, exchange, then: .day) { $0.acceptedEmpty = accepting }
      return left.facts.units.contains { $0.certificate.cause == .fields }
    }
    #expect(try await !night("login", 400))
    // So few prove nothing yet, but they are counted.
    for count in [404, 408] { #expect(try await !night("user_login", count)) }
    #expect(try await night("user_login", 415))
    // What was in doubt is requested again, and is no less in doubt although nothing new came.
    #expect(try await night("user_login", 415))
    #expect(try await !night("user_login", 415, accepting: ["login"]))
    // The old rows keep theirs, and that accuses nobody again.
    #expect(try await !night("user_login", 430))
    #expect(try Self.logins(gallery) == 400)
  }

  @Test(
    "keeps the entries of nested lists, too, each night, whether it is null or gone from all records",
    arguments: [#","tags":null"#, "", #","labels":[{"t":"a"}]"#], [(12, 12), (40, 8)])
  func nested(lost: String, list: (count: Int, size: Int)) async throws {
    let gallery = Gallery()
    let job = try Job.file(
      """
      users: {
        get: "/users", pages: { by: "number", to: "?page", size: \(list.size) },
        total: "total counted", records: "items", vanish: "mark", columns: ["id integer"],
        \(Self.tags),
      },
      """, name: "named")
    func night(_ tags: String, accepting: [String] = []) async throws -> String {
      let exchange = ScriptedExchange.json { request, _ in
        let first = ((request.number("page") ?? 1) - 1) * list.size
        let ids = first < 0 ? [] : Array((1...list.count).dropFirst(first).prefix(list.size))
        return listing(ids.map { "{\"id\":\($0)\(tags)}" }, total: list.count)
      }
      let left = try await gallery.run(job, exchange, then: .day) { $0.acceptedEmpty = accepting }
      #expect(try await gallery.proves())
      let present = try gallery.rows("SELECT count(*) \(Self.presentTags)")
      return "\(left.facts.units.first?.certificate.claim ?? ""): \(present.joined())"
    }
    let whole = #","tags":[{"t":"a"},{"t":"b"}]"#
    let all = 2 * list.count
    // A short first page is stored before it is known that null is no empty list.
    let kept = list.size == 8 && lost.hasSuffix("null") ? all - 2 * list.size : all
    for tags in [whole, whole, lost, lost, lost, whole] {
      let claim = tags == whole ? "complete: \(all)" : "incomplete (fields): \(kept)"
      #expect(try await night(tags) == claim)
    }
    #expect(try await night(lost, accepting: ["tags"]) == "complete: 0")
    #expect(try await night(lost) == "complete: 0")
  }

  @Test("of nested lists that two streams bring: what one of them shows less of is still there")
  func nestedOfTwo() async throws {
    let job = try Job.file(
      """
      users: {
        get: "/users", pages: { by: "single" }, records: "items", key: ["id"], vanish: "mark",
        columns: { id: "id as integer" }, \(Self.tags),
      },
      details: {
        for: { each: "users.id", when: "all" }, get: "/users/{id}", records: "items", into: "users",
        key: ["id"], columns: { id: "id as integer" }, \(Self.tags),
      },
      """, name: "named")
    let shown = Locked(["a", "b"])
    let exchange = ScriptedExchange.json { request, _ in
      let tags = shown.withLock { $0 }.prefix(request.lastPart == "users" ? 1 : 2)
        .map { #"{"t":"\#($0)"}"# }
      return listing(["{\"id\":1,\"tags\":[\(tags.joined(separator: ","))]}"])
    }
    let gallery = Gallery()
    for _ in 0..<2 {
      _ = try await gallery.run(job, exchange, then: .day)
      #expect(try gallery.rows("SELECT t \(Self.presentTags)") == ["a", "b"])
      // Nothing has gone and come back.
      #expect(try gallery.rows("SELECT kind FROM trawl_changes WHERE kind = 'gone'") == [])
    }
    // What the details no longer contain is gone.
    shown.withLock { $0 = ["b"] }
    _ = try await gallery.run(job, exchange)
    #expect(try gallery.rows("SELECT t \(Self.presentTags)") == ["b"])
  }

  @Test(
    "is one where a few rows never had it, and where every text or list comes empty, if most had something in it",
    arguments: [("\"x\"", nil), ("\"x\"", "\"\""), ("[1]", "[]")] as [(String, String?)])
  func partly(full: String, empty: String?) async throws {
    let job = try Self.users(#""*""#)
    /// The claims, and the rows that have something, where in one night none of the records has.
    func nights(of filled: Int) async throws -> [String] {
      let gallery = Gallery()
      var told: [String] = []
      for count in [filled, filled, 0, filled] {
        let items = (1...50).map { id in
          "{\"id\":\(id)\((id <= count ? full : empty).map { ",\"a\":\($0)" } ?? "")}"
        }
        let claim = try await Self.claim(gallery, job, items) ?? ""
        let rows = "SELECT count(*) FROM named_users WHERE a IN ('x', '[1]')"
        told += try gallery.rows(rows).map { "\(claim) \($0)" }
      }
      #expect(try await gallery.proves())
      return told
    }
    let kept = ["complete 47", "complete 47", "incomplete (fields) 47", "complete 47"]
    let emptied = ["complete 20", "complete 20", "complete 0", "complete 20"]
    #expect(try await nights(of: 47) == kept)
    #expect(try await nights(of: 20) == emptied)
  }

  @Test("is one where all had it, many with nothing in it")
  func renamedWhereManyAreEmpty() async throws {
    let gallery = Gallery()
    let job = try Self.users(#""a""#)
    for name in ["a", "a", "b"] {
      let items = (1...15).map { #"{"id":\#($0),"\#(name)":"\#($0 > 6 ? "x" : "")"}"# }
      let claim = try await Self.claim(gallery, job, items)
      #expect(claim == (name == "a" ? "complete" : "incomplete (fields)"))
    }
    #expect(try gallery.rows("SELECT count(a) FROM named_users WHERE a <> ''") == ["9"])
  }

  @Test("is none in a page of new records that get it later")
  func later() async throws {
    let gallery = Gallery()
    for night in 0..<4 {
      let count = 60 + night * 12
      let list = NamedList(count: count, size: 12) { count - $0 > 12 ? "login" : nil }
      let facts = try await Self.run(gallery, list, night)
      #expect(facts.units.first?.certificate.claim == "complete", "night \(night)")
    }
  }

  @Test("is none where only the job file calls it otherwise")
  func edited() async throws {
    let gallery = Gallery()
    let items = (1...12).map { #"{"id":\#($0),"name":"n\#($0)"}"# }
    for columns in [#""name""#, #"{ title: "name" }"#, #""*""#] {
      let claim = try await Self.claim(gallery, Self.users(columns), items)
      #expect(claim == "complete", "\(columns)")
    }
    #expect(try gallery.rows("SELECT count(title) FROM named_users") == ["12"])
  }

  /// How many of ten records had it, and have it, in a list of so many; and the rows that keep it.
  @Test(
    "is believed where it is no whole page, where most rows lacked it, and in a list of six",
    arguments: [(10, 1, 30, 3), (4, 0, 30, 0), (10, 0, 6, 0)], [0, 3, 9])
  func believed(list: (had: Int, has: Int, count: Int, left: Int), first: Int) async throws {
    let gallery = Gallery()
    for (night, number) in [list.had, list.had, list.has].enumerated() {
      let users = NamedList(count: list.count, size: 10) {
        ($0 + first) % 10 < number ? "login" : nil
      }
      let facts = try await Self.run(gallery, users, night)
      #expect(facts.units.first?.certificate.verdict == .complete, "\(facts.units)")
    }
    #expect(try Self.logins(gallery) == list.left)
  }
}
