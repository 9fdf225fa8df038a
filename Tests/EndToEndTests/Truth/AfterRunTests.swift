import TestSupport
import Testing

@Suite("A list that goes on behind its last record", .prompt)
struct AfterRunTests {
  private static func value(_ name: String, _ call: AnswerServer.Call) -> String? {
    let parts = call.target.pieces(around: "\(name)=")
    return parts.count > 1 ? String(parts[1].prefix { $0 != "&" }) : nil
  }

  /// Books from the highest number down, three a page; each says whether more follow.
  private static func reply(
    _ call: AnswerServer.Call, _ count: Int, flag: Bool? = nil, odd: Int? = nil
  ) -> AnswerServer.Reply {
    let after = value("after", call).flatMap { Int($0) } ?? count + 1
    let size = value("size", call).flatMap { Int($0) } ?? 3
    let shown = (1...count).reversed().filter { $0 < after }.prefix(size)
    // A record that does not fit is the last one of a page, too.
    let items = shown.map { "{\"id\": \($0), \"title\": \($0 == odd ? "[]" : "\"t\"")}" }
    let more = flag ?? ((shown.last ?? 1) > 1)
    return .json("{\"items\": [\(items.joined(separator: ", "))], \"has_more\": \(more)}")
  }

  private static func job(_ server: AnswerServer, _ home: Home, order: String = "id falling")
    -> String
  {
    let text = Shelf.job(
      base: server.origin,
      pages: "by: \"after\", to: \"?after\", next: \"id\", more: \"has_more\", "
        + "size: \"?size=3\"")
    return home.write(
      text.pieces(around: "key: [\"id\"],").joined(
        separator: "key: [\"id\"], order: \"\(order)\","), to: "shelf.json5")
  }

  private static func trust(_ home: Home) throws -> [String] {
    try Tables(home).texts(
      "SELECT rows || '|' || verdict || '|' || ifnull(proof, '') FROM trawl_trust")
  }

  @Test("is anchored, across a stop between two pages")
  func anchored() async throws {
    let server = AnswerServer { Self.reply($0, 8, odd: 6) }
    defer { server.stop() }
    let home = Home()
    let job = Self.job(server, home)
    await home.run(["run", job, "--data", home.data, "--max-requests", "2"], ends: 75)
    await home.run(["run", job, "--data", home.data], ends: 0)
    #expect(try Self.trust(home) == ["8|complete|anchored"])
    #expect(
      server.calls.map { Self.value("after", $0) ?? "" } == ["", "6", "3"],
      "\(server.calls.map(\.target))")
    let again = await home.run(["prove", "shelf", "--data", home.data])
    #expect(again.status == 0, "\(again.output)")
  }

  @Test(
    "whose flag says no too early, or never, is not called whole where a count or its pages know")
  func lies() async throws {
    let never = AnswerServer { Self.reply($0, 8, flag: true) }
    defer { never.stop() }
    let home = Home()
    let ended = await home.run(["run", Self.job(never, home), "--data", home.data])
    #expect(ended.status == 3 && ended.errors.holds("more follow"), "\(ended.errors)")
    #expect(try Self.trust(home) == ["8|incomplete|"])
  }

  @Test("in another order than its job declares is not anchored")
  func wrongOrder() async throws {
    let server = AnswerServer { Self.reply($0, 8) }
    defer { server.stop() }
    let home = Home()
    await home.run(
      ["run", Self.job(server, home, order: "id rising"), "--data", home.data], ends: 0)
    #expect(try Self.trust(home) == ["8|unproven|"])
  }
}
