import Base
import Drafting
import Testing

@Suite("A drafted list is not called complete by what nobody saw")
struct FalseCompleteTests {
  private typealias Slice = ScriptedList.Slice

  /// Numbers below `count`, in a given form; a page has `limit` of them, at most `most`.
  private func list(
    _ query: String, count: Int, most: Int = 100,
    from begin: @escaping ([String: String], Int) -> Int = { query, size in
      ((Int(query["page"] ?? "") ?? 1) - 1) * size
    },
    _ body: @escaping (_ records: String, _ came: Int) -> String
  ) -> ScriptedList {
    ScriptedList(url: "https://api.example/things?\(query)") { query in
      let size = min(Int(query["limit"] ?? "") ?? most, most)
      let from = min(count, max(0, begin(query, size)))
      let numbers = Array(from..<min(count, from + size))
      return .init(body: body(ScriptedList.records(numbers), numbers.count))
    }
  }

  @Test(
    "The length of a page is no total of the list, nor one that every full page tells where no other size was tried",
    arguments: [("limit=5", 250, 100), ("", 57, 10)])
  func lengthOfPage(query: String, count: Int, most: Int) throws {
    let found = try list(query, count: count, most: most) {
      #"{"count": \#($1), "items": \#($0)}"#
    }.drafted()
    #expect(found.stream.total == nil, "\(found.draft.text)")
    #expect(found.stream.pager == .number(parameter: "page", first: 1))
  }

  @Test(
    "A page that came shorter than was requested sets the size: pages may be counted by what is requested"
  )
  func shortPage() throws {
    let found = try list(
      "limit=10", count: 230, most: 50,
      from: { query, size in
        ((Int(query["page"] ?? "") ?? 1) - 1) * (Int(query["limit"] ?? "") ?? size)
      }
    ) { records, _ in #"{"items": \#(records)}"# }.drafted()
    #expect(found.stream.size?.value == 50, "\(found.draft.text)")
  }

  @Test("A number of pages beside a page of which no second one was found says that there are more")
  func pagesBeside() throws {
    let found = try list("", count: 7, most: 7, from: { _, _ in 0 }) { records, _ in
      #"{"pageCount": 9, "items": \#(records)}"#
    }.drafted()
    #expect(found.lack?.contains("says 9 pages") == true, "\(found.lack ?? "")")
  }

  @Test("A list of which no second page was found is no whole one", arguments: [5, 10])
  func truncated(_ limit: Int) throws {
    let found = try list("limit=\(limit)", count: 8, from: { _, _ in 0 }) { records, _ in
      #"{"items": \#(records)}"#
    }.drafted()
    #expect(found.stream.pager == .single && found.stream.isSearch, "\(found.draft.text)")
    // It is requested like the user did, although shorter pages were tried.
    #expect(found.draft.text.contains("limit: \"\(limit)\""))
  }

  @Test("Flags of the answer, and totals below what came, say nothing of more")
  func flags() throws {
    for envelope in ["\"timed_out\": false", "\"complete\": true", "\"total\": -1"] {
      let found = try list("limit=5", count: 8, from: { _, _ in 0 }) { records, _ in
        "{\(envelope), \"items\": \(records)}"
      }.drafted()
      let saysWhole = found.words.contains("says that it is the whole list")
      #expect(found.stream.isSearch && !saysWhole, "\(envelope)")
    }
    let whole = try list("limit=5", count: 3, from: { _, _ in 0 }) { records, _ in
      #"{"has_more": false, "items": \#(records)}"#
    }.drafted()
    #expect(!whole.stream.isSearch && whole.words.contains("says that it is the whole list"))
  }

  @Test("A total behind whose end there are records counts something else")
  func totalTooLow() throws {
    let found = try list("limit=5", count: 23, most: 5) { records, _ in
      #"{"total": 10, "items": \#(records)}"#
    }.drafted()
    #expect(found.stream.total?.trust != .counted, "\(found.draft.text)")
    #expect(found.words.contains("there are records after that end: not trusted"))
  }

  @Test("A list is drafted from its first page, wherever the address stands")
  func laterPage() throws {
    for (query, pager) in [
      ("page=3&limit=2", Pager.number(parameter: "page", first: 0)),
      ("offset=4&limit=2", .offset(parameter: "offset")),
      ("cursor=zz&limit=2", .number(parameter: "page", first: 0)),
    ] {
      let found = try list(
        query, count: 23,
        from: { query, size in
          Int(query["offset"] ?? "") ?? (Int(query["page"] ?? "") ?? 0) * size
        }
      ) { records, _ in #"{"items": \#(records)}"# }.drafted()
      #expect(found.stream.pager == pager, "\(found.draft.text)")
      #expect(found.words.contains("a job begins with the first page"))
    }
  }

  @Test("A list is drafted from its first page, whichever place in it the address names")
  func laterPlace() throws {
    let link = ScriptedList(url: "https://api.example/things?limit=5&since=20") { query in
      let slice = Slice(query, at: "since", of: 60)
      return .init(fields: slice.link("/things?limit=5&since="), body: slice.records)
    }
    // Counted from 0, and the address of page 1 begins one page late.
    let pages = ScriptedList(url: "https://api.example/things?limit=5&page=2") { query in
      let (size, page) = (Int(query["limit"] ?? "") ?? 5, Int(query["page"] ?? "") ?? 0)
      let slice = Slice(page * size, size, of: 60)
      let named = slice.next == nil ? "null" : "\"/things?limit=\(size)&page=\(page + 1)\""
      return .init(body: "{\"next\": \(named), \"items\": \(slice.records)}")
    }
    // The first page shares records with the one that was given.
    let token = ScriptedList(url: "https://api.example/things?limit=5&continuation=2") { query in
      let slice = Slice(query, at: "continuation", of: 60)
      let named = slice.next.map { ", \"continuation\": \"\($0)\"" } ?? ""
      return .init(body: "{\"items\": \(slice.records)\(named)}")
    }
    var post = ScriptedList(url: "https://api.example/query") { query in
      let slice = Slice(query, at: "start_cursor", of: 60)
      return .init(body: "{\"results\": \(slice.records), \"next_cursor\": \(slice.token)}")
    }
    post.body = #"{"limit": 5, "start_cursor": "20"}"#
    let state = ScriptedList(
      url: "https://w.example/api.php?list=things&limit=5&apcontinue=20&continue=-||"
    ) { query in
      let slice = Slice(query, at: "apcontinue", of: 60)
      let place = slice.next.map {
        "\"continue\": {\"apcontinue\": \"\($0)\", \"continue\": \"-||\"}, "
      }
      return .init(body: "{\(place ?? "")\"query\": {\"things\": \(slice.records)}}")
    }
    for list in [link, pages, token, post, state] {
      let found = try list.drafted()
      #expect(found.words.contains("left out: a job begins with the first page"))
      #expect(found.stream.pager.nextPage?.first == nil, "\(found.draft.text)")
      for place in ["since", "page", "continuation", "apcontinue", "continue"] {
        #expect(!found.stream.query.contains { $0.name == place }, "\(found.draft.text)")
      }
    }
  }

  @Test("What a list cannot be read without, or is only written in another way, is no place in it")
  func keptParameters() throws {
    let token = ScriptedList(url: "https://api.example/things?limit=5&start_cursor=AAA") { query in
      guard query["start_cursor"] != nil else { return .init(status: 400, body: "{}") }
      let slice = Slice(query, at: "start_cursor", of: 60)
      return .init(body: "{\"results\": \(slice.records), \"next_cursor\": \(slice.token)}")
    }
    #expect(try token.drafted().stream.pager.nextPage?.first == "AAA")
    let filter = ScriptedList(url: "https://api.example/things?limit=5&open=True") { query in
      let from = Int(query["at"] ?? "") ?? (query["open"] == nil ? 30 : 0)
      let slice = Slice(from, Int(query["limit"] ?? "") ?? 5, of: 60)
      return .init(fields: slice.link("/things?limit=5&open=true&at="), body: slice.records)
    }
    let found = try filter.drafted()
    #expect(found.stream.pager == .link && found.draft.text.contains("open: \"True\""))
  }

  @Test("A list that cannot be read from where it begins is told")
  func earlier() throws {
    let list = ScriptedList(url: "https://api.example/things?limit=5&state=20") { query in
      let slice = Slice(query, at: "state", of: 60)
      let link = slice.link("/things?limit=5&state=")
      return .init(fields: query["state"] == nil ? [] : link, body: slice.records)
    }
    #expect(
      try list.drafted().doubts == [
        "without state other records come, and no next page is named: look whether the list begins there"
      ])
  }

  @Test("The path of a later page is told")
  func laterPath() throws {
    var sent = 0
    let list = ScriptedList(url: "https://api.example/things/page/3") { _ in
      sent += 1
      let begin = sent * 5
      return .init(
        fields: [("Link", "</things/page/4>; rel=\"next\"")],
        body: ScriptedList.records(begin..<begin + 5))
    }
    #expect(
      try list.drafted().doubts == [
        "/things/page/3 seems to be page 3 of its list: give the address of page 1"
      ])
  }

  @Test("A filter by a date is no offset")
  func dates() throws {
    let found = try list("from=2024-01-01&limit=5", count: 50) { records, _ in
      #"{"items": \#(records)}"#
    }.drafted()
    #expect(found.asked.allSatisfy { $0.contains("from=2024-01-01") })
    #expect(found.stream.pager == .number(parameter: "page", first: 1))
  }

  @Test("An answer that tells of an error is no list of records")
  func errors() {
    for body in [
      #"{"errors": [{"message": "no"}, {"message": "nor"}]}"#,
      #"{"message": "Not Found", "status": "404"}"#,
    ] {
      let list = ScriptedList(url: "https://api.example/things") { _ in .init(body: body) }
      #expect(throws: DraftProblem.self, "\(body)") { _ = try list.drafted() }
    }
  }

  @Test("Whatever an answer holds, a draft comes to an end, and can be read")
  func hostile() throws {
    let wide = "[" + (0..<50_000).map(String.init).joined(separator: ",") + "]"
    let nulls = (0..<5_000).map { "\"m\($0)\": null" }.joined(separator: ",")
    for body in [
      #"{"total": 9223372036854775807, "items": \#(ScriptedList.records(0..<5))}"#,
      #"[{"id": 1, "-1": 1, "+1": 2}]"#, "[\(wide), \(wide)]", "[{\"id\": 1, \(nulls)}]",
      #"[{"position": 1, "a": "x"}, {"position": 1, "a": "x"}, {"position": 1, "a": "x"}]"#,
    ] {
      let list = ScriptedList(url: "https://api.example/things?limit=5") { _ in
        .init(fields: [("X-RateLimit-Limit", "99999999999999")], body: body)
      }
      let found = try list.drafted()
      #expect(found.draft.text.utf8.count < 60_000, "\(body.prefix(80))")
    }
  }
}
