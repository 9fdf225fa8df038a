import Base
import TestSupport
import Testing

@Suite("What an answer says of more, and its job does not read, is never quiet", .prompt)
struct UnreadRunTests {
  /// Eight books, three a page, by a token in `after`; where the next one is named is the test's.
  private static func server(
    _ fields: @escaping @Sendable (AnswerServer.Call) -> [String] = { _ in [] },
    _ rest: @escaping @Sendable (_ next: Int?) -> String
  ) -> AnswerServer {
    AnswerServer { call in
      func value(_ name: String) -> Int? {
        let parts = call.target.pieces(around: "\(name)=")
        return parts.count > 1 ? Int(parts[1].prefix { $0 != "&" }) : nil
      }
      let (from, size) = (value("after") ?? 0, value("size") ?? 3)
      let items = (from..<min(8, from + size)).map { "{\"id\": \($0), \"title\": \"t\"}" }
      let next = from + size < 8 ? from + size : nil
      return .json("{\"items\": [\(items.joined(separator: ", "))]\(rest(next))}", fields(call))
    }
  }

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
    try Tables(home).texts("SELECT rows, verdict, cause, proof FROM trawl_trust")
  }

  @Test("a next page that is named elsewhere is told, with its place, and marks nobody")
  func elsewhere() async throws {
    let isMoved = Locked(false)
    let server = Self.server { next in
      let name = isMoved.withLock { $0 } ? "paging\": {\"next" : "next"
      let close = name == "next" ? "" : "}"
      return ", \"\(name)\": \(next.map { "\"\($0)\"" } ?? "null")\(close)"
    }
    defer { server.stop() }
    let home = Home()
    let job = Self.job(server, home)
    let command = ["run", job, "--data", home.data]
    #expect(await home.run(command).status == 0)
    #expect(await home.run(command).status == 0)
    #expect(try Self.trust(home) == ["8|complete|NULL|twice"])
    isMoved.withLock { $0 = true }
    let third = await home.run(command)
    #expect(third.status == 3 && third.errors.holds("\"paging.next\": 3"), "\(third.errors)")
    #expect(try Self.trust(home).map { $0.holds("incomplete|unread|NULL") } == [true])
    #expect(
      try Tables(home).texts("SELECT id FROM shelf_books WHERE vanished_at IS NOT NULL").isEmpty)
  }

  @Test("the job says that it knows, and then it harms nothing; check and try show what is there")
  func known() async throws {
    let server = Self.server { _ in ", \"cursor\": \"abc\"" }
    defer { server.stop() }
    let pages = "by: \"single\""
    let home = Home()
    let job = Self.job(server, home, pages: pages)
    let look = await home.run(["try", job, "--data", home.data])
    #expect(look.output.holds("cursor") && look.output.holds("abc"), "\(look.output)")
    #expect(await home.run(["run", job, "--data", home.data]).status == 0)
    #expect(try Self.trust(home) == ["3|unproven|NULL|NULL"])
    let check = await home.run(["check", job, "--data", home.data])
    #expect(check.output.holds("unread: [\"cursor\"]"), "\(check.output)")
    _ = Self.job(server, home, pages: pages, "unread: [\"cursor\"],")
    #expect(await home.run(["run", job, "--data", home.data]).status == 0)
    #expect(try Self.trust(home) == ["3|complete|NULL|one answer"])
    let after = await home.run(["check", job, "--data", home.data])
    #expect(!after.output.holds("unread"), "\(after.output)")
  }

  @Test(
    "the head and the status are heard too",
    arguments: [
      "X-Total-Count: 8", "Link: </v1/books?page=2>; rel=\"next\"", "Content-Range: items 0-2/8",
      "X-Next-Page: 2",
    ])
  func head(field: String) async throws {
    let server = Self.server({ _ in [field] }) { _ in "" }
    defer { server.stop() }
    let home = Home()
    let job = Self.job(server, home, pages: "by: \"single\"")
    let ended = await home.run(["run", job, "--data", home.data])
    let name = String(field.prefix { $0 != ":" })
    #expect(ended.status == 3 && ended.errors.holds("\"\(name)\""), "\(ended.errors)")
    #expect(try Self.trust(home) == ["3|incomplete|unread|NULL"])
  }

  @Test(
    "what is requested again is requested past caches, and one that answers all the same proves nothing"
  )
  func caches() async throws {
    let isCached = Locked(false)
    let server = AnswerServer { call in
      let isSecond = call.target.holds("after=3")
      let body =
        isSecond
        ? "{\"items\": [{\"id\": 4, \"title\": \"t\"}]}"
        : "{\"items\": [{\"id\": 1, \"title\": \"t\"}, {\"id\": 2, \"title\": \"t\"}], \"next\": \"3\"}"
      let isAgain = call.field("Cache-Control") == "no-cache"
      return .json(body, isAgain && isCached.withLock { $0 } ? ["Age: 600"] : [])
    }
    defer { server.stop() }
    let home = Home()
    let job = Self.job(server, home)
    #expect(await home.run(["run", job, "--data", home.data]).status == 0)
    #expect(try Self.trust(home) == ["3|complete|NULL|ends"])
    #expect(server.calls.map { $0.field("Cache-Control") } == [nil, nil, "no-cache"])
    isCached.withLock { $0 = true }
    let other = Home()
    let again = Self.job(server, other)
    let ended = await other.run(["run", again, "--data", other.data])
    #expect(ended.status == 0, "\(ended.errors)")
    let why = try Tables(other).texts("SELECT why FROM trawl_certificates")
    #expect(why.count == 1 && why[0].holds("came from a cache"), "\(why)")
    #expect(try Self.trust(other) == ["3|unproven|NULL|NULL"])
  }

  @Test("page 1 out of a cache is requested again past it, and so is all that follows")
  func oldFirst() async throws {
    let server = Self.server({ $0.field("Cache-Control") == "no-cache" ? [] : ["Age: 600"] }) {
      next in next.map { ", \"next\": \"\($0)\"" } ?? ""
    }
    defer { server.stop() }
    let home = Home()
    let job = Self.job(server, home)
    for proof in ["unproven|NULL|NULL", "complete|NULL|twice"] {
      #expect(await home.run(["run", job, "--data", home.data]).status == 0)
      #expect(try Self.trust(home) == ["8|\(proof)"])
    }
    let asked = server.calls.map { $0.field("Cache-Control") }
    let pages: [String?] = ["no-cache", "no-cache", "no-cache"]
    #expect(asked == [nil] + pages + [nil] + pages, "\(asked)")
    let why = try Tables(home).texts("SELECT why FROM trawl_trust")
    #expect(why.first?.holds("complete for what was there since then") == true, "\(why)")
  }

  @Test("a sign that was seen to work says nothing of one that is declared elsewhere")
  func otherSign() async throws {
    let count = Locked(8)
    let server = AnswerServer { call in
      func value(_ name: String) -> Int? {
        let parts = call.target.pieces(around: "\(name)=")
        return parts.count > 1 ? Int(parts[1].prefix { $0 != "&" }) : nil
      }
      let (all, from, size) = (count.withLock { $0 }, value("after") ?? 0, value("size") ?? 3)
      let items = (from..<min(all, from + size)).map { "{\"id\": \($0), \"title\": \"t\"}" }
      let next = from + size < all ? "\"\(from + size)\"" : "null"
      return .json("{\"items\": [\(items.joined(separator: ", "))], \"onward\": \(next)}")
    }
    defer { server.stop() }
    let home = Home()
    func pages(_ next: String) -> String {
      "by: \"token\", to: \"?after\", next: \"\(next)\", size: \"?size=3\""
    }
    let job = Self.job(server, home, pages: pages("onward"))
    #expect(await home.run(["run", job, "--data", home.data]).status == 0)
    count.withLock { $0 = 3 }
    _ = Self.job(server, home, pages: pages("forward"))
    #expect(await home.run(["run", job, "--data", home.data]).status == 0)
    #expect(try Tables(home).texts("SELECT verdict FROM trawl_trust") == ["unproven"])
  }

  @Test("no value of a key is shown")
  func secret() async throws {
    let server = Self.server { _ in ", \"next_url\": \"/v1/books?key=sesame-open&page=2\"" }
    defer { server.stop() }
    let home = Home()
    let job = Self.job(server, home, pages: "by: \"single\"")
    let text = Shelf.job(base: server.origin, pages: "by: \"single\"").pieces(around: "streams: {")
      .joined(
        separator: "auth: { to: \"?key\", secret: \"shelf $SHELF_KEY\" }, streams: {")
    home.write(text, to: "shelf.json5")
    let ended = await home.run(
      ["run", job, "--data", home.data, "--send-key-to", server.origin],
      ["SHELF_KEY": "sesame-open"])
    #expect(ended.status == 3 && ended.errors.holds("next_url"), "\(ended.errors)")
    #expect(!ended.errors.holds("sesame") && !ended.output.holds("sesame"))
    let stored = try Tables(home).texts(
      "SELECT signs FROM trawl_pages UNION ALL SELECT why FROM trawl_certificates")
    #expect(stored.count >= 2 && !stored.joined().holds("sesame"), "\(stored)")
  }
}
