import Base
import Drafting
import Testing

@Suite("A draft believes nothing that it has not seen")
struct HostileListTests {
  private func same(_ body: String, _ fields: [(String, String)] = []) -> ScriptedList {
    ScriptedList(url: "https://api.example/things?limit=3") { _ in .init(fields: fields, body: body)
    }
  }

  @Test("Page 2 that is page 1 once more is no page 2, and the draft says that there may be more")
  func sameAgain() throws {
    let found = try same("{\"has_more\": true, \"data\": \(ScriptedList.records(0..<3))}").drafted()
    #expect(found.stream.pager == .single)
    #expect(found.words.contains("No way to page 2 was found"))
    #expect(found.asked.count <= 4)
  }

  @Test("A page of the greatest number is a page like any other")
  func greatest() throws {
    let found = try ScriptedList(url: "https://api.example/things/page/\(Int.max)") { sent in
      sent["x"] == nil
        ? .init(
          body: "{\"next\": \"/things/page/1?x=1\", \"data\": \(ScriptedList.records(0..<3))}")
        : .init(body: "{\"data\": \(ScriptedList.records(3..<6))}")
    }.drafted()
    #expect(found.doubts == [] && found.stream.pager != .single)
  }

  @Test("A next page at another origin is never asked for")
  func elsewhere() throws {
    for fields in [[("Link", "<https://evil.example/things>; rel=\"next\"")], []] {
      let next = fields.isEmpty ? ", \"next\": \"//evil.example/things\"" : ""
      let found = try same("{\"data\": \(ScriptedList.records(0..<3))\(next)}", fields).drafted()
      #expect(found.asked.allSatisfy { $0.hasPrefix("https://api.example/") })
      #expect(found.words.contains("leads to another origin, https://evil.example"))
    }
  }

  @Test(
    "A total that is too small is not believed; behind one that is too large no list is complete",
    arguments: [12, 200])
  func total(_ told: Int) throws {
    let list = ScriptedList(url: "https://api.example/things?per_page=5") { query in
      let size = min(Int(query["per_page"] ?? "") ?? 5, 5)
      let from = ((Int(query["page"] ?? "") ?? 1) - 1) * size
      let numbers = from < 23 ? Array(from..<min(23, from + size)) : []
      return .init(body: "{\"total\": \(told), \"items\": \(ScriptedList.records(numbers))}")
    }
    let found = try list.drafted()
    #expect(found.stream.total?.trust == (told == 12 ? .worthless : .estimate))
    #expect(
      found.words.contains(told == 12 ? "not trusted" : "If the API cuts the list there, write cap")
    )
  }

  @Test("What is no list is refused with its reason")
  func noList() throws {
    for (reply, why) in [
      (ScriptedList.Reply(body: "<html><body>hello"), "not JSON"),
      (.init(body: "{\"items\": []}"), "the list is empty"),
      (.init(status: 500, body: "{}"), "HTTP 500"), (.init(body: ""), "the answer is empty"),
      (.init(body: "7"), "holds no list"),
    ] {
      let list = ScriptedList(url: "https://api.example/things") { _ in reply }
      #expect {
        _ = try list.drafted()
      } throws: { "\($0)".contains(why) }
    }
  }

  @Test("Names and texts of an API cannot break out of the file")
  func texts() throws {
    let list = ScriptedList(url: "https://api.example/things?q=%22%7D%20%2F%2F%0A%7Bx%7D") { _ in
      .init(
        fields: [("X-RateLimit-Limit", "60"), ("X-RateLimit-Resource", "*/ \"x\n")],
        body: """
          {"a\\"b": [{"id": "1", "x\\ny": 1, "select": 2, "\\u202e": 3, "as time": 4, "1": {"2": 5}, "a|b": 6},
          {"id": "2", "x\\ny": 1, "select": 2, "as time": 4}]}
          """)
    }
    let found = try list.drafted()
    #expect(found.stream.columns.map(\.name).contains("select_"))
    #expect(!found.draft.text.unicodeScalars.contains { $0 == "\u{202e}" })
    // Braces of a header are no hole.
    var filtered = same("[{\"id\": 1}, {\"id\": 2}]")
    filtered.headers = [HeaderField("X-Filter", "{a}")]
    #expect(try filtered.drafted().stream.fields == filtered.headers)
  }
}
