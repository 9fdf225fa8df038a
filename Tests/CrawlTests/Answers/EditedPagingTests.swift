import Base
import Crawl
import TestSupport
import Testing

@Suite("A list that a job requests in another way, or in another order, than before")
struct EditedPagingTests {
  /// Pages of four by offset, number, token or address, all with the same records.
  private static let exchange: ScriptedExchange = .json { request, _ in
    let all = (10..<26).map { #"{"id":"k\#($0)"}"# }
    let number = request.number("page").map { max(1, $0) }
    let first =
      request.number("offset") ?? number.map { ($0 - 1) * 4 }
      ?? request.number("cursor") ?? request.number("from") ?? 0
    let next =
      first + 4 < all.count
      ? #","cursor":"\#(first + 4)","address":"\#(Gallery.base)/things?from=\#(first + 4)""# : ""
    return listing(Array(all.dropFirst(first).prefix(4))).dropLast() + next + "}"
  }

  private static let pagers = [
    #"by: "offset", to: "?offset", size: 4"#, #"by: "number", to: "?page", size: 4"#,
    #"by: "token", to: "?cursor", next: "cursor""#, #"by: "url", next: "address""#,
  ]

  @Test("is read on when the kind of its pages is edited", arguments: pagers, pagers)
  func kind(before: String, after: String) async throws {
    let gallery = Gallery()
    func job(_ pages: String) throws -> Job {
      try Job.file(
        """
        things: {
          get: "/things", pages: { \(pages) }, records: "items", key: ["id"],
          columns: { id: "id" }, vanish: "mark",
        },
        """, name: "town", head: #"every: "1d","#)
    }
    for pages in [before, before, after, after] {
      let facts = try await gallery.run(try job(pages), Self.exchange, then: .day).facts
      #expect(facts.outcome.kinds == [.asDeclared], "\(facts.outcome)")
      #expect(facts.units[0].certificate.distinctKeys == 16)
      #expect(try await gallery.proves())
    }
  }

  @Test("only fills the records of others, and waits for them, however short it is")
  func filling() async throws {
    let parents = Parents()
    parents.pageSize.withLock { $0 = 2 }
    let job = try Parents.job(
      """
      things: {
        get: "/things/-", pages: { by: "number", to: "?page", size: 2 }, total: "total counted",
        records: "items", key: ["id"], columns: { id: "id" },
      },
      more: {
        get: "/things/texts", pages: { by: "number", to: "?page", size: 2 },
        total: "total counted", records: "items",
        into: "things", inserts: false, key: ["id"], columns: { id: "id", text: "text" },
      },
      """)
    var names = ["k1", "k2", "k3", "k4", "k5"]
    for night in 6..<9 {
      parents.set("-", items(names))
      parents.set("texts", names.suffix(1).map { #"{"id":"\#($0)","text":"t"}"# })
      let facts = try await parents.night(job)
      #expect(facts.outcome.kinds == [.asDeclared], "\(facts.outcome)")
      names.append("k\(night)")
    }
    #expect(
      try parents.rows("SELECT id FROM town_things WHERE text = 't'") == ["k5", "k6", "k7"])
  }
}
