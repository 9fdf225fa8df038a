import Base
import Drafting
import Testing

@Suite("A draft tells by its form which list of an answer holds the records")
struct RecordFormTests {
  private func drafted(_ body: String, _ url: String = "https://api.example/find") throws
    -> ScriptedList.Drafted
  {
    try ScriptedList(url: url) { _ in .init(body: body) }.drafted()
  }

  private func numbers(_ count: Int) -> String {
    "[" + (0..<count).map { "\"\(38_000_000 + $0)\"" }.joined(separator: ", ") + "]"
  }

  @Test(
    "A list of ids as long as a page is one, or by far the longest",
    arguments: [
      ("?max=5", "", 5), ("", "\"retmax\": \"20\", ", 20), ("", "", 20),
    ])
  func ids(_ query: String, _ size: String, _ count: Int) throws {
    let found = try drafted(
      "{\"head\": {\"v\": 1}, \"found\": {\"count\": \"1311\", \(size)\"idlist\": \(numbers(count)), "
        + "\"meanings\": [{\"from\": \"a\", \"to\": \"b\"}]}}",
      "https://api.example/find" + query)
    #expect(found.stream.records.text == "found.idlist", "\(found.draft.text)")
    #expect(found.draft.text.contains("{ id: \".\" }"), "\(found.draft.text)")
    #expect(found.stream.key == ["id"] && found.short.contains("columns: [{ id: \".\" }, \"*\"]"))
  }

  @Test(
    "Lists of the same form beside the one that was taken are named, unless the request names it")
  func siblings() throws {
    let (five, two) = (ScriptedList.records(0..<5), ScriptedList.records(7..<9))
    for (body, url, words) in [
      (
        "{\"open\": \(five), \"shut\": \(two), \"new\": \(two)}", "/board",
        "the draft reads open alone, and shut, new beside it have records of the same form"
      ),
      (
        "{\"near\": {\"2026-10-01\": \(five), \"2026-10-02\": \(two)}}",
        "/feed?from=2026-10-01", "beside it has records of the same form"
      ),
      (
        "{\"id\": \(numbers(9)), \"name\": \(numbers(9))}", "/board",
        "the draft reads id alone, and name beside it has records of the same form"
      ),
      ("{\"users\": \(five), \"groups\": \(two)}", "/users", nil),
      ("{\"data\": \(five), \"included\": \(two)}", "/board", nil),
      ("{\"open\": \(five), \"labels\": [{\"id\": 1, \"color\": \"red\"}]}", "/board", nil),
    ] as [(String, String, String?)] {
      let found = try drafted(body, "https://api.example" + url)
      #expect(found.doubts.count == (words == nil ? 0 : 1), "\(body): \(found.doubts)")
      #expect(words.map { found.words.contains($0) } ?? true, "\(found.draft.text)")
    }
  }

  @Test("Texts beside a list of objects are no records")
  func texts() throws {
    for body in [
      "{\"albums\": [{\"id\": 1, \"n\": \"a\"}, {\"id\": 2, \"n\": \"b\"}], \"places\": \(numbers(12))}",
      "{\"places\": \(numbers(12)), \"albums\": [[1, \"a\"], [2, \"b\"], [3, \"c\"]]}",
      "{\"limit\": 3, \"albums\": \(ScriptedList.records(0..<3)), \"places\": \(numbers(3))}",
    ] {
      #expect(try drafted(body).stream.records.text == "albums", "\(body)")
    }
  }

  @Test("Many members of one form are entries, though their ids stand among them")
  func entries() throws {
    let entries = (0..<12).map {
      "\"\(38_000_000 + $0)\": {\"uid\": \"\(38_000_000 + $0)\", \"names\": [{\"name\": \"a\"}]}"
    }
    let map = entries.joined(separator: ", ")
    let found = try drafted(
      "{\"result\": {\"uids\": \(numbers(12)), \(map)}}", "https://api.example/s?retmax=12")
    #expect(found.stream.records.text == "result.*", "\(found.draft.text)")
    // The list of ids is no record.
    #expect(found.stream.key == ["uid"] && found.draft.text.contains("keep: \"uid IS NOT NULL\""))
    #expect(try drafted("{\(map)}").stream.records.text == "*")
  }

  @Test("Lists of one length are columns, and outrank short lists of objects")
  func columns() throws {
    let lists = ["number", "day", "form", "size"].map { name in
      "\"\(name)\": [" + (0..<40).map { "\"\(name)\($0)\"" }.joined(separator: ", ") + "]"
    }
    let columns = "{" + lists.joined(separator: ", ") + "}"
    let former = "[{\"name\": \"a\"}, {\"name\": \"b\"}]"
    for (body, place) in [
      (
        "{\"filings\": {\"recent\": \(columns), \"files\": \(former)}, \"former\": \(former)}",
        "filings.recent"
      ),
      (columns, "."),
    ] {
      let found = try drafted(body)
      #expect(found.stream.readsColumns, "\(found.draft.text)")
      #expect(found.draft.text.contains("records: \"\(place)\""), "\(found.draft.text)")
      #expect(found.stream.columns.map(\.name) == ["number", "day", "form", "size"])
      #expect(found.stream.key == ["number"])
    }
    // Three genres and three countries are no records.
    let one = "\"a\": [1, 2], \"b\": [1, 2], \"c\": [1, 2], \"d\": [1, 2]"
    let found = try drafted("{\"id\": 1, \"x\": 1, \"y\": 1, \"z\": 1, \(one)}")
    #expect(!found.stream.readsColumns)
  }
}
