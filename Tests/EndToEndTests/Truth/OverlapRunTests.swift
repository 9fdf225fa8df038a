import Base
import TestSupport
import Testing

@Suite("Pages that overlap show that nothing lies between them", .prompt)
struct OverlapRunTests {
  /// Books by position, which a test changes before a request.
  private final class Books: Sendable {
    private struct State {
      var keys: [Int]
      var most = Int.max
      var requests = 0
    }

    private let state: Locked<State>
    private let change: @Sendable (_ request: Int, _ keys: inout [Int], _ most: inout Int) -> Void

    init(
      _ count: Int,
      _ change: @escaping @Sendable (Int, inout [Int], inout Int) -> Void = { _, _, _ in }
    ) {
      state = Locked(State(keys: Array(0..<count)))
      self.change = change
    }

    var keys: [String] { state.withLock { $0.keys.map(String.init) } }

    func reply(_ call: AnswerServer.Call) -> AnswerServer.Reply {
      func value(_ name: String) -> Int? {
        let parts = call.target.pieces(around: "\(name)=")
        return parts.count > 1 ? Int(parts[1].prefix { $0 != "&" }) : nil
      }
      return state.withLock { state in
        state.requests += 1
        change(state.requests, &state.keys, &state.most)
        let asked = value("size") ?? 1
        let from = value("from") ?? (max(1, value("page") ?? 1) - 1) * asked
        let end = min(state.keys.count, from + min(asked, state.most))
        let shown = from < end ? Array(state.keys[from..<end]) : []
        let items = shown.map { "{\"id\": \($0), \"title\": \"t\"}" }
        return .json("{\"items\": [\(items.joined(separator: ", "))]}")
      }
    }
  }

  private static func ordered(_ server: AnswerServer, _ home: Home) -> String {
    let text = Shelf.job(
      base: server.origin,
      pages: "by: \"offset\", to: \"?from\", size: \"?size=5\"")
    let key = "key: [\"id\"],"
    return home.write(
      text.pieces(around: key).joined(separator: key + " order: \"id rising\","),
      to: "shelf.json5")
  }

  private static func trust(_ home: Home) throws -> [String] {
    try Tables(home).texts("SELECT verdict, proof FROM trawl_trust")
  }

  @Test("in a declared order, however many records leave meanwhile")
  func busy() async throws {
    let books = Books(40) { request, keys, _ in if (2...9).contains(request) { keys.removeFirst() }
    }
    let server = AnswerServer { books.reply($0) }
    defer { server.stop() }
    let home = Home()
    let ended = await home.run(["run", Self.ordered(server, home), "--data", home.data], ends: 0)
    #expect(try Self.trust(home) == ["complete|overlap with order"], "\(ended.errors)")
    let stored = Set(try Tables(home).texts("SELECT id FROM shelf_books"))
    #expect(stored.isSuperset(of: books.keys))
    #expect((await home.run(["prove", "--data", home.data])).status == 0)
  }

  @Test("and takes no single record for the end, where the server gives no more by then")
  func oneAnAnswer() async throws {
    let books = Books(12) { request, keys, most in
      if request >= 3 { most = 1 }
      if request == 4 { keys.removeFirst(3) }
    }
    let server = AnswerServer { books.reply($0) }
    defer { server.stop() }
    let home = Home()
    let ended = await home.run(["run", Self.ordered(server, home), "--data", home.data])
    let stored = Set(try Tables(home).texts("SELECT id FROM shelf_books"))
    let isWhole = stored.isSuperset(of: books.keys)
    let trust = try Self.trust(home)
    #expect(isWhole || !trust[0].hasPrefix("complete"), "\(ended.errors)")
    #expect(server.calls.count < 100)
  }

  private static func numbered(_ server: AnswerServer, _ home: Home) -> String {
    home.write(
      Shelf.job(
        base: server.origin,
        pages: "by: \"number\", to: \"?page\", size: \"?size=20\""),
      to: "shelf.json5")
  }

  @Test("by number in sizes that vary, on the first night")
  func varied() async throws {
    let books = Books(50)
    let server = AnswerServer { books.reply($0) }
    defer { server.stop() }
    let home = Home()
    let job = Self.numbered(server, home)
    let first = await home.run(["run", job, "--data", home.data], ends: 0)
    #expect(try Self.trust(home) == ["complete|overlap"], "\(first.errors)")
    let asked = server.calls.map { $0.target.pieces(around: "?")[1] }
    #expect(
      asked == [
        "size=20&page=1", "size=19&page=2", "size=18&page=3", "size=1&page=50", "size=1&page=51",
        "size=20&page=0",
      ])
    // That sizes hold, and that no page comes before the first, is known from now on.
    let second = await home.run(["run", job, "--data", home.data])
    #expect(second.status == 0 && server.calls.count == 10, "\(second.errors)")
    #expect(try Self.trust(home) == ["complete|overlap"])
    let proved = await home.run(["prove", "--data", home.data])
    #expect(proved.status == 0, "\(proved.everything)")
  }

  @Test("and of a server that gives pages of one size all comes, with no alarm")
  func fixed() async throws {
    let server = AnswerServer { call in
      let parts = call.target.pieces(around: "page=")
      let page = parts.count > 1 ? max(1, Int(parts[1].prefix { $0 != "&" }) ?? 1) : 1
      let items = ((page - 1) * 20..<max((page - 1) * 20, min(70, page * 20))).map {
        "{\"id\": \($0), \"title\": \"t\"}"
      }
      return .json("{\"items\": [\(items.joined(separator: ", "))]}")
    }
    defer { server.stop() }
    let home = Home()
    let job = Self.numbered(server, home)
    await home.run(["run", job, "--data", home.data], ends: 0)
    #expect(try Tables(home).texts("SELECT count(*) FROM shelf_books") == ["70"])
    let calls = server.calls.count
    let second = await home.run(["run", job, "--data", home.data], ends: 0)
    #expect(try Self.trust(home)[0].hasPrefix("complete"), "\(second.errors)")
    // It is tried once: two requests more on the first night, and none after it.
    #expect(server.calls.count - calls <= 7, "\(server.calls.map(\.target))")
  }
}
