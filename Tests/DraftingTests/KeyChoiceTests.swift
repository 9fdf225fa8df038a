import Base
import Drafting
import Testing

@Suite("The key of a draft")
struct KeyChoiceTests {
  /// 137 records by cursor, five on a page by default, at most 50.
  private func drafted(_ record: @escaping (Int) -> String) throws -> ScriptedList.Drafted {
    try ScriptedList(url: "https://desk.example/v2/tickets?limit=5") { sent in
      let first = Int(sent["cursor"] ?? "0") ?? 0
      let end = min(137, first + min(50, Int(sent["limit"] ?? "5") ?? 5))
      let records = (first..<end).map(record).joined(separator: ", ")
      let more = end < 137
      return .init(
        body: "{\"data\": [\(records)], \"paging\": {\"has_more\": \(more), "
          + "\"next_cursor\": \(more ? "\"\(end)\"" : "null")}}")
    }.drafted()
  }

  @Test(
    "is the record's own number, never that of another object that it names",
    arguments: ["ticket_no", "serial"])
  func own(name: String) throws {
    let found = try drafted { number in
      "{\"requester\": {\"id\": \(number % 17)}, \"subject\": \"s\(number % 5)\", "
        + "\"\(name)\": \"T-\(number)\"}"
    }
    #expect(found.stream.key == [name], "\(found.draft.text)")
    #expect(found.words.contains("In all 60 records seen it tells them apart."), "\(found.words)")
  }

  @Test("is a number of its own before an address")
  func address() throws {
    let found = try drafted { number in
      "{\"cover_url\": \"https://img.example/\(number).png\", \"isbn\": \"978-\(number)\"}"
    }
    #expect(found.stream.key == ["isbn"], "\(found.draft.text)")
  }

  @Test("survives a record that came twice, and is none where others share its value")
  func twice() throws {
    let repeated = try drafted { number in "{\"gif\": \"g\(number == 3 ? 2 : number)\", \"n\": 1}" }
    #expect(repeated.stream.key == ["gif"], "\(repeated.draft.text)")
    let shared = try drafted { number in
      "{\"gif\": \"g\(number == 3 ? 2 : number)\", \"n\": \(number % 4)}"
    }
    #expect(shared.stream.key == ["position"], "\(shared.draft.text)")
  }

  @Test("of one record alone is a guess")
  func one() throws {
    let found = try ScriptedList(url: "https://desk.example/v2/things") { _ in
      .init(body: "{\"data\": [{\"id\": 1, \"n\": \"a\"}]}")
    }.drafted()
    #expect(found.words.contains("nothing shows yet that this tells records apart"))
  }
}
