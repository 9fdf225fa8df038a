import Base
import Crawl
import TestSupport
import Testing

/// Nights of things with a state, and of single answers requested for them.
private struct Things: Sendable {
  /// The state of each thing, by name; another value is a change.
  var states: [String: Int]
  /// Which of the requested names an answer contains, and what else it says.
  var answer: @Sendable ([String]) -> (names: [String], more: String) = { ($0, "") }
  var missing: Set<String> = []
  /// Things whose records have no key.
  var broken: Set<String> = []

  init(_ names: [String]) { states = Dictionary(uniqueKeysWithValues: names.map { ($0, 0) }) }

  static func job(when: String, batch: Int = 5, more: String = "") throws -> Job {
    try Job.file(
      """
      things: {
        get: "/things", pages: { by: "single" }, records: "items", key: ["name"],
        columns: { name: "name", state: "state as integer" }, vanish: "mark",
      },
      details: {
        for: { each: "things.name", when: "\(when)", batch: \(batch) },
        get: "/details/{name}", records: "items", vanish: "mark", \(more)
      },
      """, name: "shop")
  }

  static let own = "key: [\"id\"], columns: { id: \"id\" },"
  static let whole = "pages: { by: \"single\" }, \(named)"
  static let named = "key: [\"id\"], columns: { id: \"id\", name: \"{name}\" },"

  /// The names that a request for details has.
  static func asked(_ request: Request) -> [String]? {
    guard request.address.parts.contains("details") else { return nil }
    return request.lastPart.split(separator: ",").map(String.init)
  }

  func exchange() -> ScriptedExchange {
    .answering { [self] request, _ in
      guard let asked = Self.asked(request) else {
        let items = states.keys.sorted().map { #"{"name":"\#($0)","state":\#(states[$0] ?? 0)}"# }
        return .json(request, listing(items))
      }
      if asked.contains(where: missing.contains) { return .json(request, status: 404) }
      let (names, more) = answer(asked)
      let items = names.map { name in
        let id = broken.contains(name) ? "null" : "\"\(name)\""
        return #"{"id":\#(id),"state":\#(states[name] ?? 0)}"#
      }
      return .json(request, listing(items).dropLast() + more + "}")
    }
  }
}

@Suite("What was not requested")
struct RequestedPartTests {
  private let gallery = Gallery()
  private static let names = (1...12).map { "i\($0)" }

  /// A run on the next day, and the names whose details it requested.
  @discardableResult
  private func night(
    _ job: Job, _ things: Things, accepting: Int? = nil
  ) async throws -> (claim: String?, asked: [String]) {
    gallery.time.advance(by: .day)
    let exchange = things.exchange()
    let left = try await gallery.run(job, exchange) { $0.acceptedVanish = accepting }
    #expect(try await gallery.proves())
    return (
      left.facts.units.first { $0.stream == "details" }?.certificate.claim,
      exchange.asked.compactMap(Things.asked).flatMap(\.self)
    )
  }

  private func gone() throws -> [String] {
    try gallery.rows("SELECT id FROM shop_details WHERE vanished_at IS NOT NULL ORDER BY id")
  }

  @Test(
    "is not gone, however many nights it was not due",
    arguments: [
      ("changed", 5, Things.own), ("stale 36h", 5, Things.own), ("new", 5, Things.own),
      ("changed", 1, Things.named), ("stale 36h", 1, Things.named),
    ])
  func notDue(when: String, batch: Int, more: String) async throws {
    let job = try Things.job(when: when, batch: batch, more: more)
    var things = Things(Self.names)
    for round in 0..<6 {
      for name in Self.names where name != "i3" && name != "i7" { things.states[name] = round }
      if round == 3, when == "new" { things.states["i13"] = 0 }
      try await night(job, things)
      #expect(try gone() == [], "night \(round)")
    }
  }

  @Test(
    "is requested again while its answer is doubtful: the answers of others prove nothing of it",
    arguments: ["new", "changed"], [1, 4])
  func doubtful(when: String, batch: Int) async throws {
    for isBroken in [true, false] {
      let gallery = RequestedPartTests()
      let job = try Things.job(
        when: when, batch: batch, more: batch == 1 ? Things.named : Things.own)
      var things = Things(Self.names)
      func fail() {
        things.broken = isBroken ? ["i3"] : []
        things.answer = { ($0, !isBroken && $0.contains("i3") ? ",\"has_more\":true" : "") }
      }
      fail()
      for round in 0..<4 {
        things.states["j\(round)"] = 0
        let bad = try await gallery.night(job, things)
        #expect(bad.claim == (isBroken ? "incomplete (rejects)" : "incomplete (unread)"))
        #expect(bad.asked.contains("i3") && bad.asked.contains("j\(round)"))
      }
      things.broken = []
      things.answer = { ($0, "") }
      #expect(try await gallery.night(job, things).claim == "complete")
      #expect(try gallery.gallery.rows("SELECT id FROM shop_details WHERE id = 'i3'") == ["i3"])
      #expect(try await gallery.night(job, things).asked.isEmpty)
    }
  }

  @Test("is requested by the next walk that decides whether a record of it is gone")
  func undecided() async throws {
    let job = try Things.job(when: "changed", batch: 1, more: Things.whole)
    var things = Things(Self.names)
    things.answer = { ($0 + ($0 == ["i3"] ? ["i3b"] : []), "") }
    try await night(job, things)
    things.answer = { ($0, "") }
    things.states["i3"] = 1
    try await night(job, things)
    things.states["i4"] = 1
    let next = try await night(job, things)
    #expect(Set(next.asked) == ["i3", "i4"])
    #expect(try gone() == ["i3b"])
    #expect(try await night(job, things).asked.isEmpty)
  }

  @Test("stays withheld while too many of one answer are missing, until a person accepts that")
  func withheld() async throws {
    let job = try Things.job(when: "changed", batch: 1, more: Things.whole)
    var things = Things(Self.names)
    let many = (1...60).map { "i3-\($0)" }
    things.answer = { ($0 + ($0 == ["i3"] ? many : []), "") }
    try await night(job, things)
    things.answer = { ($0 + ($0 == ["i3"] ? Array(many.prefix(30)) : []), "") }
    things.states["i3"] = 1
    for round in 0..<3 {
      things.states["i4"] = round
      let bad = try await night(job, things)
      #expect(bad.claim == "incomplete (count)" && bad.asked.contains("i3"))
      #expect(try gone() == [])
    }
    let accepted = try await night(job, things, accepting: 30)
    #expect(accepted.claim == "complete" && accepted.asked == ["i3"])
    #expect(try gone().count == 30)
    #expect(try await night(job, things).asked.isEmpty)
  }

  @Test("is gone where it was requested in vain twice, and its neighbours are there")
  func requested() async throws {
    let job = try Things.job(when: "changed", more: Things.own)
    var things = Things(Self.names)
    try await night(job, things)
    things.answer = { ($0.filter { $0 != "i3" }, "") }
    for name in Self.names { things.states[name] = 1 }
    #expect(try await night(job, things).claim == "unproven")
    #expect(try gone() == [])
    for round in 2...3 {
      things.states["i4"] = round
      let later = try await night(job, things)
      #expect(later.claim == "complete" && Set(later.asked) == ["i3", "i4"])
      #expect(try gone() == (round == 2 ? [] : ["i3"]))
    }
  }

  @Test("is gone where all of one answer was not there for long, and every night is proven")
  func whole() async throws {
    let job = try Things.job(when: "changed", batch: 1, more: Things.named)
    var things = Things(Self.names)
    try await night(job, things)
    things.missing = ["i3"]
    var claims: [String?] = []
    for round in 1...5 {
      (things.states["i3"], things.states["i4"]) = (round, round)
      claims.append(try await night(job, things).claim)
    }
    #expect(claims[0] == "incomplete (count)" && claims[4] == "complete", "\(claims)")
    #expect(try gone() == ["i3"])
  }

  @Test("goes with its parent, and comes back with it", arguments: ["changed", "new", "all"])
  func parent(when: String) async throws {
    let job = try Things.job(when: when, more: Things.own)
    var things = Things(Self.names)
    try await night(job, things)
    things.states["i3"] = nil
    #expect(try await night(job, things).claim != "incomplete (count)")
    #expect(try gone() == ["i3"])
    things.states["i3"] = 0
    #expect(try await night(job, things).asked.contains("i3"))
    #expect(try gone() == [])
  }

  @Test(
    "is not gone while answers say that they lack something, or bring others instead: it is requested each night",
    arguments: [
      ("partial", "incomplete"), ("errors", "incomplete"), ("others", "failed"),
      ("another case", "failed"), ("one in another case", "incomplete"),
    ])
  func lacking(answers: String, claim: String) async throws {
    let job = try Things.job(when: "all", more: Things.own)
    var things = Things(Self.names)
    try await night(job, things)
    things.answer = { asked in
      switch answers {
      case "partial": (asked.filter { $0 != "i3" }, #","partial":true"#)
      case "errors": (asked.filter { $0 != "i3" }, #","errors":[{"id":"i3"}]"#)
      case "others": (["d1", "d2", "d3", "d4", "d5"], "")
      case "another case": (asked.map { $0.uppercased() }, "")
      default: (asked.map { $0 == "i3" ? "I3" : $0 }, "")
      }
    }
    for _ in 0..<5 {
      let bad = try await night(job, things)
      #expect(bad.claim?.hasPrefix(claim) == true && bad.asked.contains("i3"), "\(bad)")
    }
    things.answer = { ($0, "") }
    for _ in 0..<3 {
      let run = try await night(job, things)
      #expect(run.claim == "complete" && run.asked.contains("i3"))
      #expect(try gone() == [])
    }
    #expect(try gallery.rows("SELECT count(*) FROM shop_details") == ["12"])
  }

  @Test("never takes the values of another record")
  func detail() async throws {
    let job = try Job.file(
      """
      things: {
        get: "/things", pages: { by: "single" }, records: "items", key: ["name"],
        columns: { name: "name", state: "state as integer" },
      },
      details: {
        for: { each: "things.name", when: "changed" }, into: "things",
        get: "/details/{name}", records: "items", key: ["name"],
        columns: { name: "id", seen: "state as integer" },
      },
      """, name: "shop")
    var things = Things(["k3", "k4"])
    try await night(job, things)
    let rows = "SELECT name, seen FROM shop_things ORDER BY name"
    things.states = ["k3": 1, "k4": 0]
    things.answer = { _ in (["k4"], "") }
    things.states["k4"] = 7
    let bad = try await night(job, things)
    #expect(bad.claim == "incomplete (rejects)")
    #expect(try gallery.rows(rows) == ["k3|0", "k4|7"])
    #expect(
      try gallery.rows("SELECT reason FROM trawl_rejects")
        == ["the request was for k3, and this is the record of k4"])
    things.answer = { ($0, "") }
    #expect(try await night(job, things).claim == "complete")
    #expect(try gallery.rows(rows) == ["k3|1", "k4|7"])
  }

  @Test("for it was not there is requested at once when its record has changed")
  func changedMeanwhile() async throws {
    let job = try Things.job(when: "changed", batch: 1, more: Things.named)
    var things = Things(["k1", "k2"])
    try await night(job, things)
    things.missing = ["k1"]
    for round in 1...4 {
      things.states["k1"] = round
      #expect(try await night(job, things).asked == ["k1"])
    }
    things.missing = []
    #expect(try await night(job, things).asked == [])
    things.states["k1"] = 9
    #expect(try await night(job, things).asked == ["k1"])
  }

  @Test("is the list of a parent that left: its records go with it, and come back with it")
  func lists() async throws {
    let paged = #"pages: { by: "token", next: "next", to: "?t" }, list: "listed","#
    let job = try Things.job(when: "all", batch: 1, more: "\(paged) \(Things.own)")
    var things = Things(["a", "b", "c"])
    things.answer = { asked in (["\(asked[0])1", "\(asked[0])2"], ",\"next\":null") }
    let listed = "SELECT id FROM shop_listed WHERE vanished_at IS NOT NULL ORDER BY id"
    for _ in 0..<2 { try await night(job, things) }
    things.states["b"] = nil
    for _ in 0..<4 { try await night(job, things) }
    #expect(try gallery.rows(listed) == ["b1", "b2"])
    #expect(try gone() == ["b1", "b2"])
    #expect(try gallery.rows("SELECT list, rows FROM trawl_lists WHERE rows = 0").count == 1)
    things.states["b"] = 0
    try await night(job, things)
    #expect(try gallery.rows(listed) == [] && gone() == [])
    #expect(try gallery.rows("SELECT list, rows FROM trawl_lists WHERE rows = 0") == [])
  }

  @Test("with a value that holds the comma is requested alone")
  func comma() async throws {
    let job = try Things.job(when: "all", more: Things.own)
    let things = Things(["a1", "a2", "b,c", "d"])
    gallery.time.advance(by: .day)
    let exchange = things.exchange()
    _ = try await gallery.run(job, exchange)
    let asked = exchange.asked.map(\.address.parts).filter { $0.contains("details") }
    #expect(asked.compactMap(\.last) == ["a1,a2", "b,c", "d"])
    #expect(try gallery.rows("SELECT id FROM shop_details ORDER BY id") == ["a1", "a2", "d"])
    #expect(try await night(job, things).claim == "incomplete (rejects)")
  }
}
