import Base
import Crawl
import TestSupport
import Testing

@Suite("What is requested for each record of a parent")
struct WhatIsDueTests {
  private static let texts = #"key: ["id"], columns: { id: "id", text: "text" }"#
  private static let found = """
    vanish: "mark", key: ["id"], columns: { id: "id" },
    list: { table: "found", columns: { team: "{name}", shop: "{id}" } }
    """
  private static let more =
    #"more: { \#(inRun), into: "things", key: ["id"], columns: { id: "id", text: "text" } },"#
  private static let inRun =
    #"for: { each: "things.id", when: "run" }, get: "/thing/-/{id}", records: "items""#

  /// Things by time, the newest first, two a page, and what is requested for those that a run lists.
  private static func newestFirst(_ stream: String) throws -> Job {
    try Parents.job(
      """
      things: {
        get: "/things/-", pages: { by: "number", to: "?page", size: 2 }, order: "at falling",
        records: "items", key: ["id"], columns: { id: "id", at: "at as time" },
      },
      \(stream)
      """)
  }

  private static func set(_ parents: Parents, _ things: Range<Int>, later: Int = 0) {
    parents.pageSize.withLock { $0 = 2 }
    parents.set("-", things.reversed().map { #"{"id":"\#($0)","at":\#($0 + later)}"# })
  }

  /// Things that a shop lists for one team for two nights, and then for another one.
  private static func moved(_ when: String) async throws -> (Parents, Job) {
    let parents = Parents()
    let job = try Parents.things(when: when, each: "id", path: "{name}/{id}", found)
    for team in ["t", "u"] { parents.set("\(team) 0", items(["k1", "k2"])) }
    parents.shops(("t", 0))
    for _ in 0..<2 { try await parents.night(job) }
    parents.shops(("u", 0))
    return (parents, job)
  }

  @Test("stays due while what left its list is not decided")
  func emptied() async throws {
    for left in [[], Array(0..<10) + Array(20..<30)] as [[Int]] {
      let parents = Parents()
      let job = try Parents.things(when: "changed")
      let all = (left.isEmpty ? 0..<3 : 0..<30).map { "k\(100 + $0)" }
      parents.shops(("a", 0), ("b", 0))
      parents.set("a", items(all))
      parents.set("b", items(["b"]))
      for _ in 0..<2 { try await parents.night(job) }
      let now = left.map { "k\(100 + $0)" }
      parents.shops(("a", 1), ("b", 0))
      parents.set("a", items(now))
      for _ in 0..<4 { try await parents.night(job) }
      #expect(try parents.things() == (now + ["b"]).sorted())
      #expect(try parents.rows("SELECT DISTINCT verdict FROM trawl_trust") == ["complete"])
      #expect(try await parents.night(job).requests.sent == 1)
      #expect(try await parents.gallery.proves())
    }
  }

  @Test("is single answers: those of a value that no parent has any more are gone at once")
  func renamed() async throws {
    for when in ["all", "changed"] {
      func many(_ shop: String) -> [String] { (10..<35).map { "\(shop)\($0)" } }
      let parents = Parents(of: ["a", "b", "c"], things: many)
      parents.set("z", items(many("z")))
      let job = try Parents.things(when: when, isPaged: false)
      for _ in 0..<2 { try await parents.night(job) }
      parents.shops(("z", 0), ("b", 0), ("c", 0))
      let facts = try await parents.night(job)
      #expect(facts.outcome.kinds == [.asDeclared], "\(facts.outcome)")
      try await parents.night(job)
      #expect(try Set(parents.things().map { $0.prefix(1) }) == ["b", "c", "z"])
      let trust = try parents.rows(
        "SELECT rows, verdict FROM trawl_trust WHERE list = 'things'")
      #expect(trust == ["75|complete"])
    }
  }

  @Test("brings no record into a table that its own parents fill: what leaves their lists is gone")
  func details() async throws {
    for when in ["all", "changed"] {
      let parents = Parents(of: ["a", "b"]) { $0 == "a" ? ["k1", "k2", "k3"] : ["k4", "k5"] }
      let job = try Parents.job(
        """
        things: {
          for: { each: "shops.name", when: "all" }, get: "/things/{name}", \(Parents.paged),
          vanish: "mark", key: ["id"], columns: { id: "id" },
          list: { table: "found", columns: { shop: "{name}" } },
        },
        more: {
          for: { each: "things.id", when: "\(when)" }, get: "/thing/-/{id}", into: "things",
          records: "items", key: ["id"], columns: { id: "id", text: "text" },
        },
        """)
      for one in 1...5 { parents.set("- k\(one)", [#"{"id":"k\#(one)","text":"x"}"#]) }
      for _ in 0..<2 { try await parents.night(job) }
      parents.set("a", items(["k1", "k3"]))
      parents.shops(("a", 0))
      for _ in 0..<5 { try await parents.night(job) }
      #expect(try parents.things() == ["k1", "k3"], "\(when)")
    }
  }

  @Test("decides what is gone of a nested list that its parents show in part")
  func nested() async throws {
    for isOwn in [true, false] {
      let parents = Parents()
      let tags =
        #"children: { tags: { records: "tags", parent: { id: "thing" }, key: ["tag"], columns: { tag: "." } } }"#
      let job = try Parents.job(
        """
        things: { get: "/things/-", \(Parents.paged), key: ["id"], columns: { id: "id" }, \(tags) },
        more: {
          for: { each: "things.id", when: "new" }, get: "/thing/-/{id}", records: "items",
          \(isOwn ? "" : #"into: "things","#) key: ["id"], columns: { id: "id" }, \(tags),
        },
        """)
      parents.set("-", [#"{"id":"k1","tags":["x"]}"#])
      parents.set("- k1", [#"{"id":"k1","tags":["x","y","z"]}"#])
      for _ in 0..<3 { try await parents.night(job) }
      #expect(
        try parents.rows("SELECT tag FROM town_tags WHERE vanished_at IS NULL") == ["x", "y", "z"],
        "\(isOwn)")
    }
  }

  @Test("is found empty for long, and then not there: the proof holds")
  func emptyThenMissing() async throws {
    let parents = Parents(of: ["a", "b"]) { $0 == "a" ? [] : ["b"] }
    let job = try Parents.things(when: "all")
    for _ in 0..<4 { try await parents.night(job) }
    parents.missing.withLock { _ = $0.insert("a") }
    try await parents.night(job)
    #expect(try await parents.gallery.proves())
  }

  @Test("is not kept from all others by a new parent each night, however many are in flight")
  func rounds() async throws {
    for (when, atOnce) in [("all", 1), ("all", 3), ("run", 3), ("all", 8)] {
      let parents = Parents()
      let job = try Parents.things(
        when: when, each: "id", Self.texts, parameters: "atOnce: \(atOnce),")
      for night in 0..<6 {
        let shops = 0..<(4 + night)
        parents.set("", shops.map { #"{"id":"\#($0)"}"# })
        for shop in shops { parents.set("\(shop)", [#"{"id":"\#(shop)","text":"\#(night)"}"#]) }
        try await parents.night(job)
      }
      #expect(
        try parents.rows("SELECT DISTINCT text FROM town_things") == ["5"], "\(when) \(atOnce)")
    }
  }

  @Test(
    "is requested in a later run for what a run had listed as new, or as changed, when it had to stop",
    arguments: [(12, 30, 0, 14), (22, 22, 100, 10)])
  func stopped(before: Int, after: Int, later: Int, most: Int) async throws {
    let parents = Parents()
    let job = try Self.newestFirst(Self.more)
    func set(_ text: String, _ end: Int, later: Int) {
      for one in 10..<end { parents.set("- \(one)", [#"{"id":"\#(one)","text":"\#(text)"}"#]) }
      Self.set(parents, 10..<end, later: later)
    }
    set(later == 0 ? "new" : "old", before, later: 0)
    for _ in 0..<3 { try await parents.night(job) }
    set("new", after, later: later)
    try await parents.night(job) { $0.maxRequests = most }
    for _ in 0..<2 { try await parents.night(job) }
    #expect(try parents.rows("SELECT DISTINCT text FROM town_things") == ["new"])
    #expect(try parents.rows("SELECT count(*) FROM town_things") == ["\(after - 10)"])
  }

  @Test("is requested again where another program removed rows, and so is what answers the same")
  func removed() async throws {
    let parents = Parents(of: ["a", "b"]) { _ in ["1", "2"] }
    let job = try Parents.things(when: "new")
    for _ in 0..<2 { try await parents.night(job) }
    try parents.gallery.change(
      "DELETE FROM town_shops WHERE name = 'a'; DELETE FROM town_things WHERE shop = 'b'")
    let told = try await parents.night(job).migrations
    #expect(
      told.sorted() == [
        "another program removed 1 row of town_shops: the stream shops is read anew",
        "another program removed 2 rows of town_things: the stream things is read anew",
      ])
    #expect(try parents.rows("SELECT name FROM town_shops") == ["a", "b"])
    #expect(try parents.things() == ["1", "1", "2", "2"])
    #expect(try parents.rows("SELECT DISTINCT verdict FROM trawl_trust") == ["complete"])
    #expect(try await parents.gallery.proves())
    #expect(try await parents.night(job).migrations == [])
  }

  @Test("is read anew where a parent carries something else: nothing of it is gone before")
  func carried() async throws {
    for when in ["new", "stale 30d", "all"] {
      let (parents, job) = try await Self.moved(when)
      try await parents.night(job)
      for _ in 0..<2 {
        #expect(try parents.things() == ["k1", "k2"], "\(when)")
        let verdict = "SELECT verdict FROM trawl_trust WHERE list LIKE '%name=u%'"
        #expect(try parents.rows(verdict) == ["complete"])
        try await parents.night(job)
      }
    }
  }

  @Test(
    "keeps an old list until the one at the new address was read, and single answers that are asked no more"
  )
  func notYetRead() async throws {
    let (parents, job) = try await Self.moved("new")
    parents.missing.withLock { _ = $0.insert("u 0") }
    let present = "SELECT count(*) FROM town_found WHERE vanished_at IS NULL"
    // Not 404, which would be an answer.
    parents.status.withLock { $0 = 500 }
    for _ in 0..<2 {
      try await parents.night(job)
      #expect(try parents.rows(present) == ["2"])
    }
    parents.missing.withLock { $0 = [] }
    for _ in 0..<2 { try await parents.night(job) }
    #expect(try parents.rows(present) == ["2"])
    #expect(
      try parents.rows("SELECT verdict FROM trawl_trust WHERE list LIKE 'things%'")
        == ["complete", "orphaned"])
  }

  @Test("is found empty where there were records: believed when that stays so, and not in an hour")
  func falselyEmpty() async throws {
    for when in ["changed", "all"] {
      let parents = Parents(of: ["a", "b", "c"]) { ["\($0)1", "\($0)2", "\($0)3"] }
      let job = try Parents.things(when: when, isPaged: false)
      for _ in 0..<2 { try await parents.night(job) }
      parents.shops(("a", 0), ("b", 1), ("c", 0))
      try await parents.night(job)
      parents.shops(("a", 1), ("b", 1), ("c", 0))
      parents.set("a", [])
      for _ in 0..<4 {
        parents.gallery.time.advance(by: .seconds(3_600))
        _ = try await parents.gallery.run(job, parents.exchange)
        #expect(try parents.things().count == 9, "\(when)")
      }
      for _ in 0..<3 { try await parents.night(job) }
      #expect(try parents.things().count == 6, "\(when)")
      #expect(try await parents.gallery.proves())
    }
  }

  @Test("is there again with a value that was away for a night, of one parent or of all")
  func awayForANight() async throws {
    for when in ["new", "changed", "all"] {
      for (isPaged, isOfAll) in [(true, false), (false, false), (true, true), (false, true)] {
        let parents = Parents()
        let job = try Parents.things(when: when, isPaged: isPaged)
        let names = (0..<6).map { "s\($0)" }
        for name in names { parents.set(name, items(["\(name)x", "\(name)y"])) }
        func set(_ away: Int) {
          parents.set(
            "",
            names.indices.map {
              #"{"id":"\#($0)","name":\#($0 < away ? "null" : "\"\(names[$0])\"")}"#
            })
        }
        set(0)
        for _ in 0..<2 { try await parents.night(job) }
        set(isOfAll ? 6 : 1)
        try await parents.night(job)
        if isOfAll { #expect(try parents.things().count == 12, "\(when) \(isPaged)") }
        set(0)
        for _ in 0..<2 { try await parents.night(job) }
        #expect(try parents.things().count == 12, "\(when) \(isPaged) \(isOfAll)")
      }
    }
  }

  @Test("takes turns under a limit, however few of them a night comes to")
  func turns() async throws {
    for when in ["stale 20h", "changed", "all"] {
      let parents = Parents()
      let job = try Parents.things(when: when, each: "id", Self.texts)
      for night in 0..<7 {
        parents.set("", (0..<8).map { #"{"id":"\#($0)","rev":\#(night)}"# })
        for shop in 0..<8 {
          parents.set("\(shop)", [#"{"id":"\#(shop)","text":"\#(night + 10)"}"#])
        }
        try await parents.night(job) { $0.maxRequests = night == 0 ? 20 : 4 }
      }
      #expect(try parents.rows("SELECT min(text) FROM town_things")[0] > "12", "\(when)")
    }
  }

  @Test("stays due while one of several lists of a parent is not read to its end")
  func unfinished() async throws {
    for when in ["new", "changed"] {
      let parents = Parents()
      let job = try Parents.things(
        when: when, path: "{name}/{place}", size: 2, #"key: ["id"], columns: { id: "id" }"#,
        parameters: #"params: { place: ["t", "u"] },"#)
      parents.pageSize.withLock { $0 = 2 }
      parents.shops(("a", 0))
      parents.set("a t", items(["1", "2", "3", "4", "5"]))
      parents.set("a u", items(["6"]))
      try await parents.night(job) { $0.pagesMax = 2 }
      #expect(try parents.things() == ["1", "2", "3", "4", "6"], "\(when)")
      try await parents.night(job)
      #expect(try parents.things() == ["1", "2", "3", "4", "5", "6"], "\(when)")
      #expect(try await parents.night(job).requests.sent == 1, "\(when)")
    }
  }

  @Test(
    "is requested in a later run where a run had to stop in its pages, and none lists its parent again"
  )
  func pausedInside() async throws {
    let parents = Parents()
    let job = try Self.newestFirst(
      """
      parts: {
        \(Self.inRun), pages: { by: "number", to: "?page", size: 2 }, total: "total counted",
        key: ["thing", "id"], columns: { thing: "{id}", id: "id", text: "text" },
      },
      """)
    func set(_ text: String, _ last: Int) {
      for one in 10...last {
        parents.set("- \(one)", (0..<3).map { #"{"id":"\#($0)","text":"\#(text)"}"# })
      }
      Self.set(parents, 10..<last + 1)
    }
    set("old", 17)
    for _ in 0..<4 { try await parents.night(job) }
    set("new", 17)
    try await parents.night(job) { $0.maxRequests = 6 }
    let paused = "SELECT list FROM trawl_trust WHERE verdict = 'paused'"
    #expect(try parents.rows(paused) == ["parts id=16"])
    set("new", 20)
    for _ in 0..<2 { try await parents.night(job) }
    #expect(try parents.rows(paused) == [])
    #expect(
      try parents.rows("SELECT DISTINCT text FROM town_parts WHERE thing = '16'") == ["new"])
  }
}
