import Base
import TestSupport
import Testing

@Suite("What an answer says of more, and its job does not read, is never quiet", .prompt)
struct UnreadRunTests {
  private let home = Home()

  private static func job(
    _ server: AnswerServer, _ home: Home, pages: String? = nil, _ more: String = ""
  ) -> String {
    let pages =
      pages
      ?? "by: \"token\", to: \"?after\", next: \"next\", size: \"?size=3\""
    let text = Shelf.job(base: server.origin, pages: pages)
    return home.write(
      text.pieces(around: "key: [\"id\"],")
        .joined(separator: "key: [\"id\"], vanish: \"mark\", \(more)"), to: "shelf.json5")
  }

  private static func trust(_ home: Home) throws -> [String] {
    try home.tables.texts("SELECT rows, verdict, cause, proof FROM trawl_trust")
  }

  @Test("the job says that it knows, and then it harms nothing; check and try show what is there")
  func known() async throws {
    let server = AnswerServer { _ in
      .json("{\"items\": [{\"id\": 0}, {\"id\": 1}], \"cursor\": \"abc\"}")
    }
    let pages = "by: \"single\""
    let job = Self.job(server, home, pages: pages)
    await home.trawl("try", job, showing: "cursor", "abc")
    await home.trawl("run", job, ends: 0)
    #expect(try Self.trust(home) == ["2|unproven|NULL|NULL"])
    await home.trawl("check", job, showing: "unread: [\"cursor\"]")
    _ = Self.job(server, home, pages: pages, "unread: [\"cursor\"],")
    await home.trawl("run", job, ends: 0)
    #expect(try Self.trust(home) == ["2|complete|NULL|one answer"])
    let after = await home.trawl("check", job)
    #expect(!after.output.holds("unread"), "\(after.output)")
  }

  @Test("what is requested again is requested past caches")
  func caches() async throws {
    let server = AnswerServer { call in
      .json(
        call.target.holds("after=3")
          ? "{\"items\": [{\"id\": 4, \"title\": \"t\"}]}"
          : "{\"items\": [{\"id\": 1, \"title\": \"t\"}, {\"id\": 2, \"title\": \"t\"}], \"next\": \"3\"}"
      )
    }
    let job = Self.job(server, home)
    await home.trawl("run", job, ends: 0)
    #expect(try Self.trust(home) == ["3|complete|NULL|ends"])
    #expect(server.calls.map { $0.field("Cache-Control") } == [nil, nil, "no-cache"])
  }

  @Test("a sign that was seen to work says nothing of one that is declared elsewhere")
  func otherSign() async throws {
    let count = Locked(8)
    let server = AnswerServer { call in
      let all = count.withLock { $0 }
      let (from, size) = (call.number("after") ?? 0, call.number("size") ?? 3)
      let items = (from..<min(all, from + size)).map { "{\"id\": \($0), \"title\": \"t\"}" }
      let next = from + size < all ? "\"\(from + size)\"" : "null"
      return .json("{\"items\": [\(items.joined(separator: ", "))], \"onward\": \(next)}")
    }
    func pages(_ next: String) -> String {
      "by: \"token\", to: \"?after\", next: \"\(next)\", size: \"?size=3\""
    }
    let job = Self.job(server, home, pages: pages("onward"))
    await home.trawl("run", job, ends: 0)
    count.withLock { $0 = 3 }
    _ = Self.job(server, home, pages: pages("forward"))
    await home.trawl("run", job, ends: 0)
    #expect(try home.tables.texts("SELECT verdict FROM trawl_trust") == ["unproven"])
  }
}
