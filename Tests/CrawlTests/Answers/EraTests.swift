import Base
import Crawl
import TestSupport
import Testing

/// One address whose answer depends on the account, a header field and the query.
private struct AskedList: Sendable {
  enum Shape: CaseIterable, Sendable { case plain, window, newestFirst, listed }

  var shape: Shape
  var header: String?
  var query: String?

  func job() throws -> Job {
    var stream = try Base.Stream("things", "/things", "id, at time", by: .numbers)
    stream.size = PageSize(parameter: "size", value: 5)
    stream.total = try .told(.counted)
    stream.marksVanished = true
    switch shape {
    case .plain: break
    case .window:
      stream.window = Window(from: "since", to: nil, column: "at", overlap: .seconds(3600))
    case .newestFirst: stream.newestFirst = "at"
    case .listed: stream.membership = Membership(table: "found", columns: [], keyNames: ["id"])
    }
    if let query { stream.query = [QueryItem("state", Template([.text(query)]))] }
    var job = try Job("asked", stream)
    if let header { job.fields = [HeaderField("X-Shop", header)] }
    return job
  }

  func exchange(_ keys: [String]) -> ScriptedExchange {
    .json { request, _ in
      // All of them are of one day, long ago.
      let known = request["since"].map { !$0.hasPrefix("2020-01-0") } ?? false
      let all = known ? [] : keys
      let part = all.dropFirst(max(0, (request.number("page") ?? 1) - 1) * 5).prefix(5)
      return listing(
        part.map { #"{"id":"\#($0)","at":"2020-01-02T00:00:00Z"}"# }, total: all.count)
    }
  }
}

@Suite("Another question in the place of the same")
struct EraTests {
  private let gallery = Gallery()

  private static func keys(_ name: String, _ count: Int) -> [String] {
    (0..<count).map { "\(name)\($0)" }
  }

  private static func there(_ gallery: Gallery) throws -> Set<String> {
    Set(try gallery.rows("SELECT id FROM asked_things WHERE vanished_at IS NULL"))
  }

  /// What makes it a different request.
  enum Change: CaseIterable, Sendable { case account, header, query }

  private static func list(
    _ shape: AskedList.Shape, _ change: Change, isFirst: Bool
  ) -> AskedList {
    AskedList(
      shape: shape, header: change == .header ? (isFirst ? "a" : "b") : nil,
      query: change == .query ? (isFirst ? "all" : "open") : nil)
  }

  private static func night(
    _ gallery: Gallery, _ list: AskedList, _ keys: [String], _ account: String,
    accepting: Int? = nil
  ) async throws -> RunFacts {
    let left = try await gallery.run(
      list.job(), list.exchange(keys), account: account, then: .day
    ) { $0.acceptedVanish = accepting }
    #expect(try await gallery.proves())
    return left.facts
  }

  @Test(
    "is read whole, and marks nothing of what the one before it brought: neither at once nor later",
    arguments: AskedList.Shape.allCases, Change.allCases)
  fileprivate func another(shape: AskedList.Shape, change: Change) async throws {
    let gallery = Gallery()
    let (first, second) = (Self.keys("a", 12), Self.keys("b", 7))
    let before = Self.list(shape, change, isFirst: true)
    let after = Self.list(shape, change, isFirst: false)
    for _ in 0..<2 { _ = try await Self.night(gallery, before, first, "one") }
    let other = change == .account ? "two" : "one"
    for night in 0..<4 {
      // One of its own leaves, and is gone as usual.
      let keys = night < 2 ? second : Array(second.dropLast())
      let facts = try await Self.night(gallery, after, keys, other)
      let there = try Self.there(gallery)
      #expect(there.isSuperset(of: first), "\(night)")
      #expect(there.isSuperset(of: keys), "\(night)")
      let isAsked = facts.warnings.contains { $0.contains("--same-account") }
      #expect(isAsked == (night == 0 && change == .account), "\(night): \(facts.warnings)")
      guard shape == .plain || shape == .listed else { continue }
      #expect(there.contains("b6") == (night < 2), "\(night)")
      let why = facts.units.first?.certificate.why ?? ""
      #expect(why.contains("12 rows of what was asked for before"), "\(night): \(why)")
      #expect(try gallery.rows("SELECT rows FROM trawl_trust") == ["\(keys.count)"], "\(night)")
    }
    guard shape == .plain || shape == .listed else { return }
    let keys = Array(second.dropLast())
    _ = try await Self.night(gallery, after, keys, other, accepting: 12)
    #expect(try Self.there(gallery) == Set(keys))
  }

  @Test("is the same one where it brings nine tenths of what was there: a key that was renewed")
  func renewed() async throws {
    let list = AskedList(shape: .listed)
    let keys = Self.keys("a", 40)
    for _ in 0..<2 { _ = try await Self.night(gallery, list, keys, "old key") }
    // Two left in the night of the new key: they remain until the next.
    let left = Array(keys.dropFirst(2))
    _ = try await Self.night(gallery, list, left, "new key")
    #expect(try Self.there(gallery) == Set(keys))
    _ = try await Self.night(gallery, list, left, "new key")
    #expect(try Self.there(gallery) == Set(left))
  }

  @Test(
    "is the same one where all lists together bring nine tenths: short ones lose more in a night")
  func renewedShort() async throws {
    let lists = MovingLists(["a": Array(1...60), "b": [61, 62]])
    let job = try MovingLists.job(["a", "b"])
    func night(_ account: String) async throws {
      _ = try await gallery.run(job, lists.exchange(nil), account: account, then: .day)
      #expect(try await gallery.proves())
    }
    func gone() throws -> [String] {
      try gallery.rows("SELECT id FROM moving_found WHERE vanished_at IS NOT NULL ORDER BY id")
    }
    for _ in 0..<2 { try await night("old key") }
    lists.held.withLock { $0["b"] = [61] }
    try await night("new key")
    #expect(try gone() == [])
    try await night("new key")
    #expect(try gone() == ["62"])
  }

  @Test("is the same one where there was no key before")
  func firstKey() async throws {
    let list = AskedList(shape: .listed)
    let keys = Self.keys("a", 8)
    for (account, held) in [(RunParts.nobody, keys), ("a key", Array(keys.dropLast()))] {
      let facts = try await Self.night(gallery, list, held, account)
      #expect(facts.warnings.isEmpty)
      #expect(try Self.there(gallery) == Set(held))
    }
  }

  /// One request, whose list has some keys of its own, and some that all requests share.
  private struct Asked: Hashable {
    var account = "one"
    var header = "a"
    var query = "all"
  }

  @Test(
    "whoever asks, whatever is asked, night by night: gone is only what this question brought and has no more",
    arguments: Torture.seeds(plain: 6, long: 2000))
  func mixed(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed &* 0x1234_5679)
    func roll(_ below: Int) -> Int { Int(random.next() % UInt64(below)) }
    let shape = [AskedList.Shape.plain, .listed][roll(2)]
    let shared = Self.keys("all", roll(5))
    var held: [Asked: [String]] = [:]
    var (asked, last) = (Asked(), Asked())
    // The records since this request was first made, and for how many nights in a row each was missing.
    var brought: Set<String> = []
    var missing: [String: Int] = [:]
    var marked: Set<String> = []
    for night in 0..<14 {
      switch roll(8) {
      case 0, 1: asked.account = ["one", "two"][roll(2)]
      case 2: asked.header = ["a", "b"][roll(2)]
      case 3: asked.query = ["all", "open"][roll(2)]
      default: break
      }
      let isNew = held[asked] == nil
      // No two requests share nine tenths.
      var keys = held[asked] ?? shared + Self.keys("\(held.count)-", 2 + roll([5, 40][roll(2)]))
      if !isNew {
        for _ in 0..<roll(3) where keys.count > 1 { keys.remove(at: roll(keys.count)) }
        if roll(3) == 0 { keys.append("\(night) of \(seed)") }
      }
      held[asked] = keys
      let list = AskedList(shape: shape, header: asked.header, query: asked.query)
      _ = try await Self.night(gallery, list, keys, asked.account)
      if asked != last { (brought, missing) = ([], [:]) }
      last = asked
      brought.formUnion(keys)
      for key in keys { missing[key] = nil }
      for key in brought.subtracting(keys) { missing[key, default: 0] += 1 }
      let gone = Set(try gallery.rows("SELECT id FROM asked_things WHERE vanished_at IS NOT NULL"))
      let story = "seed \(seed), night \(night), \(shape), \(asked)"
      #expect(gone.isDisjoint(with: keys), "\(story)")
      #expect(gone.subtracting(marked).isSubset(of: brought), "\(story)")
      // The walk that first lacks it, and another one.
      let late = missing.filter { $0.value >= 3 }.keys
      #expect(gone.isSuperset(of: late), "\(story): \(late)")
      marked = gone
    }
  }
}
