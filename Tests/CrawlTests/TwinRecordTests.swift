import Base
import Crawl
import TestSupport
import Testing

@Suite("Two records of one answer under one key")
struct TwinRecordTests {
  private static let twins =
    #"{"id":1,"name":"a","color":"red"},{"id":1,"name":"a","color":"blue"},{"id":2,"name":"b","color":"red"}"#
  private static let same = #"{"id":1,"name":"a"},{"id":1,"name":"a"},{"id":2,"name":"b"}"#

  private static func certificate(
    _ records: String, total: Int? = nil, change: (inout Base.Stream) throws -> Void = { _ in }
  ) async throws -> Certificate {
    var things = try Base.Stream(whole: "things", "/things", "id integer,name")
    if total != nil { things.total = try .told(.counted) }
    try change(&things)
    let body = "{\"items\":[\(records)],\"total\":\(total ?? 2)}"
    let exchange = ScriptedExchange.json { _, _ in body }
    let left = try await Gallery().run(try Job("shop", things), exchange)
    return try #require(left.facts.units.first).certificate
  }

  @Test(
    "are two, though what is stored of them is the same; the same twice is one, and a counted total may count it so",
    arguments: [nil, 3])
  func twins(total: Int?) async throws {
    let two = try await Self.certificate(Self.twins, total: total)
    #expect(two.cause == .ambiguousKey, "\(two.claim): \(two.why)")
    let same = try await Self.certificate(Self.same, total: total)
    #expect(same.cause == nil, "\(same.claim): \(same.why)")
    if total == nil { #expect(same.claim == "complete", "\(same.why)") }
  }

  @Test("keep the nested entries of both, though one of them brings back what the other lacks")
  func nested() async throws {
    let gallery = Gallery()
    let long = #"{"id":1,"name":"a","tags":[{"id":1},{"id":2}]}"#
    let short = #"{"id":1,"name":"b","tags":[{"id":1}]}"#
    for (records, present) in [(long, 2), (short, 1), ("\(long),\(short)", 2)] {
      var things = try Base.Stream(whole: "things", "/things", "id integer,name")
      things.children = [
        ChildTable(
          table: "tags", records: try JSONPath("tags"), key: ["id"], parentKeyNames: ["thing"],
          columns: [try Column("id integer")])
      ]
      let exchange = ScriptedExchange.json { _, _ in "{\"items\":[\(records)]}" }
      let left = try await gallery.run(try Job("shop", things), exchange)
      let certificate = try #require(left.facts.units.first).certificate
      #expect(
        (certificate.cause == .ambiguousKey) == records.contains("},{\"id\":1,\"name"),
        "\(certificate.why)")
      let count = try gallery.rows("SELECT count(*) FROM shop_tags WHERE vanished_at IS NULL")
      #expect(count == ["\(present)"], "\(records)")
    }
  }

  @Test("are two entries, too, that many records share, unless only few are told otherwise")
  func shared() async throws {
    for (others, cause) in [(20, Shortfall.ambiguousKey), (1, nil)] {
      let records = (1...20).map { id in
        let title = id <= others ? "track of \(id)" : "track"
        return #"{"id":\#(id),"name":"a","tracks":[{"n":1,"title":"\#(title)"}]}"#
      }
      let certificate = try await Self.certificate(records.joined(separator: ","), total: 20) {
        $0.children = [
          ChildTable(
            table: "tracks", records: try JSONPath("tracks"), key: ["n"], parentKeyNames: [],
            columns: [try Column("n integer"), try Column("title")])
        ]
      }
      #expect(certificate.cause == cause, "\(certificate.claim): \(certificate.why)")
    }
  }

  @Test(
    "may be one that a search returns with two of its ranks, a list names twice, or a key is made for"
  )
  func ranks() async throws {
    let search = try await Self.certificate(Self.twins) { $0.isSearch = true }
    #expect(search.verdict == .unproven, "\(search.why)")
    let list = try await Self.certificate(Self.twins) {
      var membership = Membership("colors", of: "host", key: "id")
      membership.columns = [try Column("color")]
      $0.membership = membership
    }
    #expect(list.cause != .ambiguousKey, "\(list.why)")
    let made = try await Self.certificate(Self.twins) { $0.columns[0].expression = "value" }
    #expect(made.claim == "complete", "\(made.why)")
  }
}
