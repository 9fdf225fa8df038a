import Base
import Crawl
import Store
import TestSupport
import Testing
import Walk

@Suite("What is requested for each record of a parent, when the job or a run says something else")
struct EditedRequestTests {
  private static func inPlace(isPaged: Bool) throws -> Job {
    try Parents.things(
      when: "new", path: "{name}/{place}", isPaged: isPaged, #"key: ["id"], columns: { id: "id" }"#,
      parameters: #"params: { place: ["t"] },"#)
  }

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
    let job = try Self.inPlace(isPaged: true)
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
    let job = try Self.inPlace(isPaged: false)
    try ListPlanner(job: job, options: CrawlOptions()).check()
    var options = CrawlOptions()
    options.values = ["place": ["t", "u"]]
    #expect(throws: StepProblem.self) { try ListPlanner(job: job, options: options).check() }
  }

  @Test("stays in its lists until those that a changed job requests instead are read")
  func otherForm() async throws {
    let parents = Parents(of: ["a", "b", "c"])
    func job(_ more: String) throws -> Job {
      try Parents.things(
        when: "all",
        """
        \(more) vanish: "mark", key: ["id"], columns: { id: "id" },
        list: { table: "found", columns: { shop: "{name}" } }
        """, parameters: #"params: { lang: ["en"] },"#)
    }
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

  @Test("stays in the lists that it is in by a value that the lists' table has anew")
  func listColumns() async throws {
    for when in ["all", "new", "changed", "run"] {
      let parents = Parents(of: ["a", "b"]) { ["\($0)1", "\($0)2", "\($0)3"] }
      func job(_ isEdited: Bool) throws -> Job {
        try Parents.things(
          when: when,
          """
          \(isEdited ? #"query: { lang: "{lang}" },"# : "")
          vanish: "mark", key: ["id"], columns: { id: "id" },
          list: { table: "found", columns: { shop: "{name}"\(isEdited ? #", lang: "{lang}""# : "") } }
          """, parameters: isEdited ? #"params: { lang: ["en"] },"# : "")
      }
      for _ in 0..<2 { try await parents.night(try job(false)) }
      // One leaves its list in the night of the edit.
      parents.set("a", items(["a1", "a2"]))
      for night in 0..<4 {
        try await parents.night(try job(true)) { $0.maxRequests = night == 0 ? 2 : 20 }
        let present = try parents.rows("SELECT id FROM town_found WHERE vanished_at IS NULL")
        #expect(
          night == 0 || present == ["a1", "a2", "b1", "b2", "b3"], "\(when) \(night) \(present)")
        #expect(try Set(parents.things()).isSuperset(of: ["a1", "a2", "b1", "b2", "b3"]))
      }
      // No other list is read twice.
      #expect(try when != "all" || parents.things().count == 5)
      #expect(try await parents.gallery.proves())
    }
  }

  @Test("is gone with a parent's old value, whatever was to be read anew in the same night")
  func renamedMeanwhile() async throws {
    for when in ["all", "new", "changed"] {
      for isPaged in [true, false] {
        for event in ["refill", "away"] + (isPaged ? [] : ["reset"]) {
          let parents = Parents(of: ["a", "b", "c"]) { ["\($0)1", "\($0)2"] }
          parents.set("z", items(["z1", "z2"]))
          func job(_ isWhole: Bool = true) throws -> Job {
            try isWhole ? Parents.things(when: when, isPaged: isPaged) : Parents.job("")
          }
          for _ in 0..<2 { try await parents.night(try job()) }
          parents.shops(("z", 0), ("b", 0), ("c", 0))
          if event == "reset" {
            try await parents.gallery.store { _ = try await $0.reset(.coverage, of: "town") }
          }
          if event == "away" { try await parents.night(try job(false)) }
          let asked = try await parents.night(try job()) { $0.isRefill = event == "refill" }
          #expect(asked.requests.sent == 4, "all is read anew: \(when) \(isPaged) \(event)")
          try await parents.night(try job())
          #expect(
            try parents.things() == ["b1", "b2", "c1", "c2", "z1", "z2"],
            "\(when) \(isPaged) \(event)")
          #expect(try await parents.gallery.proves())
        }
      }
    }
  }

  @Test("is gone where another value of its parent names it now")
  func otherColumn() async throws {
    for isPaged in [true, false] {
      let parents = Parents()
      func job(_ column: String) throws -> Job {
        try Parents.things(when: "all", each: column, isPaged: isPaged)
      }
      parents.shops(("a", 0), ("b", 0))
      for shop in ["a", "b", "0", "1"] { parents.set(shop, items(["k"])) }
      for _ in 0..<2 { try await parents.night(try job("name")) }
      for _ in 0..<3 { try await parents.night(try job("id")) }
      #expect(
        try parents.rows("SELECT shop FROM town_things WHERE vanished_at IS NULL") == ["0", "1"],
        "\(isPaged)")
    }
  }

  @Test("keeps the values of a stream that is away for a night, beside one that stores all members")
  func valuesOfOthers() async throws {
    let parents = Parents()
    func job(_ isWhole: Bool) throws -> Job {
      let more = """
        more: {
          get: "/things/texts", \(Parents.paged), order: "at falling", into: "things", inserts: false,
          key: ["id"], columns: { id: "id", text: "text", at: "at as time" },
        },
        """
      return try Parents.job(
        """
        things: { get: "/things/-", \(Parents.paged), key: ["id"], columns: "*" },
        \(isWhole ? more : "")
        """)
    }
    parents.set("-", items(["k1", "k2", "k3"]))
    parents.set("texts", (1...3).map { #"{"id":"k\#($0)","text":"t\#($0)","at":\#($0)}"# })
    for _ in 0..<2 { try await parents.night(try job(true)) }
    for _ in 0..<2 {
      try await parents.night(try job(false))
      #expect(try parents.rows("SELECT text FROM town_things") == ["t1", "t2", "t3"])
      #expect(try await parents.gallery.proves())
    }
    for _ in 0..<2 { try await parents.night(try job(true)) }
    #expect(try parents.rows("SELECT text FROM town_things") == ["t1", "t2", "t3"])
    #expect(try await parents.gallery.proves())
  }

  @Test(
    "is read on when the key is edited, in the night or behind the night that takes its list out")
  func keyOfFormerList() async throws {
    for isAtOnce in [true, false] {
      for isChild in [true, false] {
        let parents = Parents()
        let tags =
          #"children: { tags: { records: "tags", parent: { id: "thing" }, key: ["tag"], columns: { tag: "." } } },"#
        func job(_ more: String, isOther: Bool = false) throws -> Job {
          let key =
            isOther
            ? #"key: ["shop", "id"], columns: { shop: "{name}", id: "id" }"#
            : #"key: ["id"], columns: { id: "id" }"#
          return try Parents.things(when: "all", more + key)
        }
        parents.shops(("a", 0))
        parents.set("a", [#"{"id":"k1","tags":["x"]}"#])
        let list = #"list: { table: "found", columns: { shop: "{name}" } },"#
        try await parents.night(try job(isChild ? tags : list))
        if !isAtOnce { try await parents.night(try job("")) }
        for _ in 0..<2 {
          let facts = try await parents.night(try job("", isOther: true))
          #expect(facts.outcome.kinds == [.asDeclared], "\(facts.outcome)")
        }
        #expect(try parents.things() == ["k1"])
        let table = isChild ? "tags" : "found"
        #expect(try parents.rows("SELECT count(*) FROM town_\(table)_before_1") == ["1"])
        #expect(try await parents.gallery.proves())
      }
    }
  }
}
