import Base
import Drafting
import Testing

@Suite("A drafted list is not called complete by what nobody saw")
struct FalseCompleteTests {
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

  @Test("A list is drafted from its first page, wherever the address stands")
  func laterPage() throws {
    for (query, pager) in [
      ("page=3&limit=2", Pager.number(parameter: "page", first: 0)),
      ("offset=4&limit=2", .offset(parameter: "offset")),
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
      #expect(throws: Drafter.Problem.self, "\(body)") { _ = try list.drafted() }
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
