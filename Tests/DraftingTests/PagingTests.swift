import Base
import Drafting
import Testing

@Suite("A draft finds how a list is paged by trying page 2")
struct PagingTests {
  private typealias Slice = ScriptedList.Slice

  @Test("Page numbers from 1, a size, and a total that counts right")
  func numbers() throws {
    let list = ScriptedList(url: "https://api.example/v1/things?per_page=5") { query in
      let slice = Slice(query, size: "per_page", usual: 30, most: 50)
      return .init(body: "{\"total\": 23, \"items\": \(slice.records)}")
    }
    let found = try list.drafted()
    #expect(found.stream.pager == .number(parameter: "page", first: 1))
    #expect(found.stream.size == PageSize(parameter: "per_page", value: 100))
    #expect(found.stream.total?.trust == .counted)
    #expect(found.stream.records.text == "items")
    #expect(found.stream.key == ["id"])
    #expect(found.stream.query.isEmpty)
    #expect(found.job.base.description.hasSuffix("/v1"))
  }

  @Test("Pages that are counted from 0 are not begun at 1", arguments: ["", "&page=0", "&page=1"])
  func zero(_ given: String) throws {
    let list = ScriptedList(url: "https://api.example/things?limit=4" + given) { query in
      .init(body: Slice(query, from: 0, usual: 4, of: 30).records)
    }
    #expect(try list.drafted().stream.pager == .number(parameter: "page", first: 0))
  }

  @Test("Offsets, with or without a size in the address", arguments: ["?limit=5", ""])
  func offset(_ given: String) throws {
    let list = ScriptedList(url: "https://api.example/things" + given) { query in
      .init(body: "{\"things\": \(Slice(query, at: "offset", most: 20).records)}")
    }
    let found = try list.drafted()
    #expect(found.stream.pager == .offset(parameter: "offset"))
    #expect(found.stream.size?.parameter == "limit")
  }

  @Test(
    "A place in the list is called as the size's name has it",
    arguments: [
      ("$limit", "$offset"), ("$top", "$skip"), ("rows", "start"), ("retmax", "retstart"),
      ("size", "from"), ("take", "skip"),
    ])
  func pairs(size: String, place: String) throws {
    let list = ScriptedList(url: "https://api.example/things?\(size)=5") { query in
      .init(body: "{\"things\": \(Slice(query, at: place, size: size).records)}")
    }
    let found = try list.drafted()
    #expect(found.stream.pager == .offset(parameter: place), "\(found.asked)")
    #expect(found.stream.size?.parameter == size)
  }

  @Test("Pages beside a size with a mark in front, and links of a list")
  func marked() throws {
    let list = ScriptedList(url: "https://api.example/things?_limit=5") { query in
      .init(body: Slice(query, page: "_page", size: "_limit").records)
    }
    #expect(try list.drafted().stream.pager == .number(parameter: "_page", first: 1))
    let linked = ScriptedList(url: "https://api.example/things?@page_size=5") { query in
      let page = Int(query["@page_index"] ?? "") ?? 1
      let next = "[{\"rel\": \"next\", \"uri\": \"/things?@page_size=5&@page_index=\(page + 1)\"}]"
      let records = Slice((page - 1) * 5, 5, of: 23).records
      return .init(
        body: "{\"@links\": {\"next\": \(page < 5 ? next : "[]")}, \"data\": \(records)}")
    }
    let next = NextPage(.body(try JSONPath("\"@links\".next.0.uri")))
    #expect(try linked.drafted().stream.pager == .chain(next))
  }

  @Test("A place that is a text is a token, and a first token stays the first")
  func tokens() throws {
    let list = ScriptedList(url: "https://api.example/things?pageSize=5") { query in
      let slice = Slice(Int((query["offset"] ?? "itr0").dropFirst(3)) ?? 0, 5, of: 23)
      let next = slice.next.map { ", \"offset\": \"itr\($0)\"" } ?? ""
      return .init(body: "{\"records\": \(slice.records)\(next)}")
    }
    #expect(
      try list.drafted().stream.pager == .token(parameter: "offset", next: try JSONPath("offset")))
    let star = ScriptedList(url: "https://api.example/works?per-page=5&cursor=*") { query in
      guard let cursor = query["cursor"] else { return .init(body: "{\"results\": []}") }
      let slice = Slice(cursor == "*" ? 0 : Int(cursor.dropFirst()) ?? 0, 5, of: 23)
      let next = slice.next.map { "\"c\($0)\"" } ?? "null"
      return .init(
        body: "{\"meta\": {\"next_cursor\": \(next)}, \"results\": \(slice.records)}")
    }
    #expect(try star.drafted().stream.pager.nextPage?.first == "*")
  }

  @Test("A list that is asked by POST has its pages in its body, that of GraphQL in the variables")
  func post() throws {
    var list = ScriptedList(url: "https://api.example/query") { query in
      let slice = Slice(query, at: "start_cursor", size: "page_size", usual: 50)
      let more = "\"has_more\": \(slice.next != nil), \"next_cursor\": \(slice.token)"
      return .init(body: "{\"results\": \(slice.records), \(more)}")
    }
    list.body = #"{"page_size": 5, "start_cursor": null, "filter": {"a": ["b"], "c": "{d}"}}"#
    let found = try list.drafted()
    #expect(found.stream.isPositionInBody && found.stream.size?.isInBody == true)
    #expect(
      found.stream.pager
        == .token(parameter: "start_cursor", next: try JSONPath("next_cursor")))
    #expect(found.draft.text.contains("body: { filter: { a: [\"b\"], c: \"{{d}}\" } },"))
    // What the address of a question leaves out is left out of the body.
    let subject = Subject(
      try WebAddress(list.url), jobName: "mine", date: "2026-01-02",
      body: BodyValue(
        json: try JSONDocument.read(Array(#"{"page_size": 5, "start_cursor": null}"#.utf8)).root))
    let sent = subject.request(try WebAddress(list.url + "?page_size=9")).body
    let root = try JSONDocument.read(try #require(sent).bytes).root
    #expect(root["page_size"]?.integer == 9 && root["start_cursor"] == nil)
    // A token that looks like a number stays the text that the answer had.
    #expect(found.texts == ["start_cursor"])
    let next = subject.request(try WebAddress(list.url + "?start_cursor=5"), text: "start_cursor")
    #expect(next.body.map { String(decoding: $0.bytes, as: UTF8.self) } == #"{"start_cursor":"5"}"#)
    var graph = ScriptedList(url: "https://api.example/graphql") { query in
      let slice = Slice(query, at: "variables.after", size: "variables.first")
      let end = slice.next ?? 23
      let info = "{\"hasNextPage\": \(slice.next != nil), \"endCursor\": \"\(end)\"}"
      return .init(
        body: "{\"data\": {\"things\": {\"nodes\": \(slice.records), \"pageInfo\": \(info)}}}")
    }
    graph.body =
      #"{"query": "query($first: Int, $after: String) { things { nodes { id } } }", "variables": {"first": 5}}"#
    let drafted = try graph.drafted()
    let end = try JSONPath("data.things.pageInfo.endCursor")
    #expect(drafted.stream.pager == .token(parameter: "variables.after", next: end))
    #expect(drafted.stream.body?.isGraphQL == true && drafted.stream.more.count == 1)
    // A query that declares variables, of which none is given.
    let question = "query($after: String) { things(first: 5, after: $after) { nodes { id } } }"
    graph.body = "{\"query\": \"\(question)\"}"
    let bare = try graph.drafted()
    #expect(bare.stream.pager == .token(parameter: "variables.after", next: end))
    #expect(bare.draft.text.contains("query: \"\(question)\""), "\(bare.draft.text)")
  }

  @Test("A token goes back under its own name, or without next")
  func token() throws {
    for (member, parameter) in [
      ("nextPageToken", "pageToken"), ("next_cursor", "cursor"), ("nextToken", "nextToken"),
      ("continuation", "continuation"),
    ] {
      let list = ScriptedList(url: "https://api.example/things?size=5") { query in
        let slice = Slice(Int((query[parameter] ?? "t0").dropFirst()) ?? 0, 5, of: 23)
        let next = slice.next.map { ", \"\(member)\": \"t\($0)\"" } ?? ""
        return .init(body: "{\"things\": \(slice.records)\(next)}")
      }
      let next = try JSONPath(member)
      #expect(try list.drafted().stream.pager == .token(parameter: parameter, next: next))
    }
  }

  @Test("A header Link, an address in the body, and a place to continue at")
  func addresses() throws {
    let link = ScriptedList(url: "https://api.example/things?n=5") { query in
      let slice = Slice(query, at: "last", size: nil)
      return .init(fields: slice.link("/things?n=5&last="), body: slice.records)
    }
    #expect(try link.drafted().stream.pager == .link)
    let url = ScriptedList(url: "https://api.example/things") { query in
      let slice = Slice(query, at: "at", size: nil)
      // Relative to the list's address.
      let next = slice.next.map { "\"things?at=\($0)\"" } ?? "null"
      return .init(body: "{\"count\": 23, \"next\": \(next), \"results\": \(slice.records)}")
    }
    let next = try JSONPath("next")
    #expect(try url.drafted().stream.pager == .address(next: next))
    let wiki = ScriptedList(url: "https://w.example/api.php?list=allpages&aplimit=5") { query in
      let from = Int(query["apcontinue"] ?? "") ?? 0
      let records = Slice(from, 5, of: 23).records
      let next = "{\"apcontinue\": \"\(from + 5)\", \"continue\": \"-||\"}"
      return .init(body: "{\"continue\": \(next), \"query\": {\"allpages\": \(records)}}")
    }
    let found = try wiki.drafted()
    let place = try JSONPath("continue")
    #expect(found.stream.pager == .chain(NextPage(.state(place))))
    #expect(found.stream.name == "allpages")
  }

  @Test("A header that holds the next address, links by relation, and the last record's id")
  func laterForms() throws {
    let header = ScriptedList(url: "https://api.example/records?_limit=5") { query in
      let slice = Slice(query, at: "_token", size: nil)
      var fields = [("Total-Records", "23")]
      if let next = slice.next {
        fields.append(("Next-Page", "https://api.example/records?_limit=5&_token=\(next)"))
      }
      return .init(fields: fields, body: "{\"data\": \(slice.records)}")
    }
    let found = try header.drafted()
    #expect(found.stream.pager == .chain(NextPage(.header("Next-Page"))))
    #expect(found.stream.total?.field == "Total-Records")
    let links = ScriptedList(url: "https://api.example/things") { query in
      let slice = Slice(query, at: "at", size: nil)
      let next = slice.next.map { "{\"rel\": \"next\", \"href\": \"/things?at=\($0)\"}" } ?? ""
      return .init(body: "{\"links\": [\(next)], \"things\": \(slice.records)}")
    }
    let chosen = NextPage(.body(try JSONPath("links[rel=next].href")))
    #expect(try links.drafted().stream.pager == .chain(chosen))
    let after = ScriptedList(url: "https://api.example/charges?limit=5") { query in
      let from = Int(query["starting_after"] ?? "").map { $0 + 1 } ?? 0
      let slice = Slice(from, Int(query["limit"] ?? "") ?? 5, of: 23)
      return .init(body: "{\"has_more\": \(slice.next != nil), \"data\": \(slice.records)}")
    }
    let pager = try after.drafted().stream.pager
    #expect(pager.lastRecord != nil && pager.nextPage?.parameter == "starting_after")
  }

  @Test("A list that fits into one page is asked for in shorter ones, to see how it is paged")
  func short() throws {
    let list = ScriptedList(url: "https://api.example/things?limit=100") { query in
      let slice = Slice(query, usual: 100, of: 12)
      return .init(body: "{\"total_count\": 12, \"items\": \(slice.records)}")
    }
    let found = try list.drafted()
    #expect(found.stream.pager == .number(parameter: "page", first: 1))
    #expect(found.stream.size?.value == 100)
  }

  @Test("A flag that says that more follow is declared in its sense")
  func flags() throws {
    for (flag, isMore) in [("hasNext", true), ("endOfRecords", false)] {
      let list = ScriptedList(url: "https://api.example/things?limit=5") { query in
        let slice = Slice(query, at: "offset", size: nil)
        let isSet = (slice.next != nil) == isMore
        return .init(body: "{\"\(flag)\": \(isSet), \"data\": \(slice.records)}")
      }
      let found = try list.drafted()
      #expect(found.stream.pager == .offset(parameter: "offset"))
      #expect(found.words.contains("more: \"\(isMore ? "" : "not ")\(flag)\""))
    }
  }
}
