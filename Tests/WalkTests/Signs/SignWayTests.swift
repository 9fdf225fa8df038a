import Base
import Walk
import Testing

@Suite("What an answer says of more on the way to its records")
struct SignWayTests {
  @Test(
    "counts in each list that the path goes through, and in a chosen entry",
    arguments: [
      (
        "groups.*.items.*", #"{"groups":[{"items":[1]},{"items":[2,3],"has_more":true}]}"#,
        "groups.*.has_more part"
      ),
      (
        "groups.*.items.*", #"{"groups":{"a":{"items":[1],"paging":{"next":"/2"}}}}"#,
        "groups.*.paging.next part"
      ),
      ("groups.*.items.*", #"{"groups":[{"items":[1],"total":90}]}"#, "groups.*.total part"),
      ("*.items.*", #"[{"items":[1],"items_count":90}]"#, "*.items_count part"),
      (
        "data.nodes.*.issues.nodes.*",
        #"{"data":{"nodes":[{"name":"a","issues":{"totalCount":40,"nodes":[1]}}]}}"#,
        "data.nodes.*.issues.totalCount part"
      ),
      ("results[-1].items", #"{"results":[{"items":[1],"total":70}]}"#, "results[-1].total length"),
      (
        "results[rel=a].items", #"{"results":[{"rel":"a","items":[1],"next":"x"}]}"#,
        "results[rel=a].next more"
      ),
      // The sum of an order; what a record says of itself; all that came.
      ("groups.*.items.*", #"{"groups":[{"id":1,"items":[1],"total":90}]}"#, nil),
      ("groups.*.items.*", #"{"groups":[{"title":"a","items":[1],"total":90}]}"#, nil),
      ("edges.*.node", #"{"edges":[{"cursor":"c","node":{"id":1,"has_more":true}}]}"#, nil),
      ("groups.*.items.*", #"{"groups":[{"items":[1],"total":1,"has_more":false}]}"#, nil),
    ] as [(String, String, String?)])
  func way(records: String, body: String, sign: String?) throws {
    #expect(try FakeJob.signs(body, records: records) == [sign].compactMap(\.self))
  }

  @Test("counts in a nested list that is spread over several, unless the job knows it")
  func nested() throws {
    func signs(unread: [[String]]) throws -> [String] {
      try FakeJob.signs(
        #"{"items":[{"id":1,"groups":[{"nodes":[1]},{"nodes":[2],"has_more":true}]}]}"#
      ) { stream in
        stream.children = [try FakeJob.child("parts", at: "groups.*.nodes.*")]
        stream.unread = unread
      }
    }
    #expect(try signs(unread: []) == ["items.*.groups.*.has_more part"])
    #expect(try signs(unread: [["items", "*", "groups", "*", "has_more"]]) == [])
  }

  @Test("counts beside lists that are the columns of the records, whatever those are called")
  func columns() throws {
    let columns = #""id":[1,2],"next":["a","b"],"id":[3,4]"#
    let said = #""has_more":true,"total":500,"next_cursor":"abc","limit":2"#
    for (place, front) in [(".", ""), ("data", "data.")] {
      let body = place == "." ? "{\(columns),\(said)}" : "{\"data\":{\(columns),\(said)}}"
      let signs = try FakeJob.signs(body, records: place, at: "https://api.example/v1/things") {
        $0.readsColumns = true
      }
      #expect(
        signs
          == [
            "id twice", "has_more more", "total length", "next_cursor more", "limit unclear",
          ].map { front + $0 })
    }
  }

  @Test(
    "says by the address of a last page behind this one that this is not the last",
    arguments: [
      (#""links":{"last":"LAST"}"#, "links.last"), (#""last_page":"LAST""#, "last_page"),
      (#""_links":{"last":{"href":"LAST"}}"#, "_links.last"),
      (#""_links":[{"rel":"last","href":"LAST"}]"#, "_links.last"),
      ("", "Link"),
    ])
  func last(member: String, place: String) throws {
    func signs(_ last: String, isRead: Bool = false) throws -> [String] {
      let said = member.isEmpty ? "" : "," + member.replacing("LAST", with: last)
      let fields = member.isEmpty ? [HeaderField("Link", "<\(last)>; rel=\"last\"")] : []
      return try FakeJob.signs(
        "{\"items\":[1]\(said)}", fields, pager: FakeJob.address(),
        at: "https://api.example/v1/things?p=3&size=5"
      ) { stream in
        if isRead { stream.lastPage = .body([try JSONPath("pages.last")]) }
      }
    }
    let far = "/v1/things?size=5&p=9"
    #expect(try signs(far) == ["\(place) more"])
    #expect(try signs(far, isRead: true) == [])
    // This page, one before it, a cursor, another list.
    for other in ["size=5&p=3", "size=5&p=2", "size=5&p=x9", "size=6&p=9"] {
      #expect(try signs("/v1/things?\(other)") == [], "\(other)")
    }
    // A size that was not requested.
    #expect(try signs("/v1/things?size=5&p=3&per_page=5") == [])
    #expect(try signs("/v1/others?size=5&p=9") == [])
  }

  @Test("leaves out the archive of a feed that is read for its newest entries")
  func newest() throws {
    let signs = try FakeJob.signs(#"{"items":[1],"prevArchive":"/2025"}"#) { $0.isSearch = true }
    #expect(signs == [])
  }

  @Test("knows by its address a page before the first one, not one for what comes later")
  func addressBefore() throws {
    for (link, own, isBefore) in [
      ("page=2", "page=3", true), ("min_id=9", "limit=3", false), ("since=9", "since=5", false),
    ] {
      let head = HeaderField("Link", "<https://api.example/v1/things?\(link)>; rel=\"prev\"")
      let at = "https://api.example/v1/things?\(own)"
      let signs = try FakeJob.signs(#"{"items":[]}"#, [head], pager: .link, at: at)
      #expect(signs.contains("Link before") == isBefore, "\(link) beside \(own)")
    }
  }

  @Test("says that a list by token is not read from its first page")
  func beforeFirst() throws {
    var later = NextPage(.body(try JSONPath("next")), parameter: "token")
    // Page 1 may name itself as the one before.
    for (first, previous, isBefore) in [
      ("20", #""10""#, true), ("20", "10", true), ("b", #""a""#, true), ("1", "1", false),
    ] {
      later.first = first
      let signs = try FakeJob.signs(
        "{\"items\":[1],\"previous\":\(previous)}", pager: .chain(later))
      #expect(signs == (isBefore ? ["previous before"] : []), "\(first), \(previous)")
    }
  }
}
