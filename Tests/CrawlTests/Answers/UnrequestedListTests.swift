import Base
import Crawl
import Store
import TestSupport
import Testing

/// Shops whose lists of things are requested by a name and a town, from the shops or the job itself.
private final class Town: Sendable {
  struct Shop: Sendable {
    var id: Int
    var name: String?
    var town: String? = "t"
    var isUnnamed = false

    var json: String {
      let name = isUnnamed ? "" : #","name":\#(self.name.map { #""\#($0)""# } ?? "null")"#
      return #"{"id":\#(id),"town":\#(town.map { #""\#($0)""# } ?? "null")\#(name)}"#
    }
  }

  let gallery = Gallery()
  let shops = Locked<[Shop]>([])
  /// The number of things in each list; things are named by their list's key.
  let sizes = Locked<[String: Int]>([:])

  func job(
    shops: String = #"vanish: "mark""#, things: String, list: String, parameters: String = ""
  ) throws -> Job {
    try Job.file(
      """
      shops: {
        get: "/shops", pages: { by: "single" }, records: "items", key: ["id"],
        columns: { id: "id as integer", name: "name", town: "town" }, \(shops),
      },
      things: {
        \(things), pages: { by: "number", to: "?page", size: 100 }, total: "total counted",
        records: "items", vanish: "mark", key: ["id"], columns: { id: "id" }, list: \(list),
      },
      """, name: "town", head: #"every: "1d", \#(parameters)"#)
  }

  func ofShops(_ more: String = #"vanish: "mark""#) throws -> Job {
    try job(
      shops: more,
      things: #"for: { each: "shops.name", when: "all" }, get: "/things/{name}/{town}""#,
      list: #"{ table: "found", columns: { shop: "{name}", town: "{town}" } }"#)
  }

  var exchange: ScriptedExchange {
    .json { [self] request, _ in
      let parts = request.address.parts
      if parts.last == "shops" { return listing(shops.withLock { $0.map(\.json) }) }
      let key = parts.dropFirst(2).joined(separator: "-")
      let count = sizes.withLock { $0[key] ?? 0 }
      return listing((0..<count).map { #"{"id":"\#(key)\#($0)"}"# }, total: count)
    }
  }

  @discardableResult
  func night(_ job: Job, _ change: (inout CrawlOptions) -> Void = { _ in }) async throws -> RunFacts
  {
    gallery.time.advance(by: .seconds(86_400))
    return try await gallery.run(job, exchange, change).facts
  }

  /// The file after some quiet nights: its lists with their claims, and the present things.
  func end(_ job: Job, nights: Int = 4) async throws -> (lists: [String], things: [String]) {
    for _ in 0..<nights { try await night(job) }
    #expect(try await gallery.proves())
    let rests = job.streams.last?.parent?.when == .new
    for overview in try await gallery.store({ try await $0.overview(of: "town") }) where !rests {
      let telling = Telling(overview, job, now: gallery.time.timekeeper.now())
      #expect(telling.old(over: .seconds(47 * 3600)).map(\.listName) == [])
      #expect(telling.old(over: nil).map(\.listName) == [])
    }
    return (
      try gallery.rows("SELECT list, rows, verdict FROM trawl_trust WHERE list <> 'shops'")
        .sorted(),
      try gallery.rows("SELECT id FROM town_things WHERE vanished_at IS NULL").sorted()
    )
  }
}

@Suite("A list that the job requests no more")
struct UnrequestedListTests {
  /// What happens to the first shop.
  private static let ends: [@Sendable (inout Town.Shop) -> Void] = [
    { $0.name = "z" }, { $0.name = nil }, { $0.town = "u" }, { $0.name = "" },
  ]

  @Test("has left with what its parent gave it", arguments: 0..<ends.count)
  func parents(end: Int) async throws {
    let town = Town()
    let job = try town.ofShops()
    town.shops.withLock { $0 = [.init(id: 1, name: "a"), .init(id: 2, name: "b")] }
    town.sizes.withLock { $0 = ["a-t": 2, "b-t": 2, "z-t": 1, "a-u": 1] }
    for _ in 0..<2 { try await town.night(job) }
    town.shops.withLock { Self.ends[end](&$0[0]) }
    let left = try await town.end(job)
    let new = ["z-t", nil, "a-u", nil][end]
    #expect(left.lists.contains("things name=a town=t|0|orphaned"), "\(left.lists)")
    #expect(left.lists.contains("things name=b town=t|2|complete"), "\(left.lists)")
    #expect(left.things == (["b-t0", "b-t1"] + (new.map { ["\($0)0"] } ?? [])).sorted())
    // The list returns with its parent's value.
    town.shops.withLock { $0[0] = .init(id: 1, name: "a") }
    let back = try await town.end(job)
    #expect(back.lists.contains("things name=a town=t|2|complete"), "\(back.lists)")
    #expect(back.things == ["a-t0", "a-t1", "b-t0", "b-t1"])
  }

  @Test("stays where the parents' value is lost for all, or changed for many at once")
  func lost() async throws {
    for isLost in [true, false] {
      let town = Town()
      let job = try town.ofShops()
      town.shops.withLock { $0 = (0..<24).map { .init(id: $0, name: "s\($0)") } }
      town.sizes.withLock { sizes in for shop in 0..<24 { sizes["s\(shop)-t"] = 1 } }
      for _ in 0..<2 { try await town.night(job) }
      town.shops.withLock { shops in
        for at in shops.indices {
          if isLost { shops[at].isUnnamed = true } else { shops[at].name = "masked\(at)" }
        }
      }
      try await town.night(job)
      #expect(
        try town.gallery.rows("SELECT count(*) FROM town_found WHERE vanished_at IS NULL") == ["24"]
      )
      #expect(
        try town.gallery.rows("SELECT count(*) FROM trawl_trust WHERE verdict = 'orphaned'") == [
          "0"
        ]
      )
    }
  }

  @Test("goes with a parent that is not kept any longer, and so do its records")
  func retained() async throws {
    let town = Town()
    let job = try town.ofShops(#"retain: "2d""#)
    town.shops.withLock { $0 = [.init(id: 1, name: "a"), .init(id: 2, name: "b")] }
    town.sizes.withLock { $0 = ["a-t": 2, "b-t": 2] }
    for _ in 0..<2 { try await town.night(job) }
    town.shops.withLock { _ = $0.removeFirst() }
    for _ in 0..<3 { try await town.night(job) }
    try await town.gallery.store { store in
      for records in try await store.outlived(of: job, by: town.gallery.time.now) {
        _ = try await store.forget(records.keys, of: records.table, job, .retention)
      }
    }
    let left = try await town.end(job)
    #expect(left.lists == ["things name=b town=t|2|complete"])
    #expect(left.things == ["b-t0", "b-t1"], "\(left)")
  }

  @Test("is one of two parents with the same value: the other's is read on")
  func shared() async throws {
    for when in ["all", "new"] {
      let town = Town()
      let job = try town.job(
        things: #"for: { each: "shops.name", when: "\#(when)" }, get: "/things/{name}/{town}""#,
        list: #"{ table: "found", columns: { shop: "{name}", town: "{town}" } }"#)
      town.shops.withLock {
        $0 = [.init(id: 1, name: "a"), .init(id: 2, name: "a", town: "u")]
      }
      town.sizes.withLock { $0 = ["a-t": 2, "a-u": 1, "a-v": 1] }
      try await town.night(job)
      town.shops.withLock { $0.append(.init(id: 3, name: "a", town: "v")) }
      let both = try await town.end(job, nights: 2)
      #expect(both.things == ["a-t0", "a-t1", "a-u0", "a-v0"], "\(when) \(both)")
      town.shops.withLock { _ = $0.removeFirst() }
      let left = try await town.end(job)
      #expect(left.lists.contains("things name=a town=t|0|orphaned"), "\(when) \(left.lists)")
      #expect(left.lists.count { $0.hasSuffix("|1|complete") } == 2, "\(when) \(left.lists)")
      if when == "all" { #expect(left.things == ["a-u0", "a-v0"]) }
    }
  }

  @Test("is one of a value that the job names no more, but not one that a run was given")
  func values() async throws {
    let town = Town()
    func job(_ names: String) throws -> Job {
      try town.job(
        things: #"get: "/things/{name}/t""#,
        list: #"{ table: "found", columns: { shop: "{name}" } }"#,
        parameters: "params: { name: \(names) },")
    }
    town.sizes.withLock { $0 = ["a-t": 2, "b-t": 2, "c-t": 2] }
    town.shops.withLock { $0 = [.init(id: 1, name: "a"), .init(id: 2, name: "b")] }
    try await town.night(try job(#"["a", "b"]"#)) { $0.values = ["name": ["c"]] }
    for _ in 0..<2 { try await town.night(try job(#"["a", "b"]"#)) }
    for _ in 0..<2 { try await town.night(try job(#"["b"]"#)) { $0.streams = $0.streams } }
    let rows = try town.gallery.rows("SELECT list, rows, verdict FROM trawl_trust").sorted()
    #expect(rows.contains("things name=a|0|orphaned"), "\(rows)")
    #expect(rows.contains("things name=b|2|complete"), "\(rows)")
    #expect(rows.contains("things name=c|2|complete"), "\(rows)")
    // The same if records provide the values.
    for _ in 0..<2 { try await town.night(try job(#"["@shops.name"]"#)) }
    town.shops.withLock { _ = $0.removeLast() }
    for _ in 0..<2 { try await town.night(try job(#"["@shops.name"]"#)) }
    let words = try town.gallery.rows("SELECT list, rows, verdict FROM trawl_trust").sorted()
    #expect(words.contains("things name=a|2|complete"), "\(words)")
    #expect(words.contains("things name=b|0|orphaned"), "\(words)")
  }

  @Test("is one of a value that the job names no more, for each parent")
  func valuesOfParents() async throws {
    let town = Town()
    func job(_ places: String) throws -> Job {
      try town.job(
        things: #"for: { each: "shops.name", when: "all" }, get: "/things/{name}/{place}""#,
        list: #"{ table: "found", columns: { shop: "{name}", place: "{place}" } }"#,
        parameters: "params: { place: \(places) },")
    }
    town.shops.withLock { $0 = [.init(id: 1, name: "a"), .init(id: 2, name: "b")] }
    town.sizes.withLock { $0 = ["a-t": 1, "a-u": 1, "b-t": 1, "b-u": 1] }
    for _ in 0..<2 { try await town.night(try job(#"["t", "u"]"#)) }
    let left = try await town.end(try job(#"["u"]"#))
    #expect(
      left.lists == [
        "things name=a place=t|0|orphaned", "things name=a place=u|1|complete",
        "things name=b place=t|0|orphaned", "things name=b place=u|1|complete",
      ])
    #expect(left.things == ["a-u0", "b-u0"])
  }

  @Test(
    "is one of a stream that has other holes now, and one of a stream that is not there ages no more"
  )
  func forms() async throws {
    let town = Town()
    town.sizes.withLock { $0 = ["a-t": 2] }
    town.shops.withLock { $0 = [.init(id: 1, name: "a")] }
    for _ in 0..<2 { try await town.night(try town.ofShops()) }
    let named = try town.job(
      things: #"get: "/things/a/{place}""#,
      list: #"{ table: "found", columns: { shop: "'a'", town: "{place}" } }"#,
      parameters: #"params: { place: ["t"] },"#)
    let left = try await town.end(named)
    #expect(left.lists == ["things name=a town=t|0|orphaned", "things place=t|2|complete"])
    #expect(left.things == ["a-t0", "a-t1"])
    var without = named
    without.streams.removeLast()
    _ = try await town.end(without)
  }
}
