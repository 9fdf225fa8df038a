import Base
import TestSupport
import Testing

/// An API that says more than its job reads, though each of its answers is true.
private struct HonestAPI: Sendable, CustomTestStringConvertible {
  var name: String
  /// How the job reads it.
  var stream: String
  /// Lengths with which the end of such a list can be shown.
  var counts = [2, 4, 7, 11, 13]
  /// The answer of a list of so many records.
  var answer: @Sendable (Request, Int) -> Answer

  var testDescription: String { name }

  /// What an answer says, and its records: all of them, or five at most from a position on.
  private static func json(
    _ request: Request, _ says: String, _ count: Int, from: Int? = nil, _ fields: [HeaderField] = []
  ) -> Answer {
    let range = from.map { min($0, count)..<min($0 + 5, count) } ?? 0..<count
    let items = range.map { #"{"id":\#($0)}"# }.joined(separator: ",")
    return .json(request, #"{\#(says)"items":[\#(items)]}"#, fields)
  }

  static let all = [
    HonestAPI(
      name: "refuses the page behind the last",
      stream: #"pages: { by: "number", to: "?page", size: "?size=5" }, total: "count counted""#,
      counts: [2, 7, 10, 15]
    ) { request, count in
      let from = ((request.number("page") ?? 1) - 1) * 5
      guard from == 0 || from < count else {
        return .json(request, #"{"detail":"x"}"#, status: 404)
      }
      return json(request, #""count":\#(count),"#, count, from: from)
    },
    HonestAPI(
      name: "names its first page as the last, in another spelling",
      stream: #"pages: { by: "link", size: "?size=5" }"#
    ) { request, count in
      let number = request.number("page") ?? 1
      let last = max(1, (count + 4) / 5)
      func link(_ page: Int, _ relation: String) -> String {
        "</t?page=\(page)&size=5&x=1>; rel=\"\(relation)\""
      }
      let links =
        [link(1, "first"), link(last, "last")] + (number < last ? [link(number + 1, "next")] : [])
      let field = HeaderField("Link", links.joined(separator: ", "))
      return json(request, "", count, from: (number - 1) * 5, [field])
    },
    HonestAPI(
      name: "names a next page beyond the last, too",
      stream: #"pages: { by: "offset", to: "?offset", size: "?limit=5" }, total: "total counted""#
    ) { request, count in
      let from = request.number("offset") ?? 0
      let next = "/t?offset=\(from + 5)&limit=5"
      return json(
        request, #""total":\#(count),"_links":{"next":"\#(next)"},"#, count, from: from)
    },
    HonestAPI(
      name: "counts what it was asked for",
      stream:
        #"pages: { by: "offset", to: "?start", size: "?count=5" }, total: "paging.total counted""#
    ) { request, count in
      let from = request.number("start") ?? 0
      return json(
        request, #""paging":{"start":\#(from),"count":5,"total":\#(count)},"#, count, from: from)
    },
    HonestAPI(
      name: "has a flag for more in each page but the last",
      stream: #"pages: { by: "offset", to: "?from", size: "?limit=5" }"#
    ) { request, count in
      let from = request.number("from") ?? 0
      let flag = from + 5 < count ? #""exceededTransferLimit":true,"# : ""
      return json(request, flag, count, from: from)
    },
    HonestAPI(
      name: "says that all went well",
      stream: #"pages: { by: "single" }, total: "Count counted""#
    ) { request, count in
      json(request, #""Count":\#(count),"Message":"Response returned successfully","#, count)
    },
    HonestAPI(
      name: "is asked for days, of which there are as many as records",
      stream: #"query: { days: "7" }, pages: { by: "single" }"#
    ) { request, count in json(request, "", count) },
    HonestAPI(
      name: "has the list in a task that is not done",
      stream: #"pages: { by: "single" }"#
    ) { request, count in
      json(request, #""id":1,"code":"420","done":false,"#, count)
    },
  ]
}

@Suite("An honest list at rest")
struct HonestListTests {
  @Test("is complete on its third night, whatever else its answers say", arguments: HonestAPI.all)
  private func honest(api: HonestAPI) async throws {
    for count in api.counts {
      let gallery = Gallery()
      let job = try Job.file(
        #"t: { get: "/t", records: "items", key: ["id"], columns: { id: "id as integer" }, \#(api.stream) }"#,
        name: "honest")
      let exchange = ScriptedExchange.answering { request, _ in api.answer(request, count) }
      for _ in 0..<3 { _ = try await gallery.run(job, exchange, then: .day) }
      let why = try gallery.rows("SELECT why FROM trawl_trust").joined()
      let claims = try gallery.rows("SELECT verdict, rows FROM trawl_trust")
      #expect(claims == ["complete|\(count)"], "\(why)")
      #expect(try await gallery.proves())
    }
  }
}
