import Base
import Crawl
import Store
import TestSupport
import Testing

/// Shops whose lists of things are requested by a name and a town, from the shops or the job itself. The town of a shop
/// is what `Parents` calls its rev.
extension Parents {
  fileprivate static let perTown =
    #"{ table: "found", columns: { shop: "{name}", town: "{rev}" } }"#

  fileprivate static func found(_ list: String) -> String {
    #"vanish: "mark", key: ["id"], columns: { id: "id" }, list: \#(list)"#
  }

  fileprivate static func perShop(
    when: String = "all", shops: String = #"vanish: "mark""#
  ) throws -> Job {
    try things(when: when, path: "{name}/{rev}", found(perTown), shops: shops)
  }

  fileprivate static func named(
    _ request: String, list: String, parameters: String
  ) throws -> Job {
    try job("things: { \(request), \(paged), \(found(list)) },", parameters: parameters)
  }

  fileprivate func shops(_ shops: [(id: Int, name: String?, town: String)]) {
    set(
      "",
      shops.map {
        #"{"id":\#($0.id),"rev":"\#($0.town)","name":\#($0.name.map { #""\#($0)""# } ?? "null")}"#
      })
  }

  /// Things that are named by their list: `a t0`.
  fileprivate func sizes(_ sizes: [String: Int]) {
    for (list, count) in sizes { set(list, items((0..<count).map { "\(list)\($0)" })) }
  }

  /// The file after some quiet nights: its lists with their claims, and the present things.
  fileprivate func end(_ job: Job, nights: Int = 4) async throws -> (
    lists: [String], things: [String]
  ) {
    for _ in 0..<nights { try await night(job) }
    #expect(try await gallery.proves())
    if job.streams.last?.parent?.when != .new { _ = try await expectNothingOld(job) }
    let lists = try rows("SELECT list, rows, verdict FROM trawl_trust WHERE list <> 'shops'")
    return (lists, try things())
  }
}

@Suite("A list that the job requests no more")
struct UnrequestedListTests {
  private static let both = [(id: 1, name: "a" as String?, town: "t"), (2, "b", "t")]

  /// What becomes of the first shop, and its new list.
  @Test(
    "has left with what its parent gave it",
    arguments: [("z", "t", "z t"), (nil, "t", nil), ("a", "u", "a u"), ("", "t", nil)]
      as [(String?, String, String?)])
  func parents(name: String?, place: String, new: String?) async throws {
    let town = Parents()
    let job = try Parents.perShop()
    town.shops(Self.both)
    town.sizes(["a t": 2, "b t": 2, "z t": 1, "a u": 1])
    for _ in 0..<2 { try await town.night(job) }
    town.shops([(1, name, place), Self.both[1]])
    let left = try await town.end(job)
    #expect(left.lists.contains("things name=a rev=t|0|orphaned"), "\(left.lists)")
    #expect(left.lists.contains("things name=b rev=t|2|complete"), "\(left.lists)")
    #expect(left.things == (["b t0", "b t1"] + (new.map { ["\($0)0"] } ?? [])).sorted())
    // The list returns with its parent's value.
    town.shops(Self.both)
    let back = try await town.end(job)
    #expect(back.lists.contains("things name=a rev=t|2|complete"), "\(back.lists)")
    #expect(back.things == ["a t0", "a t1", "b t0", "b t1"])
  }

  @Test("has left where the key of its rows names it, too")
  func byKey() async throws {
    let town = Parents()
    let job = try Parents.things(when: "all")
    town.shops(Self.both)
    town.sizes(["a": 2, "b": 2, "z": 1])
    for _ in 0..<2 { try await town.night(job) }
    town.shops([(1, "z", "t"), Self.both[1]])
    let left = try await town.end(job)
    #expect(left.lists.contains("things name=a|0|orphaned"), "\(left.lists)")
    #expect(left.things == ["b0", "b1", "z0"])
  }

  @Test("has left where the key of its rows holds its value as a number")
  func byNumber() async throws {
    let town = Parents()
    func job(_ numbers: String) throws -> Job {
      try Parents.job(
        """
        things: {
          get: "/things/{number}", \(Parents.paged), vanish: "mark", key: ["shop", "id"],
          columns: { shop: "{number} as integer", id: "id" },
        },
        """, parameters: "params: { number: \(numbers) },")
    }
    town.shops(Self.both)
    town.sizes(["02": 1, "3": 1])
    for _ in 0..<2 { try await town.night(try job(#"["02", "3"]"#)) }
    let left = try await town.end(try job(#"["3"]"#))
    #expect(left.lists == ["things number=02|0|orphaned", "things number=3|1|complete"])
    #expect(left.things == ["30"])
    let table = KeyedTable(name: "town_things", job: "town", key: [("shop", true), ("id", false)])
    let found = try await town.gallery.store {
      try await $0.provenance(of: table, key: [.integer(3), .text("30")], column: nil)
    }
    #expect(found.texts("list", of: "lists") == ["things number=3", "things number=02"])
    #expect(found.texts("standing", of: "lists") == ["in", "not in"])
    // Written in another way, the value has the same rows.
    town.set("03", items(["30"]))
    try await town.night(try job(#"["03"]"#))
    #expect(try town.things() == ["30"])
  }

  @Test("stays where the parents' value is lost for all, or changed for many at once")
  func lost() async throws {
    for isLost in [true, false] {
      let town = Parents()
      let job = try Parents.perShop()
      town.shops((0..<24).map { ($0, "s\($0)", "t") })
      for shop in 0..<24 { town.sizes(["s\(shop) t": 1]) }
      for _ in 0..<2 { try await town.night(job) }
      if isLost {
        town.set("", (0..<24).map { #"{"id":\#($0),"rev":"t"}"# })
      } else {
        town.shops((0..<24).map { ($0, "masked\($0)", "t") })
      }
      try await town.night(job)
      #expect(try town.rows("SELECT count(*) FROM town_found WHERE vanished_at IS NULL") == ["24"])
      #expect(try town.rows("SELECT list FROM trawl_trust WHERE verdict = 'orphaned'") == [])
    }
  }

  @Test("goes with a parent that is not kept any longer, and so do its records")
  func retained() async throws {
    let town = Parents()
    let job = try Parents.perShop(shops: #"retain: "2d""#)
    town.shops(Self.both)
    town.sizes(["a t": 2, "b t": 2])
    for _ in 0..<2 { try await town.night(job) }
    town.shops([Self.both[1]])
    for _ in 0..<3 { try await town.night(job) }
    try await town.gallery.store { store in
      for records in try await store.outlived(of: job, by: town.gallery.time.now) {
        _ = try await store.forget(records.keys, of: records.table, job, .retention)
      }
    }
    let left = try await town.end(job)
    #expect(left.lists == ["things name=b rev=t|2|complete"])
    #expect(left.things == ["b t0", "b t1"], "\(left)")
  }

  @Test("is forgotten with the last parent that has its value")
  func forgotten() async throws {
    let town = Parents()
    let job = try Parents.things(when: "all")
    town.shops([(1, "a", "t"), (2, "a", "u")])
    town.sizes(["a": 2])
    try await town.night(job)
    let shops = KeyedTable(name: "town_shops", job: "town", key: [("id", false)])
    for (id, lists) in [("1", ["things name=a"]), ("2", [])] as [(String, [String])] {
      _ = try await town.gallery.store {
        try await $0.forget([[.text(id)]], of: shops, job, .person)
      }
      #expect(try town.rows("SELECT list FROM trawl_lists WHERE stream = 'things'") == lists)
    }
  }

  @Test("is one of two parents with the same value: the other's is read on")
  func shared() async throws {
    for when in ["all", "new"] {
      let town = Parents()
      let job = try Parents.perShop(when: when)
      town.shops([(1, "a", "t"), (2, "a", "u")])
      town.sizes(["a t": 2, "a u": 1, "a v": 1])
      try await town.night(job)
      town.shops([(1, "a", "t"), (2, "a", "u"), (3, "a", "v")])
      let both = try await town.end(job, nights: 2)
      #expect(both.things == ["a t0", "a t1", "a u0", "a v0"], "\(when) \(both)")
      town.shops([(2, "a", "u"), (3, "a", "v")])
      let left = try await town.end(job)
      #expect(left.lists.contains("things name=a rev=t|0|orphaned"), "\(when) \(left.lists)")
      #expect(left.lists.count { $0.hasSuffix("|1|complete") } == 2, "\(when) \(left.lists)")
      if when == "all" { #expect(left.things == ["a u0", "a v0"]) }
    }
  }

  @Test("is one of a value that the job names no more, but not one that a run was given")
  func values() async throws {
    let town = Parents()
    func job(_ names: String) throws -> Job {
      try Parents.named(
        #"get: "/things/{name}/t""#, list: #"{ table: "found", columns: { shop: "{name}" } }"#,
        parameters: "params: { name: \(names) },")
    }
    func nights(_ names: String) async throws -> [String] {
      for _ in 0..<2 { try await town.night(try job(names)) }
      return try town.rows("SELECT list, rows, verdict FROM trawl_trust")
    }
    town.sizes(["a t": 2, "b t": 2, "c t": 2])
    town.shops(Self.both)
    try await town.night(try job(#"["a", "b"]"#)) { $0.values = ["name": ["c"]] }
    _ = try await nights(#"["a", "b"]"#)
    let rows = try await nights(#"["b"]"#)
    #expect(rows.contains("things name=a|0|orphaned"), "\(rows)")
    #expect(rows.contains("things name=b|2|complete"), "\(rows)")
    #expect(rows.contains("things name=c|2|complete"), "\(rows)")
    // The same if records provide the values.
    _ = try await nights(#"["@shops.name"]"#)
    town.shops([Self.both[0]])
    let words = try await nights(#"["@shops.name"]"#)
    #expect(words.contains("things name=a|2|complete"), "\(words)")
    #expect(words.contains("things name=b|0|orphaned"), "\(words)")
  }

  @Test("stays where records give many other values at once, until that has lasted")
  func manyValues() async throws {
    let town = Parents()
    let job = try Parents.named(
      #"get: "/things/{name}/t""#, list: #"{ table: "found", columns: { shop: "{name}" } }"#,
      parameters: #"params: { name: ["@shops.name"] },"#)
    for name in ["s", "masked"] {
      town.shops((0..<24).map { ($0, "\(name)\($0)", "t") })
      for shop in 0..<24 { town.sizes(["\(name)\(shop) t": 1]) }
      for _ in 0..<2 { try await town.night(job) }
    }
    let orphaned = "SELECT list FROM trawl_trust WHERE verdict = 'orphaned'"
    #expect(try town.rows(orphaned) == [])
    _ = try await town.end(job)
    #expect(try town.rows(orphaned) == (0..<24).map { "things name=s\($0)" }.sorted())
  }

  @Test("is one of a value that the job names no more, for each parent")
  func valuesOfParents() async throws {
    let town = Parents()
    func job(_ places: String) throws -> Job {
      try Parents.things(
        when: "all", path: "{name}/{place}",
        Parents.found(#"{ table: "found", columns: { shop: "{name}", place: "{place}" } }"#),
        parameters: "params: { place: \(places) },")
    }
    town.shops(Self.both)
    town.sizes(["a t": 1, "a u": 1, "b t": 1, "b u": 1])
    for _ in 0..<2 { try await town.night(try job(#"["t", "u"]"#)) }
    let left = try await town.end(try job(#"["u"]"#))
    #expect(
      left.lists == [
        "things name=a place=t|0|orphaned", "things name=a place=u|1|complete",
        "things name=b place=t|0|orphaned", "things name=b place=u|1|complete",
      ])
    #expect(left.things == ["a u0", "b u0"])
  }

  @Test(
    "is one of a stream that has other holes now, and one of a stream that is not there ages no more"
  )
  func forms() async throws {
    let town = Parents()
    town.sizes(["a t": 2])
    town.shops([Self.both[0]])
    for _ in 0..<2 { try await town.night(try Parents.perShop()) }
    let named = try Parents.named(
      #"get: "/things/a/{place}""#,
      list: #"{ table: "found", columns: { shop: "'a'", town: "{place}" } }"#,
      parameters: #"params: { place: ["t"] },"#)
    let left = try await town.end(named)
    #expect(left.lists == ["things name=a rev=t|0|orphaned", "things place=t|2|complete"])
    #expect(left.things == ["a t0", "a t1"])
    var without = named
    without.streams.removeLast()
    _ = try await town.end(without)
  }
}
