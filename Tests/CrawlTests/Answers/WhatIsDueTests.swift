import Base
import Crawl
import Jobs
import Store
import TestSupport
import Testing
import Walk

@Suite("What is requested for each record of a parent")
struct WhatIsDueTests {
  @Test("is requested for all of them with a value that the job's parameter has anew")
  func parameters() async throws {
    for (when, isPaged) in [("new", true), ("changed", true), ("new", false), ("changed", false)] {
      let parents = Parents()
      func job(_ places: String) throws -> Job {
        try Parents.job(
          """
          things: {
            for: { each: "shops.name", when: "\(when)" }, get: "/things/{name}/{place}",
            \(isPaged ? Parents.paged : #"records: "items""#), key: ["place", "id"],
            columns: { place: "{place}", shop: "{name}", id: "id" },
          },
          """, parameters: "params: { place: \(places) },")
      }
      parents.shops(("a", 0), ("b", 0))
      for shop in ["a", "b"] {
        for place in ["t", "u"] { parents.set("\(shop) \(place)", items(["\(shop)\(place)"])) }
      }
      for _ in 0..<2 { try await parents.night(try job(#"["t"]"#)) }
      #expect(try parents.things() == ["at", "bt"], "\(when) \(isPaged)")
      let other = try job(isPaged ? #"["t", "u"]"# : #"["u"]"#)
      try await parents.night(other)
      #expect(try parents.things() == ["at", "au", "bt", "bu"], "\(when) \(isPaged)")
      #expect(
        try parents.rows("SELECT DISTINCT place FROM town_things") == ["t", "u"],
        "a parameter is a column of what it brought")
      let asked = try await parents.night(other).requests.sent
      #expect(asked == 1, "nothing is due on the night after")
    }
  }

  @Test(
    "is requested with values that one run was given for all of them, and stays due for the job's own"
  )
  func given() async throws {
    let parents = Parents()
    let job = try Parents.job(
      """
      things: {
        for: { each: "shops.name", when: "new" }, get: "/things/{name}/{place}", \(Parents.paged),
        key: ["id"], columns: { id: "id" },
      },
      """, parameters: #"params: { place: ["t"] },"#)
    for shop in ["a", "b"] {
      for place in ["t", "u"] { parents.set("\(shop) \(place)", items(["\(shop)\(place)"])) }
    }
    parents.shops(("a", 0))
    try await parents.night(job)
    parents.shops(("a", 0), ("b", 0))
    try await parents.night(job) { $0.values = ["place": ["u"]] }
    #expect(try parents.things() == ["at", "au", "bu"])
    try await parents.night(job)
    #expect(try parents.things() == ["at", "au", "bt", "bu"])
  }

  @Test("is one answer: several values of a parameter are refused before anything is sent")
  func several() async throws {
    let job = try Parents.job(
      """
      things: {
        for: { each: "shops.name", when: "new" }, get: "/things/{name}/{place}", records: "items",
        key: ["id"], columns: { id: "id" },
      },
      """, parameters: #"params: { place: ["t"] },"#)
    try ListPlanner(job: job, options: CrawlOptions()).check()
    var options = CrawlOptions()
    options.values = ["place": ["t", "u"]]
    #expect(throws: StepProblem.self) { try ListPlanner(job: job, options: options).check() }
  }

  @Test("stays due while what left its list is not decided")
  func emptied() async throws {
    for left in [[], Array(0..<10) + Array(20..<30)] as [[Int]] {
      let parents = Parents()
      let job = try Parents.job(
        """
        things: {
          for: { each: "shops.name", when: "changed" }, get: "/things/{name}", \(Parents.paged),
          vanish: "mark", key: ["shop", "id"], columns: { shop: "{name}", id: "id" },
        },
        """)
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
      let parents = Parents()
      let job = try Parents.job(
        """
        things: {
          for: { each: "shops.name", when: "\(when)" }, get: "/things/{name}", total: "total counted", records: "items",
          vanish: "mark", key: ["shop", "id"], columns: { shop: "{name}", id: "id" },
        },
        """)
      for shop in ["a", "b", "c", "z"] {
        parents.set(shop, items((10..<35).map { "\(shop)\($0)" }))
      }
      parents.shops(("a", 0), ("b", 0), ("c", 0))
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
      let parents = Parents()
      let job = try Parents.job(
        """
        things: {
          for: { each: "shops.name", when: "all" }, get: "/things/{name}", \(Parents.paged),
          vanish: "mark", key: ["id"], columns: { id: "id" },
          list: { table: "found", columns: { shop: "{name}" } },
        },
        more: {
          for: { each: "things.id", when: "\(when)" }, get: "/thing/-/{id}", into: "things",
          records: "items",
          key: ["id"], columns: { id: "id", text: "text" },
        },
        """)
      parents.shops(("a", 0), ("b", 0))
      parents.set("a", items(["k1", "k2", "k3"]))
      parents.set("b", items(["k4", "k5"]))
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
    let parents = Parents()
    let job = try Parents.job(
      """
      things: {
        for: { each: "shops.name", when: "all" }, get: "/things/{name}", \(Parents.paged),
        vanish: "mark", key: ["shop", "id"], columns: { shop: "{name}", id: "id" },
      },
      """)
    parents.shops(("a", 0), ("b", 0))
    parents.set("b", items(["b"]))
    for _ in 0..<4 { try await parents.night(job) }
    parents.missing.withLock { _ = $0.insert("a") }
    try await parents.night(job)
    #expect(try await parents.gallery.proves())
  }

  @Test("is not kept from all others by a new parent each night, however many are in flight")
  func rounds() async throws {
    for (when, atOnce) in [("all", 1), ("all", 3), ("run", 3), ("all", 8)] {
      let parents = Parents()
      let job = try Parents.job(
        """
        things: {
          for: { each: "shops.id", when: "\(when)" }, get: "/things/{id}", \(Parents.paged),
          key: ["id"], columns: { id: "id", text: "text" },
        },
        """, parameters: "atOnce: \(atOnce),")
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

  @Test("is requested in a later run for what a run had listed when it had to stop")
  func listed() async throws {
    let parents = Parents()
    parents.pageSize.withLock { $0 = 2 }
    let job = try Parents.job(
      """
      things: {
        get: "/things/-", pages: { by: "number", to: "?page", size: 2 }, order: "at falling",
        records: "items", key: ["id"], columns: { id: "id", at: "at as time" },
      },
      more: {
        for: { each: "things.id", when: "run" }, get: "/thing/-/{id}", records: "items",
        into: "things", key: ["id"], columns: { id: "id", text: "text" },
      },
      """)
    for one in 10..<30 { parents.set("- \(one)", [#"{"id":"\#(one)","text":"x"}"#]) }
    parents.set("-", (10..<12).reversed().map { #"{"id":"\#($0)","at":\#($0)}"# })
    for _ in 0..<3 { try await parents.night(job) }
    parents.set("-", (10..<30).reversed().map { #"{"id":"\#($0)","at":\#($0)}"# })
    try await parents.night(job) { $0.maxRequests = 14 }
    for _ in 0..<2 { try await parents.night(job) }
    #expect(try parents.rows("SELECT id FROM town_things WHERE text IS NULL") == [])
    #expect(try parents.rows("SELECT count(*) FROM town_things") == ["20"])
  }

  @Test("is read anew where a parent carries something else: nothing of it is gone before")
  func carried() async throws {
    for when in ["new", "stale 30d", "all"] {
      let parents = Parents()
      let job = try Parents.job(
        """
        things: {
          for: { each: "shops.id", when: "\(when)" }, get: "/things/{name}/{id}",
          \(Parents.paged), vanish: "mark", key: ["id"], columns: { id: "id" },
          list: { table: "found", columns: { team: "{name}", shop: "{id}" } },
        },
        """)
      for team in ["t", "u"] { parents.set("\(team) 0", items(["k1", "k2"])) }
      parents.shops(("t", 0))
      for _ in 0..<2 { try await parents.night(job) }
      parents.shops(("u", 0))
      try await parents.night(job)
      for _ in 0..<2 {
        #expect(try parents.things() == ["k1", "k2"], "\(when)")
        #expect(
          try parents.rows("SELECT verdict FROM trawl_trust WHERE list LIKE '%name=u%'") == [
            "complete"
          ])
        try await parents.night(job)
      }
    }
  }

  @Test("stays in its lists until those that a changed job requests instead are read")
  func otherForm() async throws {
    let parents = Parents()
    func job(_ more: String) throws -> Job {
      try Parents.job(
        """
        things: {
          for: { each: "shops.name", when: "all" }, get: "/things/{name}", \(more)
          \(Parents.paged), vanish: "mark", key: ["id"], columns: { id: "id" },
          list: { table: "found", columns: { shop: "{name}" } },
        },
        """, parameters: #"params: { lang: ["en"] },"#)
    }
    parents.shops(("a", 0), ("b", 0), ("c", 0))
    for shop in ["a", "b", "c"] { parents.set(shop, items([shop])) }
    for _ in 0..<2 { try await parents.night(try job("")) }
    let other = try job(#"query: { lang: "{lang}" },"#)
    let present = "SELECT count(*) FROM town_found WHERE vanished_at IS NULL"
    for most in [2, 3] {
      try await parents.night(other) { $0.maxRequests = most }
      #expect(try parents.rows(present) == ["3"])
    }
    for _ in 0..<2 { try await parents.night(other) }
    #expect(try parents.rows(present) == ["3"])
    #expect(
      try parents.rows("SELECT verdict FROM trawl_trust WHERE list LIKE 'things%'")
        == ["complete", "complete", "complete", "orphaned", "orphaned", "orphaned"])
  }

  @Test("is read anew by a stream that the job had not for a while")
  func returned() async throws {
    for columns in [#"{ id: "id", rev: "rev" }"#, #""*""#] {
      let parents = Parents()
      func job(_ isWhole: Bool) throws -> Job {
        let more = """
          more: {
            for: { each: "things.id", when: "changed" }, get: "/thing/-/{id}", records: "items",
            into: "things", key: ["id"], columns: { id: "id", text: "text" },
          },
          """
        return try Parents.job(
          """
          things: { get: "/things/-", \(Parents.paged), key: ["id"], columns: \(columns) },
          \(isWhole ? more : "")
          """)
      }
      func set(_ rev: Int) {
        parents.set("-", (0..<3).map { #"{"id":"k\#($0)","rev":\#(rev)}"# })
        for one in 0..<3 { parents.set("- k\(one)", [#"{"id":"k\#(one)","text":"t\#(rev)"}"#]) }
      }
      set(0)
      for _ in 0..<2 { try await parents.night(try job(true)) }
      set(1)
      try await parents.night(try job(false))
      #expect(try await parents.gallery.proves())
      try await parents.night(try job(true)) { $0.maxRequests = 1 }
      #expect(try await parents.gallery.proves(), "before anything is read again")
      try await parents.night(try job(true))
      #expect(try parents.rows("SELECT DISTINCT text FROM town_things") == ["t1"], "\(columns)")
      #expect(try await parents.gallery.proves())
    }
  }

  @Test("is found empty where there were records: believed when that stays so, and not in an hour")
  func falselyEmpty() async throws {
    for when in ["changed", "all"] {
      let parents = Parents()
      let job = try Parents.job(
        """
        things: {
          for: { each: "shops.name", when: "\(when)" }, get: "/things/{name}",
          total: "total counted", records: "items", vanish: "mark", key: ["shop", "id"],
          columns: { shop: "{name}", id: "id" },
        },
        """)
      for shop in ["a", "b", "c"] { parents.set(shop, items([1, 2, 3].map { "\(shop)\($0)" })) }
      parents.shops(("a", 0), ("b", 0), ("c", 0))
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
}
