import Base
import Crawl
import Glibc
import Store
import TestSupport
import Testing

/// Shops that come and go, each with two lists of people in one membership table, and a list of its own things.
extension Parents {
  private static let kinds = ["staff", "guests", "stock"]

  fileprivate static func shops() throws -> Job {
    func stream(_ kind: String, _ more: String) -> String {
      """
      \(kind): {
        for: { each: "shops.name", when: "all" }, get: "/things/\(kind)/{name}",
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
    return try job("\(people("staff")) \(people("guests")) \(stock)")
  }

  /// All lists of a kind, by their shops, with their members.
  fileprivate func lists(_ kind: String) -> [(shop: String, members: [String])] {
    lists.withLock { lists in
      lists.keys.filter { $0.hasPrefix("\(kind) ") }.map { list in
        (String(list.dropFirst(kind.count + 1)), Self.members(kind, of: list))
      }
    }
  }

  /// The members of all lists of a kind, with their shops.
  fileprivate func members(_ kind: String) -> [String] {
    lists(kind).flatMap { list in list.members.map { "\(list.shop)|\($0)" } }.sorted()
  }

  /// Guests of one shop work in the others.
  private static func members(_ kind: String, of list: String) -> [String] {
    (0..<5).map { kind == "guests" ? "\(list.dropFirst(kind.count + 1))\($0)" : "a\($0)" }
  }

  fileprivate func isOpen(_ name: String) -> Bool { lists.withLock { $0["staff \(name)"] != nil } }

  fileprivate func open(_ name: String, _ isOpen: Bool = true) {
    pageSize.withLock { $0 = 2 }
    for kind in Self.kinds {
      let list = "\(kind) \(name)"
      lists.withLock { $0[list] = isOpen ? items(Self.members(kind, of: list)) : nil }
    }
    set("", lists("staff").map(\.shop).sorted().map { #"{"id":"\#($0)","name":"\#($0)"}"# })
  }
}

@Suite("The lists of a parent that left")
struct LeftParentTests {
  /// The content of the file after three quiet nights, and what is reported.
  private func expectTruth(_ shops: Parents, _ story: [String]) async throws {
    let job = try Parents.shops()
    for _ in 0..<3 { try await shops.night(job) }
    func present(_ columns: String, _ table: String, _ more: String = "") throws -> [String] {
      try shops.rows("SELECT \(columns) FROM \(table) WHERE vanished_at IS NULL \(more)")
    }
    for kind in ["staff", "guests"] {
      #expect(
        try present("shop, person", "town_roles", "AND kind = '\(kind)'") == shops.members(kind),
        "\(story)")
    }
    #expect(try present("shop, id", "town_stock") == shops.members("stock"), "\(story)")
    let people = Set((shops.members("staff") + shops.members("guests")).map { $0.dropFirst(2) })
    #expect(try present("id", "town_people") == people.map(String.init).sorted(), "\(story)")
    #expect(try await shops.gallery.proves())
    for telling in try await shops.expectNothingOld(job, "\(story)") {
      #expect(telling.less.map(\.listName) == [], "\(story)")
      #expect(telling.steps([.asDeclared]).filter(\.needsPerson).isEmpty, "\(story)")
    }
    let left = try shops.rows("SELECT list FROM trawl_trust WHERE verdict = 'orphaned'")
    for (shop, _) in shops.lists("staff") {
      #expect(!left.contains { $0.hasSuffix(" name=\(shop)") }, "\(story)")
    }
  }

  @Test(
    "go with it and are asked for by nobody, whatever happened before",
    arguments: Torture.seeds(plain: 5, long: 200))
  func nights(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let shops = Parents()
    let job = try Parents.shops()
    var story: [String] = []
    for name in ["a", "b", "c"] { shops.open(name) }
    for _ in 0..<8 {
      let most = Bool.random(using: &random) ? Int.random(in: 1...20, using: &random) : nil
      try await shops.night(job) { $0.maxRequests = most }
      story.append(most.map { "paused after \($0)" } ?? "run")
      if Int.random(in: 0..<3, using: &random) == 0 {
        try await shops.gallery.store { _ = try await $0.reset(.coverage, of: "town") }
        story.append("reset")
      }
      let name = ["b", "c", "d", "e"].randomElement(using: &random) ?? "b"
      shops.open(name, !shops.isOpen(name))
      story.append("\(name) \(shops.isOpen(name) ? "comes" : "leaves")")
    }
    try await expectTruth(shops, story)
  }

  @Test("go with it, though their only walk was killed", arguments: [2, 3, 4])
  func killed(visit: Int) async throws {
    let shops = Parents()
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = shops.gallery.path as String, visit = visit as Int] in
      let shops = Parents(in: path)
      for name in ["a", "b"] { shops.open(name) }
      _ = try await shops.gallery.run(
        Parents.shops(), shops.exchange,
        faults: .killing(at: FaultPoint.Place.afterPageCommit.rawValue, visit: visit))
    }
    shops.open("b")
    try await expectTruth(shops, ["killed at \(visit)"])
  }
}
