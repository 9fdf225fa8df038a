import Base
import Drafting
import Testing

@Suite("A draft does not lose the way to page 2 that it saw, nor call one page the list")
struct LostPageTests {
  /// Of 145 records.
  private static func slice(_ from: Int, _ size: Int) -> String {
    ScriptedList.Slice(from, size, of: 145).records
  }

  @Test("Pages that are named only where a page is asked for keep its number in the address")
  func keptNumber() throws {
    let list = ScriptedList(url: "https://api.example/posts?_page=1&_limit=10") { query in
      let size = Int(query["_limit"] ?? "") ?? 10
      guard let page = Int(query["_page"] ?? "") else { return .init(body: Self.slice(0, size)) }
      let next = "</posts?_page=\(page + 1)&_limit=\(size)>; rel=\"next\""
      return .init(
        fields: [("X-Total-Count", "145")] + (page * size < 145 ? [("Link", next)] : []),
        body: Self.slice((page - 1) * size, size))
    }
    let found = try list.drafted()
    #expect(found.stream.pager == .link)
    #expect(found.draft.text.contains("_page: \"1\""), "\(found.draft.text)")
  }

  @Test(
    "Where a total says that there is more, known places are tried without a size",
    arguments: ["start", "from", "skip", "startAt", "retstart", "offset", "$skip"])
  func places(_ place: String) throws {
    let told = [
      "startAt": "\"startAt\": 0, ", "retstart": "\"retmax\": \"10\", ",
      "$skip": "\"@odata.count\": 145, ",
    ]
    let list = ScriptedList(url: "https://api.example/find?q=a") { query in
      // Refuses unknown parameters.
      guard query.keys.allSatisfy({ $0 == "q" || $0 == place }) else {
        return .init(status: 400, body: "{}")
      }
      let from = Int(query[place] ?? "") ?? 0
      let total = place == "$skip" ? "" : "\"total\": 145, "
      return .init(body: "{\(told[place] ?? "")\(total)\"hits\": \(Self.slice(from, 10))}")
    }
    let found = try list.drafted()
    #expect(found.stream.pager == .offset(parameter: place), "\(found.asked)")
    #expect(found.lack == nil)
  }

  @Test("A total above what came, and a round number of records, are not the whole list")
  func lacks() throws {
    for (envelope, count, lack) in [
      ("\"total\": 145, ", 20, "total says 145, and page 1 has 20 records"),
      ("", 10, "page 1 has exactly 10 records, as pages of longer lists have"),
      ("", 25, "page 1 has exactly 25 records, as pages of longer lists have"),
      ("\"has_more\": true, ", 3, "page 1 says that more follow"),
      ("", 13, nil), ("\"total\": 10, ", 10, nil), ("\"has_more\": false, ", 10, nil),
    ] {
      let list = ScriptedList(url: "https://api.example/things") { _ in
        .init(body: "{\(envelope)\"items\": \(Self.slice(0, count))}")
      }
      #expect(try list.drafted().lack == lack, "\(envelope)\(count)")
    }
  }

  @Test("A feed is read as one; if it is a file, it shows its newest entries: how many is no sign")
  func feeds() throws {
    for (url, hasLack) in [
      ("https://a.example/feed.xml", false), ("https://a.example/query?q=a", true),
    ] {
      let items = (0..<10).map { "<item><title>t\($0)</title><guid>g\($0)</guid></item>" }
      let list = ScriptedList(url: url) { _ in
        .init(
          body: "<rss version=\"2.0\"><channel><title>x</title>\(items.joined())</channel></rss>")
      }
      let found = try list.drafted()
      #expect((found.lack != nil) == hasLack)
      #expect(found.stream.readsFeed && found.stream.records.text == "items")
      #expect(found.stream.key == ["id"])
    }
  }

  @Test("An address that leads on without end ends at an empty page", arguments: [true, false])
  func endless(_ isEndless: Bool) throws {
    let list = ScriptedList(url: "https://api.example/things?limit=10") { query in
      let from = Int(query["offset"] ?? "") ?? 0
      let size = Int(query["limit"] ?? "") ?? 10
      let next =
        isEndless || from + size < 145
        ? ", \"next\": \"/things?limit=\(size)&offset=\(from + size)\"" : ""
      return .init(body: "{\"total\": 145, \"items\": \(Self.slice(from, size))\(next)}")
    }
    let found = try list.drafted()
    #expect(found.stream.pager.nextPage?.endsEmpty == isEndless, "\(found.draft.text)")
  }

  @Test("A server that leaves records out of its pages is asked for pages as long as were given")
  func leftOut() throws {
    let found = try ScriptedList(url: "https://api.example/things?limit=20") { query in
      let (from, size) = (Int(query["offset"] ?? "") ?? 0, Int(query["limit"] ?? "") ?? 20)
      let numbers = (from..<max(from, min(145, from + size))).filter { $0 % 4 != 3 }
      return .init(body: "{\"items\": \(ScriptedList.records(numbers))}")
    }.drafted()
    #expect(found.stream.pager == .offset(parameter: "offset"), "\(found.asked)")
    #expect(found.stream.size?.value == 20, "\(found.draft.text)")
  }

  @Test("An answer that is shorter than was asked for has not said that it is whole")
  func shorter() throws {
    let found = try ScriptedList(url: "https://api.example/things?limit=20") { _ in
      .init(body: "{\"items\": \(Self.slice(0, 1))}")
    }.drafted()
    #expect(!found.words.contains("says that it is the whole list"))
    #expect(
      found.words.contains("seems to be the whole list: 1 record came, and more were asked for"))
  }
}
