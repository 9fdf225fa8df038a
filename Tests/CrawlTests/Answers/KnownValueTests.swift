import Base
import Crawl
import Store
import TestSupport
import Testing

@Suite("A value that was requested before, of records that have it now")
struct KnownValueTests {
  private static func job(
    _ when: String, each: String = "name", isPaged: Bool = true, key: String = #"["shop", "id"]"#,
    vanish: String = "mark", _ columns: String = #"shop: "{name}""#
  ) throws -> Job {
    try Parents.things(
      when: when, each: each, isPaged: isPaged,
      #"vanish: "\#(vanish)", key: \#(key), columns: { \#(columns), id: "id" }"#)
  }

  /// - Parameter shops: their numbers and names.
  private static func set(_ parents: Parents, _ shops: [(Int, String)]) {
    parents.set(
      "", shops.map { #"{"id":\#($0.0),"name":"\#($0.1)","rev":"r"}"# })
  }

  @Test("is requested for a new record, whose name another had that has left or has another now")
  func taken() async throws {
    for when in ["new", "changed", "stale 30d"] {
      for (isPaged, hasLeft) in [(true, true), (false, true), (true, false), (false, false)] {
        let parents = Parents()
        let job = try Self.job(when, isPaged: isPaged)
        for name in ["a", "b", "z"] { parents.set(name, items(["\(name)1", "\(name)2"])) }
        Self.set(parents, [(1, "a"), (2, "b")])
        for _ in 0..<2 { try await parents.night(job) }
        if hasLeft {
          Self.set(parents, [(2, "b")])
          for _ in 0..<2 { try await parents.night(job) }
          #expect(try parents.things() == ["b1", "b2"])
        }
        parents.set("a", items(["a1", "a2", "a3"]))
        Self.set(parents, (hasLeft ? [] : [(1, "z")]) + [(2, "b"), (3, "a")])
        try await parents.night(job)
        let others = hasLeft ? [] : ["z1", "z2"]
        #expect(
          try parents.things() == ["a1", "a2", "a3", "b1", "b2"] + others, "\(when) \(isPaged)")
        #expect(try await parents.night(job).requests.sent == 1, "\(when) \(isPaged)")
        #expect(try await parents.gallery.proves())
      }
    }
  }

  @Test("is not requested for each new record that has it, whatever is only stored with it")
  func shared() async throws {
    for when in ["new", "changed", "stale 30d"] {
      let parents = Parents()
      let job = try Self.job(when, vanish: "keep", #"shop: "{name}", rev: "{rev}""#)
      for name in ["a", "b"] { parents.set(name, items([name])) }
      Self.set(parents, [(1, "a"), (2, "b")])
      for _ in 0..<2 { try await parents.night(job) }
      Self.set(parents, [(1, "a"), (2, "b"), (3, "a"), (4, "b")])
      for _ in 0..<2 { #expect(try await parents.night(job).requests.sent == 1, "\(when)") }
    }
  }

  @Test(
    "is requested again when what is stored with it is part of the key, or says which list it is")
  func keyed() async throws {
    for when in ["new", "stale 30d"] {
      for isPaged in [true, false] {
        let parents = Parents()
        let job = try Self.job(
          when, each: "id", isPaged: isPaged, key: #"["team", "shop", "id"]"#,
          #"shop: "{id}", team: "{name}""#)
        parents.set("0", items(["k1", "k2"]))
        parents.shops(("t", 0))
        for _ in 0..<2 { try await parents.night(job) }
        parents.shops(("u", 0))
        // Records of single answers were on one page.
        for _ in 0..<4 { try await parents.night(job) }
        #expect(
          try parents.rows("SELECT team, id FROM town_things WHERE vanished_at IS NULL")
            == ["u|k1", "u|k2"], "\(when) \(isPaged)")
      }
    }
  }

  @Test("has left with most of the others: believed when that stays so for long, or when accepted")
  func many() async throws {
    for when in ["changed", "all"] {
      for (isPaged, isAccepted) in [(true, false), (false, false), (true, true), (false, true)] {
        let parents = Parents()
        let job = try Self.job(when, isPaged: isPaged)
        let names = (10..<40).map { "s\($0)" }
        for name in names {
          parents.set(name, items([name]))
          parents.set("z\(name)", items(["z\(name)"]))
        }
        Self.set(parents, Array(zip(10..<40, names)))
        for _ in 0..<2 { try await parents.night(job) }
        Self.set(parents, zip(10..<40, names).map { ($0, $0 < 35 ? "z\($1)" : $1) })
        var warnings = try await parents.night(job).warnings
        #expect(warnings.contains { $0.contains("--accept-vanish 25") }, "\(warnings)")
        #expect(try parents.things().count == 55, "\(when) \(isPaged)")
        if isAccepted {
          try await parents.night(job) { $0.acceptedVanish = 25 }
        } else {
          for _ in 0..<2 { try await parents.night(job) }
        }
        #expect(try parents.things().count == 30, "\(when) \(isPaged)")
        warnings = try await parents.night(job).warnings
        #expect(warnings == [])
        #expect(
          try parents.rows("SELECT DISTINCT verdict FROM trawl_trust") == [
            "complete"
          ] + (isPaged ? ["orphaned"] : []))
        #expect(try await parents.gallery.proves())
      }
    }
  }

  @Test("has left with some of the others, besides many whose records were forgotten")
  func forgotten() async throws {
    let parents = Parents()
    let job = try Self.job("changed", isPaged: false)
    let names = (10..<22).map { "s\($0)" }
    for name in names + ["z"] { parents.set(name, items([name])) }
    Self.set(parents, Array(zip(10..<22, names)))
    for _ in 0..<2 { try await parents.night(job) }
    try await parents.gallery.store { store in
      let shops = try #require(try await store.keyedTables().first { $0.name == "town_shops" })
      _ = try await store.forget((10..<16).map { [.integer($0)] }, of: shops, job, .person)
    }
    Self.set(parents, [(16, "z")] + zip(17..<22, names[7...]))
    for _ in 0..<2 { try await parents.night(job) }
    #expect(try parents.things() == (names.prefix(6) + names[7...] + ["z"]).sorted())
  }
}
