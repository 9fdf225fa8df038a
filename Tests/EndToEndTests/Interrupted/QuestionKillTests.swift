import Dispatch
import Base
import TestSupport
import Testing

@Suite("A list by POST, or behind its last record, that is killed", .prompt)
struct QuestionKillTests {
  enum Style: String, Sendable, CaseIterable { case post, after }

  private static let count = 11

  private static func job(_ style: Style, _ base: String) -> String {
    let pages =
      style == .post
      ? "by: \"token\", to: \"body:after\", next: \"cursor\", more: \"has_more\", size: \"body:size=3\""
      : "by: \"after\", to: \"?after\", next: \"id\", more: \"has_more\", size: \"?size=3\""
    let text = Shelf.job(base: base, pages: pages).pieces(around: "key: [\"id\"],").joined(
      separator: "key: [\"id\"], order: \"id falling\",")
    return style == .after
      ? text
      : text.pieces(around: "get: \"/books\",").joined(
        separator: "post: \"/books\", body: { q: \"all\" },")
  }

  /// Books from the highest number down, three a page.
  private static func reply(_ call: AnswerServer.Call) -> AnswerServer.Reply {
    let inPath = call.target.pieces(around: "after=").dropFirst().first.flatMap {
      Int($0.prefix { $0 != "&" })
    }
    let root = try? JSONDocument.read(Array(call.body.utf8)).root  // none of a GET
    let after = inPath ?? root?["after"]?.string.flatMap { Int($0) } ?? count + 1
    let shown = (1...count).reversed().filter { $0 < after }.prefix(3)
    let items = shown.map { "{\"id\": \($0), \"title\": \"t\"}" }.joined(separator: ", ")
    let last = shown.last ?? 1
    // One that its job does not read would deny the proof.
    let cursor = root == nil ? "" : ", \"cursor\": \"\(last)\""
    return .json("{\"items\": [\(items)], \"has_more\": \(last > 1)\(cursor)}")
  }

  private static func trust(_ home: Home) throws -> [String] {
    try Tables(home).texts(
      "SELECT rows || '|' || verdict || '|' || ifnull(proof, '') FROM trawl_trust")
  }

  @Test(
    "goes on where it was, asks nothing twice but what was in flight, and has its proof",
    arguments: Style.allCases, [1, 2, 4])
  func killed(style: Style, at page: Int) async throws {
    let run = Locked<BinaryRun?>(nil)
    let count = Locked(0)
    let started = DispatchSemaphore(value: 0)
    let server = AnswerServer { call in
      started.wait()
      started.signal()
      let number = count.withLock { count in
        count += 1
        return count
      }
      if number == page { run.withLock { $0?.kill() } }
      return Self.reply(call)
    }
    defer { server.stop() }
    let home = Home()
    let job = home.write(Self.job(style, server.origin), to: "shelf.json5")
    let first = home.start(["run", job, "--data", home.data])
    run.withLock { $0 = first }
    started.signal()
    #expect(await first.end().wasSignalled)
    run.withLock { $0 = nil }
    await home.run(["run", job, "--data", home.data], ends: 0)
    #expect(try Self.trust(home) == ["11|complete|anchored"])
    // Four pages, the one whose answer nobody has seen, and maybe the one that was being written.
    #expect((5...6).contains(server.calls.count), "\(server.calls.map { $0.target + $0.body })")
    let proved = await home.run(["prove", "shelf", "--data", home.data])
    #expect(proved.status == 0, "\(proved.output)\(proved.errors)")
  }

  @Test("sends values of its list in header fields, each list its own")
  func headers() async throws {
    let server = AnswerServer { call in
      .json("{\"items\": [{\"id\": \(call.field("X-Team") == "blue" ? 1 : 2), \"title\": \"t\"}]}")
    }
    defer { server.stop() }
    let home = Home()
    let text = Shelf.job(base: server.origin, pages: "by: \"single\"").pieces(around: "streams: {")
      .joined(separator: "params: { team: { default: [\"blue\", \"red\"] } }, streams: {")
      .pieces(around: "get: \"/books\",")
      .joined(separator: "get: \"/books\", headers: { \"X-Team\": \"{team}\", \"X-Kind\": \"a\" },")
    let job = home.write(text, to: "shelf.json5")
    await home.run(["run", job, "--data", home.data], ends: 0)
    #expect(Set(server.calls.map { $0.field("X-Team") ?? "" }) == ["blue", "red"])
    #expect(server.calls.allSatisfy { $0.field("X-Kind") == "a" })
    #expect(try Self.trust(home).count == 2)
    #expect(try Tables(home).count("SELECT count(*) FROM shelf_books") == 2)
  }
}
