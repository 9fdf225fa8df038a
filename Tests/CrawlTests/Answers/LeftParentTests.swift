import Base
import Crawl
import Glibc
import Store
import TestSupport
import Testing

/// Shops that come and go, each with two lists of people in one membership table, and a list of its own things.
private struct Shops: Sendable {
  var lists: [String: [String]] = [:]

  static func job() throws -> Job {
    func stream(_ kind: String, _ more: String) -> String {
      """
      \(kind): {
        for: { each: "shops.name", when: "all" }, get: "/\(kind)/{name}",
        pages: { by: "number", to: "?page", size: 2 }, total: "total counted",
        records: "items", vanish: "mark", \(more)
      },
      """
    }
    func people(_ kind: String) -> String {
      stream(
        kind,
        """
        into: "people", key: ["id"], columns: { id: "id" },
        list: { table: "roles", columns: { shop: "{name}", kind: "'\(kind)'" }, names: { id: "person" } },
        """)
    }
    let stock = stream("stock", #"key: ["shop", "id"], columns: { shop: "{name}", id: "id" },"#)
    return try Job.file(
      """
      shops: {
        get: "/shops", pages: { by: "single" }, records: "items", key: ["name"],
        columns: { name: "name" }, vanish: "mark",
      },
      \(people("staff")) \(people("guests")) \(stock)
      """, name: "town", head: #"every: "1d","#)
  }

  var exchange: ScriptedExchange {
    .json { [lists] request, _ in
      let parts = request.address.parts
      guard parts.count > 2, let all = lists["\(parts[1]) \(parts[2])"] else {
        let names = Set(lists.keys.compactMap { $0.split(separator: " ").last })
        return listing(names.sorted().map { #"{"name":"\#($0)"}"# })
      }
      let page = (request.number("page") ?? 1) - 1
      let items = all.dropFirst(page * 2).prefix(2).map { #"{"id":"\#($0)"}"# }
      return listing(items, total: all.count)
    }
  }

  private static let kinds = ["staff", "guests", "stock"]

  /// The members of all lists of a kind, with their shops.
  func members(_ kind: String) -> [String] {
    lists.flatMap { list, members in
      let words = list.split(separator: " ")
      return words[0] == kind ? members.map { "\(words[1])|\($0)" } : []
    }.sorted()
  }

  mutating func open(_ name: String) {
    for kind in Self.kinds {
      // Guests of one shop work in the others.
      lists["\(kind) \(name)"] = (0..<5).map { kind == "guests" ? "\(name)\($0)" : "a\($0)" }
    }
  }

  mutating func close(_ name: String) {
    for kind in Self.kinds { lists["\(kind) \(name)"] = nil }
  }
}

@Suite("The lists of a parent that left")
struct LeftParentTests {
  private static let day = Duration.seconds(86_400)

  /// The content of the file after three quiet nights, and what is reported.
  private func expectTruth(_ gallery: Gallery, _ shops: Shops, _ story: [String]) async throws {
    let job = try Shops.job()
    for _ in 0..<3 {
      gallery.time.advance(by: Self.day)
      _ = try await gallery.run(job, shops.exchange)
    }
    func rows(_ columns: String, _ table: String, _ more: String = "") throws -> [String] {
      try gallery.rows("SELECT \(columns) FROM \(table) WHERE vanished_at IS NULL \(more)").sorted()
    }
    for kind in ["staff", "guests"] {
      #expect(
        try rows("shop, person", "town_roles", "AND kind = '\(kind)'") == shops.members(kind),
        "\(story)")
    }
    #expect(try rows("shop, id", "town_stock") == shops.members("stock"), "\(story)")
    let people = Set((shops.members("staff") + shops.members("guests")).map { $0.dropFirst(2) })
    #expect(try rows("id", "town_people") == people.map(String.init).sorted(), "\(story)")
    #expect(try await gallery.proves())
    // As for a timer, long after each was read.
    for overview in try await gallery.store({ try await $0.overview(of: "town") }) {
      let telling = Telling(overview, job, now: gallery.time.timekeeper.now())
      #expect(telling.old(over: .seconds(47 * 3600)).map(\.listName) == [], "\(story)")
      #expect(telling.old(over: nil).map(\.listName) == [], "\(story)")
      #expect(telling.less.map(\.listName) == [], "\(story)")
      #expect(telling.steps([.asDeclared]).filter(\.needsPerson).isEmpty, "\(story)")
      let left = Set(overview.lists.filter { $0.verdict == "orphaned" }.map(\.parameters))
      let there = Set(shops.lists.keys.map { "name=\($0.split(separator: " ")[1])" })
      #expect(left.isDisjoint(with: there), "\(story)")
    }
  }

  @Test(
    "go with it and are asked for by nobody, whatever happened before",
    arguments: Torture.seeds(plain: 5, long: 200))
  func nights(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let gallery = Gallery()
    let job = try Shops.job()
    var shops = Shops()
    var story: [String] = []
    for name in ["a", "b", "c"] { shops.open(name) }
    for _ in 0..<8 {
      gallery.time.advance(by: Self.day)
      let most = Bool.random(using: &random) ? Int.random(in: 1...20, using: &random) : nil
      _ = try await gallery.run(job, shops.exchange) { $0.maxRequests = most }
      story.append(most.map { "paused after \($0)" } ?? "run")
      if Int.random(in: 0..<3, using: &random) == 0 {
        try await gallery.store { _ = try await $0.reset(.coverage, of: "town") }
        story.append("reset")
      }
      let name = ["b", "c", "d", "e"].randomElement(using: &random) ?? "b"
      if shops.lists["staff \(name)"] == nil { shops.open(name) } else { shops.close(name) }
      story.append("\(name) \(shops.lists["staff \(name)"] == nil ? "leaves" : "comes")")
    }
    try await expectTruth(gallery, shops, story)
  }

  @Test("go with it, though their only walk was killed", arguments: [2, 3, 4])
  func killed(visit: Int) async throws {
    let gallery = Gallery()
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = gallery.path as String, visit = visit as Int] in
      var shops = Shops()
      for name in ["a", "b"] { shops.open(name) }
      _ = try await Gallery(in: path).run(
        Shops.job(), shops.exchange,
        faults: .killing(at: FaultPoint.Place.afterPageCommit.rawValue, visit: visit))
    }
    var shops = Shops()
    shops.open("b")
    try await expectTruth(gallery, shops, ["killed at \(visit)"])
  }
}
