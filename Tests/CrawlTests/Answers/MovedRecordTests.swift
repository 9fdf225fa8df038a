import Base
import Crawl
import Store
import TestSupport
import Testing

/// Three lists of one table, between which records move while they are read.
final class MovingLists: Sendable {
  let held: Locked<[String: [Int]]>
  private let size = 3

  init(_ held: [String: [Int]]) { self.held = Locked(held) }

  static func job(_ names: [String]) throws -> Job {
    var stream = try Base.Stream("things", "/lists/{u}", by: .numbers)
    stream.size = PageSize(parameter: nil, value: 3)
    stream.total = try .told(.counted)
    stream.marksVanished = true
    stream.membership = Membership("found", of: "u", key: "id")
    return try Job("moving", stream, with: ["u": names])
  }

  /// - Parameter event: what happens before the request of that number.
  func exchange(
    _ event: (at: Int, change: @Sendable (inout [String: [Int]]) -> Void)?,
    refusing: String? = nil
  ) -> ScriptedExchange {
    let hasHappened = Locked(false)
    return .answering { [self] request, number in
      let list = request.lastPart
      if let event, number >= event.at, !hasHappened.withLock({ $0 }) {
        hasHappened.withLock { $0 = true }
        held.withLock { event.change(&$0) }
      }
      if list == refusing { return .json(request, status: 451) }
      let keys = held.withLock { $0[list] ?? [] }
      let part = keys.dropFirst(max(0, (request.number("page") ?? 1) - 1) * size).prefix(size)
      return .json(request, listing(part.map { #"{"id":\#($0)}"# }, total: keys.count))
    }
  }

  func move(_ key: Int, to list: String) -> @Sendable (inout [String: [Int]]) -> Void {
    { held in
      for name in held.keys { held[name]?.removeAll { $0 == key } }
      held[list]?.append(key)
    }
  }
}

@Suite("A record that several lists may hold")
struct MovedRecordTests {
  private let gallery = Gallery()

  private func things(areGone: Bool = false) throws -> Set<Int> {
    let which = "vanished_at IS \(areGone ? "NOT NULL" : "NULL")"
    return Set(
      try gallery.rows("SELECT id FROM moving_things WHERE \(which)").compactMap { Int($0) })
  }

  @Test(
    "is not gone while one of them has it, wherever between two requests it moves; who left all is gone in the end",
    arguments: Torture.seeds(plain: 6, long: 400))
  func moves(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let names = ["a", "b", "c"]
    let lists = MovingLists(["a": Array(1...4), "b": Array(5...9), "c": []])
    let job = try MovingLists.job(names)
    // By the night in which it left all lists.
    var left: [Int: Int] = [:]
    for night in 0..<14 {
      let all = lists.held.withLock { $0.values.flatMap(\.self).sorted() }
      let key = all[Int(random.next() % UInt64(all.count))]
      let at = Int(random.next() % 9)
      let target = names[Int(random.next() % 3)]
      let leaves = random.next() % 5 == 0 && all.count > 4
      let change = lists.move(key, to: leaves ? "nowhere" : target)
      _ = try await gallery.run(job, lists.exchange((at, change)), then: .day)
      // A change that no request triggered happens at night.
      lists.held.withLock { change(&$0) }
      if leaves { left[key] = night }
      #expect(try await gallery.proves(), "seed \(seed), night \(night)")
      let present = Set(lists.held.withLock { $0.values.flatMap(\.self) })
      let gone = try things(areGone: true)
      #expect(present.isDisjoint(with: gone), "seed \(seed), night \(night): \(gone)")
      let late = left.filter { $0.value <= night - 6 }.keys
      #expect(try things().isDisjoint(with: late), "seed \(seed), night \(night)")
    }
  }

  @Test("stays while a list that may hold it is not read, and is said to be in none")
  func unread() async throws {
    let lists = MovingLists(["a": Array(1...4), "b": [5]])
    let job = try MovingLists.job(["a", "b"])
    for _ in 0..<2 { _ = try await gallery.run(job, lists.exchange(nil), then: .day) }
    lists.held.withLock { lists.move(4, to: "b")(&$0) }
    for _ in 0..<4 {
      _ = try await gallery.run(job, lists.exchange(nil, refusing: "b"), then: .day)
      #expect(try things() == [1, 2, 3, 4, 5])
    }
    _ = try await gallery.run(job, lists.exchange(nil))
    #expect(
      try gallery.rows("SELECT u FROM moving_found WHERE id = 4 AND vanished_at IS NULL") == ["b"])
    #expect(try await gallery.proves())
  }

  @Test(
    "is counted no longer, once it has left all, by status and by prove, in a list that is not requested then",
    arguments: [
      ("", ""), (#"query: { tag: "{tag}" }, list: "tagged","#, #"params: { tag: ["a", "b"] },"#),
    ])
  func details(list: String, parameters: String) async throws {
    let town = Parents()
    let job = try Parents.job(
      """
      details: {
        for: { each: "shops.id", when: "new" }, get: "/things/{id}", pages: { by: "single" },
        records: "items", into: "shops", columns: ["id", "bio"],
      },
      """, shops: #"\#(list) vanish: "mark""#, parameters: parameters)
    for id in 0..<5 { town.set("\(id)", [#"{"id":\#(id),"bio":"b"}"#]) }
    func open(_ ids: [Int]) {
      town.set("", ids.map { #"{"id":\#($0),"name":"n\#($0)","rev":1}"# })
    }
    open([0, 1, 2, 3, 4])
    try await town.night(job)
    #expect(try town.rows("SELECT rows FROM trawl_trust WHERE list = 'details'") == ["5"])
    open([0, 1, 3, 4])
    for _ in 0..<5 { try await town.night(job) }
    #expect(try town.rows("SELECT id FROM town_shops WHERE vanished_at IS NOT NULL") == ["2"])
    let proof = try await town.gallery.store { try await $0.prove() }
    #expect(proof.holds)
    #expect(proof.certificates.last { $0.stream == "details" }?.rows == 4)
    #expect(try town.rows("SELECT rows FROM trawl_trust WHERE list = 'details'") == ["4"])
  }
}

@Suite("A record that one answer holds for each of its teams")
struct TeamTests {
  @Test("is in all of them, though it comes again")
  func teams() async throws {
    let gallery = Gallery()
    var stream = try Base.Stream("people", "/people", "id", by: .single)
    stream.membership = Membership(
      table: "teams", columns: [Column(name: "team", source: .paths([try JSONPath("team")]))],
      keyNames: ["id"])
    let exchange = ScriptedExchange.json { _, _ in
      listing(
        ["a", "b"].flatMap { id in
          ["x", "y"].map { #"{"id":"\#(id)","team":"\#($0)"}"# }
        })
    }
    for _ in 0..<2 { _ = try await gallery.run(try Job("club", stream), exchange) }
    #expect(
      try gallery.rows("SELECT team, id FROM club_teams WHERE vanished_at IS NULL ORDER BY 1, 2")
        == ["x|a", "x|b", "y|a", "y|b"])
  }
}
