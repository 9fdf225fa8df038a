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

  @Test("is found over the walk where its pages are short, and in what is only found")
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
    let other = Gallery()
    for (night, field) in ["a", "a", nil, "a"].enumerated() {
      var job = try NamedList.job()
      job.streams[0].columns.removeLast(2)
      job.streams[0].takesAll = true
      let list = NamedList(count: 30, size: 10) { _ in field }
      let left = try await other.run(job, list.exchange(night: night), then: .day)
      let claim = left.facts.units.first?.certificate.claim
      #expect(claim == (field == nil ? "incomplete (fields)" : "complete"), "\(night)")
      #expect(try other.rows("SELECT count(a) FROM named_users") == ["30"], "\(night)")
    }
  }

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
    "keeps the entries of nested lists, too, whether it is null or gone from all records",
    arguments: [#","tags":null"#, "", #","labels":[{"t":"a"}]"#])
  func nested(lost: String) async throws {
    let gallery = Gallery()
    let job = try Job.file(
      """
      users: {
        get: "/users", pages: { by: "single" }, records: "items", key: ["id"], vanish: "mark",
        columns: { id: "id as integer" },
        children: { tags: { records: "tags", key: ["t"], parent: { id: "user" }, columns: ["t"] } },
      },
      """, name: "named")
    func night(_ tags: String, accepting: [String] = []) async throws -> String? {
      let exchange = ScriptedExchange.json { _, _ in
        listing((1...12).map { "{\"id\":\($0)\(tags)}" })
      }
      let left = try await gallery.run(job, exchange, then: .day) { $0.acceptedEmpty = accepting }
      #expect(try await gallery.proves())
      return left.facts.units.first?.certificate.claim
    }
    func present() throws -> [String] {
      try gallery.rows("SELECT count(*) FROM named_tags WHERE vanished_at IS NULL")
    }
    let whole = #","tags":[{"t":"a"},{"t":"b"}]"#
    for tags in [whole, lost, lost, whole] {
      #expect(try await night(tags) == (tags == whole ? "complete" : "incomplete (fields)"))
      #expect(try present() == ["24"])
    }
    #expect(try await night(lost, accepting: ["tags"]) == "complete")
    #expect(try present() == ["0"])
    #expect(try await night(lost) == "complete")
  }

  @Test("of nested lists is found over short pages, too, and keeps the entries each night")
  func nestedWalk() async throws {
    let job = try Job.file(
      """
      users: {
        get: "/users", pages: { by: "number", to: "?page", size: 8 }, total: "total counted",
        records: "items", vanish: "mark", columns: ["id integer"],
        children: { tags: { records: "tags", key: ["t"], parent: { id: "user" }, columns: ["t"] } },
      },
      """, name: "named")
    let gallery = Gallery()
    func night(_ field: String, accepting: [String] = []) async throws -> String {
      let exchange = ScriptedExchange.json { request, _ in
        let number = request.number("page") ?? 1
        let ids = number < 1 ? [] : Array((1...40).dropFirst((number - 1) * 8).prefix(8))
        return listing(ids.map { #"{"id":\#($0),"\#(field)":[{"t":"a"}]}"# }, total: 40)
      }
      let left = try await gallery.run(job, exchange, then: .day) { $0.acceptedEmpty = accepting }
      let present = try gallery.rows("SELECT count(*) FROM named_tags WHERE vanished_at IS NULL")
      return "\(left.facts.units.first?.certificate.claim ?? ""): \(present.joined())"
    }
    for _ in 0..<2 { #expect(try await night("tags") == "complete: 40") }
    for _ in 0..<3 { #expect(try await night("labels") == "incomplete (fields): 40") }
    #expect(try await night("tags") == "complete: 40")
    #expect(try await night("labels", accepting: ["tags"]) == "complete: 0")
    #expect(try await night("labels") == "complete: 0")
  }

  @Test("of nested lists that two streams bring: what one of them shows less of is still there")
  func nestedOfTwo() async throws {
    let tags =
      #"children: { tags: { records: "tags", key: ["t"], parent: { id: "user" }, columns: ["t"] } }"#
    let job = try Job.file(
      """
      users: {
        get: "/users", pages: { by: "single" }, records: "items", key: ["id"], vanish: "mark",
        columns: { id: "id as integer" }, \(tags),
      },
      details: {
        for: { each: "users.id", when: "all" }, get: "/users/{id}", records: "items", into: "users",
        key: ["id"], columns: { id: "id as integer" }, \(tags),
      },
      """, name: "named")
    let shown = Locked(["a", "b"])
    let exchange = ScriptedExchange.json { request, _ in
      let isList = request.lastPart == "users"
      let tags = shown.withLock { $0 }.prefix(isList ? 1 : 2).map { #"{"t":"\#($0)"}"# }.joined(
        separator: ",")
      return listing(["{\"id\":1,\"tags\":[\(tags)]}"])
    }
    let gallery = Gallery()
    for _ in 0..<2 {
      _ = try await gallery.run(job, exchange, then: .day)
      #expect(try gallery.rows("SELECT t FROM named_tags WHERE vanished_at IS NULL") == ["a", "b"])
      // Nothing has gone and come back.
      #expect(try gallery.rows("SELECT kind FROM trawl_changes WHERE kind = 'gone'") == [])
    }
    // What the details no longer contain is gone.
    shown.withLock { $0 = ["b"] }
    _ = try await gallery.run(job, exchange)
    #expect(try gallery.rows("SELECT t FROM named_tags WHERE vanished_at IS NULL") == ["b"])
  }

  @Test(
    "is one where a few rows never had it, and where every text or list comes empty, if most had something in it",
    arguments: [("\"x\"", nil), ("\"x\"", "\"\""), ("[1]", "[]")] as [(String, String?)])
  func partly(full: String, empty: String?) async throws {
    let job = try Job.file(
      """
      users: {
        get: "/users", pages: { by: "single" }, total: "total counted", records: "items",
        columns: ["id integer", "*"],
      },
      """, name: "named")
    /// The rows that have something after a night in which so many of 50 records had, and one in which none has.
    func left(of filled: Int) async throws -> [String] {
      let gallery = Gallery()
      var told: [String] = []
      for count in [filled, filled, 0] {
        let items = (1...50).map { id in
          "{\"id\":\(id)\((id <= count ? full : empty).map { ",\"a\":\($0)" } ?? "")}"
        }
        let exchange = ScriptedExchange.json { _, _ in listing(items, total: 50) }
        let facts = try await gallery.run(job, exchange, then: .day).facts
        told.append(facts.units.first?.certificate.claim ?? "")
      }
      #expect(try await gallery.proves())
      let rows = "FROM named_users WHERE a IN ('x', '[1]')"
      return try told + gallery.rows("SELECT count(*) \(rows)")
    }
    #expect(try await left(of: 47) == ["complete", "complete", "incomplete (fields)", "47"])
    #expect(try await left(of: 20) == ["complete", "complete", "complete", "0"])
  }

  @Test("is one where all had it, many with nothing in it")
  func renamedWhereManyAreEmpty() async throws {
    let gallery = Gallery()
    let job = try Job.file(
      """
      users: {
        get: "/users", pages: { by: "single" }, total: "total counted", records: "items",
        columns: ["id integer", "a"],
      },
      """, name: "named")
    for name in ["a", "a", "b"] {
      let items = (1...15).map { #"{"id":\#($0),"\#(name)":"\#($0 > 6 ? "x" : "")"}"# }
      let exchange = ScriptedExchange.json { _, _ in listing(items, total: 15) }
      let claim = try await gallery.run(job, exchange, then: .day).facts.units[0].certificate.claim
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
    let exchange = ScriptedExchange.json { _, _ in
      listing((1...12).map { #"{"id":\#($0),"name":"n\#($0)"}"# }, total: 12)
    }
    for columns in [#""name""#, #"{ title: "name" }"#, #""*""#] {
      let job = try Job.file(
        """
        users: {
          get: "/users", pages: { by: "single" }, total: "total counted", records: "items",
          columns: ["id integer", \(columns)],
        },
        """, name: "named")
      let facts = try await gallery.run(job, exchange, then: .day).facts
      #expect(facts.units.first?.certificate.claim == "complete", "\(columns): \(facts.warnings)")
    }
    #expect(try gallery.rows("SELECT count(title) FROM named_users") == ["12"])
  }

  @Test("is believed where it is no whole page, where most rows lacked it, and in a list of six")
  func believed() async throws {
    var random = SeededRandom(seed: 11)
    for round in 0..<9 {
      let gallery = Gallery()
      // One record of ten still has it; or four of ten had it; or the list has only six.
      let last = Int(random.next() % 10)
      let (count, size) = round % 3 == 2 ? (6, 6) : (30, 10)
      let before = NamedList(count: count, size: size) { number in
        round % 3 == 1 && (number + last) % 10 > 3 ? nil : "login"
      }
      let after = NamedList(count: count, size: size) { number in
        round % 3 == 0 && number % 10 == last ? "login" : nil
      }
      for night in 0..<2 { _ = try await Self.run(gallery, before, night) }
      let facts = try await Self.run(gallery, after, 2)
      #expect(facts.units.first?.certificate.verdict == .complete, "\(round): \(facts.units)")
      #expect(try Self.logins(gallery) == (round % 3 == 0 ? 3 : 0), "\(round)")
    }
  }
}
