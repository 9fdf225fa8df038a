import Base
import TestSupport
import Testing

@Suite("What an answer says of more, and its job does not read, is never quiet", .prompt)
struct UnreadRunTests {
  private let home = Home()

  private static func pages(_ next: String) -> String {
    "by: \"token\", to: \"?after\", next: \"\(next)\", size: \"?size=3\""
  }

  @discardableResult
  private func job(_ server: AnswerServer, _ pages: String, _ more: String = "") -> String {
    home.write(
      Shelf.job(base: server.origin, pages: pages, list: "vanish: \"mark\", \(more)"),
      to: "shelf.json5")
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
    let job = job(server, pages)
    await home.trawl("try", job, showing: "cursor", "abc")
    await home.trawl("run", job, ends: 0)
    #expect(try Self.trust(home) == ["2|unproven|NULL|NULL"])
    await home.trawl("check", job, showing: "unread: [\"cursor\"]")
    self.job(server, pages, "unread: [\"cursor\"],")
    await home.trawl("run", job, ends: 0)
    #expect(try Self.trust(home) == ["2|complete|NULL|one answer"])
    let after = await home.trawl("check", job, ends: 0).output
    #expect(!after.holds("unread"), "\(after)")
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
    await home.trawl("run", job(server, Self.pages("next")), ends: 0)
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
    await home.trawl("run", job(server, Self.pages("onward")), ends: 0)
    count.withLock { $0 = 3 }
    await home.trawl("run", job(server, Self.pages("forward")), ends: 0)
    #expect(try home.tables.texts("SELECT verdict FROM trawl_trust") == ["unproven"])
  }
}
