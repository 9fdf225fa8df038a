import Base
import Crawl
import Store
import TestSupport
import Testing

@Suite("What a run says of itself")
struct WhatARunTellsTests {
  private static let list = """
    things: {
      for: { each: "shops.name", when: "all" }, get: "/things/{name}", \(Parents.paged),
      vanish: "mark", key: ["id"], columns: { id: "id", size: "size as integer" },
      list: { table: "found", columns: { shop: "{name}" } },
    },
    more: {
      for: { each: "things.id", when: "all" }, get: "/more/{id}", into: "things",
      records: "items", key: ["id"], columns: { id: "id", text: "text" },
    },
    """

  private static func logs(size: Int, _ members: String) throws -> Job {
    try Parents.job(
      """
      logs: {
        get: "/things/logs", pages: { by: "number", to: "?page", size: \(size) }, records: "items",
        \(members), key: ["id"], columns: { id: "id as integer" },
      },
      """)
  }

  /// The rows of both tables: their values, and whether they are present.
  private static func rows(_ parents: Parents) throws -> [String: (text: String, isThere: Bool)] {
    let all = try parents.rows(
      "SELECT * FROM (SELECT 's' || id || '|' || coalesce(name, '') || ' ' || rev || '|' || (vanished_at IS NULL) "
        + "FROM town_shops UNION ALL SELECT 't' || id || '|' || coalesce(size, '') || ' ' "
        + "|| coalesce(text, '') || '|' || (vanished_at IS NULL) FROM town_things)")
    return Dictionary(
      uniqueKeysWithValues: all.map { row in
        let parts = row.split(separator: "|", omittingEmptySubsequences: false)
        return (String(parts[0]), (String(parts[1]), parts[2] == "1"))
      })
  }

  @Test("names three lists that are not complete, and counts the others")
  func others() async throws {
    func job(_ columns: String) throws -> Job {
      let streams = ["a", "b", "c", "d"].map {
        "\($0): { get: \"/\($0)\", pages: { by: \"single\" }, records: \"items\", key: [\"id\"], "
          + "columns: [\(columns)] },"
      }
      return try Job.file(streams.joined(), name: "four")
    }
    let exchange = ScriptedExchange.json { _, _ in
      #"{"items":[{"id":1,"name":"n"},{"id":"x","name":"n"}]}"#
    }
    let gallery = Gallery()
    let sentence = try await gallery.run(job(#""id integer", "name""#), exchange).facts.outcome
      .sentence
    #expect(sentence.contains("; 1 more list; 4 rejects"), "\(sentence)")
    // The API has no new field: the job took it till now.
    let warnings = try await gallery.run(job(#""id integer""#), exchange).facts.warnings
    let told = "a: since earlier today 1 more field is taken by no column: name; trawl try four"
    #expect(warnings.contains { "\($0)".contains(told) }, "\(warnings)")
  }

  @Test("a list that may not be read says nothing of a key that was good for another of its stream")
  func forbidden() async throws {
    let parents = Parents(of: ["a", "b", "c"])
    parents.missing.withLock { $0 = ["b"] }
    parents.status.withLock { $0 = 403 }
    let facts = try await parents.night(Parents.things(when: "all"))
    #expect(facts.outcome.kinds == [.lessThanDeclared], "\(facts.outcome.sentence)")
    #expect(try parents.things() == ["a", "c"])
  }

  @Test(
    "counts each record once that is new, changed, gone or back, whoever brought it",
    arguments: Torture.seeds(plain: 3, long: 300))
  func counts(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let parents = Parents()
    let job = try Parents.job(Self.list)
    var sizes = Dictionary(uniqueKeysWithValues: (0..<12).map { ("k\($0)", 0) })
    for night in 0..<8 {
      let names = ["a", "b", "c"].filter { night == 0 || $0 == "a" || random.next() % 5 > 0 }
      parents.set(
        "", names.map { #"{"id":"\#($0)","name":"\#($0)","rev":\#(random.next() % 2)}"# })
      for name in ["a", "b", "c"] {
        let own = sizes.keys.sorted().filter { _ in random.next() % 4 > 0 }
        parents.set("\(name)", own.map { #"{"id":"\#($0)","size":\#(sizes[$0] ?? 0)}"# })
      }
      for key in sizes.keys.sorted() {
        if random.next() % 4 == 0 { sizes[key, default: 0] += 1 }
        parents.set(key, [#"{"id":"\#(key)","text":"\#(random.next() % 2)"}"#])
      }
      let before = night == 0 ? [:] : try Self.rows(parents)
      let facts = try await parents.night(job)
      let after = try Self.rows(parents)
      var told = TableChanges(table: "")
      for (key, now) in after {
        guard let old = before[key] else {
          told.new += 1
          continue
        }
        if old.isThere, !now.isThere { told.gone += 1 }
        guard now.isThere else { continue }
        if old.text != now.text { told.changed += 1 } else if !old.isThere { told.back += 1 }
      }
      let counted = [\TableChanges.new, \.changed, \.gone, \.back]
      #expect(
        counted.map { facts.sum($0) } == counted.map { told[keyPath: $0] },
        "seed \(seed), night \(night): \(facts.changes)")
    }
  }

  @Test(
    "calls nobody for a pause where lists of each record rest, whether the job has a timer or not")
  func rests() async throws {
    for when in ["new", "changed"] {
      for every in [Duration.seconds(86_400), nil] {
        let parents = Parents(of: ["a", "b"])
        var job = try Parents.things(when: when)
        job.every = every
        try await parents.night(job)
        for _ in 0..<4 {
          let facts = try await parents.night(job) { $0.maxRequests = 1 }
          #expect(!facts.needsPerson, "\(when): \(facts.nextSteps)")
        }
      }
    }
  }

  @Test(
    "calls somebody in the third night in which what had rested fails, or is not reached",
    arguments: ["changed", "run"], [nil, 1])
  func bad(when: String, most: Int?) async throws {
    let parents = Parents(of: ["a", "b"])
    let job = try Parents.things(when: when)
    for _ in 0..<6 { try await parents.night(job) }
    if most == nil { parents.missing.withLock { $0 = ["a", "b"] } }
    parents.status.withLock { $0 = 400 }
    var isCalled: [Bool] = []
    for night in 1...4 {
      parents.shops(("a", night), ("b", night))
      isCalled.append(try await parents.night(job) { $0.maxRequests = most }.needsPerson)
    }
    #expect(isCalled == [false, false, true, true])
  }

  @Test(
    "calls nobody for an answer that failed once, and whose record then left",
    arguments: ["all", "changed", "run"])
  func leftUnanswered(when: String) async throws {
    let parents = Parents(of: ["a", "b", "c", "d"])
    let job = try Parents.things(when: when, isPaged: false)
    for _ in 0..<2 { try await parents.night(job) }
    parents.shops(("a", 0), ("b", 0), ("c", 0), ("d", 1))
    parents.missing.withLock { $0 = ["d"] }
    parents.status.withLock { $0 = 400 }
    try await parents.night(job)
    parents.missing.withLock { $0 = [] }
    parents.shops(("a", 0), ("b", 0), ("c", 0))
    for night in 0..<5 {
      let facts = try await parents.night(job)
      #expect(!facts.needsPerson, "\(facts.nextSteps)")
      #expect(night == 0 || facts.nextSteps.isEmpty, "\(facts.nextSteps)")
    }
  }

  @Test("says once that the windows of a list fail, night after night")
  func failingWindows() async throws {
    let parents = Parents()
    let job = try Parents.job(
      """
      logs: {
        get: "/things/logs", pages: { by: "single" }, total: "total counted", records: "items", key: ["id"],
        window: { from: "?since", to: "?until", on: "at", overlap: "1h" },
        columns: { id: "id", at: "at as time" },
      },
      """)
    parents.shops(("a", 0))
    parents.status.withLock { $0 = 400 }
    var isTold: [Bool] = []
    for night in 0..<7 {
      let at = parents.gallery.time.now
      parents.set("logs", [#"{"id":"\#(night)","at":"\#(at)"}"#])
      parents.missing.withLock { $0 = 2...4 ~= night ? ["logs"] : [] }
      isTold.append(try await parents.night(job).outcome.kinds.contains(.lessThanDeclared))
    }
    #expect(isTold == [false, false, true, false, false, false, false])
  }

  @Test("calls somebody where each of its runs was cut off, from the first on")
  func cutOff() async throws {
    let parents = Parents()
    let job = try Parents.job("")
    var isOld: [Bool] = []
    for _ in 0..<4 {
      let overview = try await parents.gallery.store { store in
        _ = try await store.adopt(job, origin: job.base.origin)
        let run = try await store.beginRun(job: "town", command: "run", arguments: [])
        _ = try await store.openUnit(
          Unit(stream: "shops", values: []), of: "town",
          prints: Fingerprints(request: 1, mapping: 1), run: run)
        return try #require(try await store.overview(of: "town").first)
      }
      let telling = Telling(overview, job, now: parents.gallery.time.timekeeper.now())
      isOld.append(!telling.old(over: nil).isEmpty)
      #expect(telling.steps([.interrupted]).contains(where: \.needsPerson) == isOld.last)
      parents.gallery.time.advance(by: .day)
    }
    #expect(isOld == [false, false, false, true])
  }

  @Test("calls somebody for a key that is refused until each stream was answered")
  func refused() async throws {
    let parents = Parents()
    let job = try Parents.job(
      """
      logs: {
        get: "/things/logs", \(Parents.paged), key: ["id"], columns: { id: "id" },
      },
      """)
    parents.shops(("a", 0))
    parents.set("logs", items(["a", "b"]))
    parents.pageSize.withLock { $0 = 1 }
    parents.status.withLock { $0 = 401 }
    parents.missing.withLock { _ = $0.insert("logs") }
    #expect(try await parents.night(job).needsPerson)
    let other = try await parents.night(job) { $0.streams = ["shops"] }
    #expect(other.outcome.kinds == [.asDeclared] && other.needsPerson, "\(other.nextSteps)")
    parents.missing.withLock { $0 = [] }
    for requests in [1, 2] {
      let exchange = parents.exchange
      let cut = try await parents.gallery.run(
        job, exchange, { $0.isOneAtATime = true },
        lapse: { exchange.asked.count < requests ? nil : "the time is up" })
      let steps = cut.facts.nextSteps
      #expect(steps.contains { $0.trouble == .noAuth } == (requests == 1), "\(steps)")
    }
    #expect(try parents.rows("SELECT subject FROM trawl_facts WHERE kind = 'trouble'") == [])
  }

  @Test("is of one list where that was read twice to prove it")
  func twice() async throws {
    let parents = Parents()
    let job = try Self.logs(size: 2, #"prove: "weekly""#)
    parents.shops(("a", 0))
    parents.pageSize.withLock { $0 = 2 }
    parents.set("logs", (1...5).reversed().map { #"{"id":\#($0)}"# })
    let facts = try await parents.night(job)
    let logs = facts.units.filter { $0.stream == "logs" }
    #expect(logs.count == 1 && logs.first?.requests ?? 0 > 4, "\(facts.units)")
    #expect(logs.first?.counts.new == 5 && logs.first?.counts.unchanged == 5)
  }

  @Test("names what is less for now, and only what was so before as still so")
  func stillLess() async throws {
    let parents = Parents()
    let job = try Self.logs(size: 5, #"total: "total counted", vanish: "mark""#)
    parents.shops(("a", 0))
    parents.pageSize.withLock { $0 = 5 }
    parents.set("logs", (100..<400).map { #"{"id":\#($0)}"# })
    try await parents.night(job)
    parents.set("logs", (Array(100..<250) + Array(255..<400)).map { #"{"id":\#($0)}"# })
    let first = try await parents.night(job).outcome.sentence
    #expect(first.hasPrefix("less for now") && !first.contains("still"), "\(first)")
    let second = try await parents.night(job).outcome.sentence
    #expect(second.hasPrefix("as before") && second.contains("is still"), "\(second)")
  }
}
