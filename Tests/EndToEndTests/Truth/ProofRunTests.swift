import Base
import TestSupport
import Testing

@Suite("A list is complete with a proof, and unproven without one", .prompt)
struct ProofRunTests {
  /// Books by token, three a page, or as many as are asked for.
  private static func reply(_ call: AnswerServer.Call, _ count: Int, knowsSize: Bool = true)
    -> AnswerServer.Reply
  {
    func value(_ name: String) -> Int? {
      let parts = call.target.pieces(around: "\(name)=")
      return parts.count > 1 ? Int(parts[1].prefix { $0 != "&" }) : nil
    }
    let size = knowsSize ? value("size") ?? 3 : count
    let from = value("after") ?? 0
    let items = (from..<min(count, from + size)).map { "{\"id\": \($0), \"title\": \"t\"}" }
    let next = from + size < count ? ", \"next\": \"\(from + size)\"" : ""
    return .json("{\"items\": [\(items.joined(separator: ", "))]\(next)}")
  }

  private static func job(_ server: AnswerServer, _ home: Home) -> String {
    home.write(
      Shelf.job(
        base: server.origin,
        pages: "by: \"token\", to: \"?after\", next: \"next\", "
          + "size: \"?size=3\""), to: "shelf.json5")
  }

  private static func trust(_ home: Home) throws -> [String] {
    try Tables(home).texts("SELECT rows, verdict, proof FROM trawl_trust")
  }

  @Test("three pages of tokens are unproven and no alarm; a second walk that reads the same proves")
  func twice() async throws {
    let server = AnswerServer { Self.reply($0, 8) }
    defer { server.stop() }
    let home = Home()
    let job = Self.job(server, home)
    let first = await home.run(["run", job, "--data", home.data])
    #expect(first.status == 0 && first.errors.holds("read to the end; unproven"), "\(first.errors)")
    #expect(try Self.trust(home) == ["8|unproven|NULL"])
    #expect(try StoredReport("shelf", in: home).units.map { $0["proof"] == nil } == [true])
    let second = await home.run(["run", job, "--data", home.data])
    #expect(second.status == 0 && second.errors.holds("shelf: complete"), "\(second.errors)")
    #expect(try Self.trust(home) == ["8|complete|twice"])
    #expect(try StoredReport("shelf", in: home).units.map { $0.text("proof") } == ["twice"])
    // Nothing is requested a second time within a walk.
    #expect(server.calls.count == 6, "\(server.calls.map(\.target))")
  }

  @Test("two pages are proven at once by page 1, read again")
  func ends() async throws {
    let server = AnswerServer { Self.reply($0, 5) }
    defer { server.stop() }
    let home = Home()
    let ended = await home.run(["run", Self.job(server, home), "--data", home.data])
    #expect(ended.status == 0 && ended.errors.holds("shelf: complete"), "\(ended.errors)")
    #expect(try Self.trust(home) == ["5|complete|ends"])
    #expect(server.calls.count == 3, "\(server.calls.map(\.target))")
  }

  @Test("one page is proven when a part of it says that more follow, asked for once")
  func oneAnswer() async throws {
    let server = AnswerServer { Self.reply($0, 2) }
    defer { server.stop() }
    let home = Home()
    let job = Self.job(server, home)
    for calls in [2, 3] {
      let ended = await home.run(["run", job, "--data", home.data])
      #expect(ended.status == 0 && ended.errors.holds("shelf: complete"), "\(ended.errors)")
      #expect(try Self.trust(home) == ["2|complete|one answer"])
      #expect(server.calls.count == calls, "\(server.calls.map(\.target))")
    }
  }

  @Test("one page of an API that never says that more follow stays unproven, on every night")
  func noSign() async throws {
    let server = AnswerServer { Self.reply($0, 3, knowsSize: false) }
    defer { server.stop() }
    let home = Home()
    let job = Self.job(server, home)
    for calls in [2, 3, 4] {
      let ended = await home.run(["run", job, "--data", home.data])
      #expect(ended.status == 0 && ended.errors.holds("unproven"), "\(ended.errors)")
      #expect(try Self.trust(home) == ["3|unproven|NULL"])
      #expect(server.calls.count == calls, "\(server.calls.map(\.target))")
    }
  }

  @Test("a walk that reads something else than the one before proves nothing, and marks nobody")
  func other() async throws {
    let count = Locked(8)
    let server = AnswerServer { call in Self.reply(call, count.withLock { $0 }) }
    defer { server.stop() }
    let home = Home()
    let text = Shelf.job(
      base: server.origin,
      pages: "by: \"token\", to: \"?after\", next: \"next\", "
        + "size: \"?size=3\"")
    let job = home.write(
      text.pieces(around: "key: [\"id\"],").joined(separator: "key: [\"id\"], vanish: \"mark\","),
      to: "shelf.json5")
    let command = ["run", job, "--data", home.data]
    let gone = "SELECT id FROM shelf_books WHERE vanished_at IS NOT NULL"
    #expect(await home.run(command).status == 0)
    // The last one goes.
    count.withLock { $0 = 7 }
    let second = await home.run(command)
    #expect(second.status == 0 && second.errors.holds("unproven"), "\(second.errors)")
    #expect(try Tables(home).texts(gone).isEmpty)
    let third = await home.run(command)
    #expect(third.status == 0 && third.errors.holds("shelf: complete"), "\(third.errors)")
    #expect(try Self.trust(home) == ["7|complete|twice"])
    #expect(try Tables(home).texts(gone).isEmpty, "two equal walks hold against one change alone")
    #expect(await home.run(command).status == 0)
    #expect(try Tables(home).texts(gone) == ["7"])
    #expect(try Self.trust(home) == ["7|complete|twice"])
  }
}
