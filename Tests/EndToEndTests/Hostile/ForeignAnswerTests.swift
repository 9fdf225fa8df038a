import Base
import TestSupport
import Testing

@Suite("An answer that is no list of its job", .prompt)
struct ForeignAnswerTests {
  private static let pages = "by: \"number\", to: \"?page\", size: \"?size=3\""

  @Test(
    "is requested once, and told with what came",
    arguments: [
      ("text/csv", "id,title\n1,One\n", "it is \"text/csv\" and begins with \"id,title 1,One\""),
      ("text/html", "<!DOCTYPE html><p>Hi", "begins with \"<!DOCTYPE html><p>Hi\""),
      ("application/atom+xml", "<feed></feed>", "it is \"application/atom+xml\""),
      ("application/json", #"{"books":[{"id":1}]}"#, "no list at \"items\"; the answer has books"),
      ("application/x-ndjson", "{\"id\":1}\n{\"id\":2}\n", "one JSON document on each line"),
      ("application/json", "{\"id\":1}\r\n{\"id\":2}", "one JSON document on each line"),
      ("application/json", "{\0\"\0i\0\"\0:\01\0}\0", "in UTF-16 or UTF-32"),
      ("application/json", "\0{\0}", "in UTF-16 or UTF-32"),
    ])
  func once(type: String, body: String, told: String) async throws {
    let server = AnswerServer { _ in
      AnswerServer.Reply(fields: ["Content-Type: \(type)"], body: Array(body.utf8))
    }
    defer { server.stop() }
    let home = Home()
    let job = home.write(Shelf.job(base: server.origin, pages: Self.pages), to: "shelf.json5")
    let ended = await home.run(["run", job, "--data", home.data])
    #expect(ended.status == 1 && ended.errors.holds(told), "\(ended.errors)")
    #expect(server.calls.count == 1, "\(server.calls.map(\.target))")
  }

  @Test("is requested again where the list was read before: a page in front of an API passes")
  func passing() async throws {
    let isDown = Locked(false)
    let server = AnswerServer { call in
      let isShut = isDown.withLock { down in
        defer { down = false }
        return down
      }
      if isShut {
        return AnswerServer.Reply(
          fields: ["Content-Type: text/html"], body: Array("<p>Back soon".utf8))
      }
      return call.target.holds("page=1")
        ? .json(#"{"items":[{"id":1,"title":"One"}]}"#) : .json(#"{"items":[]}"#)
    }
    defer { server.stop() }
    let home = Home()
    let job = home.write(Shelf.job(base: server.origin, pages: Self.pages), to: "shelf.json5")
    #expect(await home.run(["run", job, "--data", home.data]).status == 0)
    isDown.withLock { $0 = true }
    let ended = await home.run(["run", job, "--data", home.data])
    #expect(ended.status == 0 && !ended.errors.holds("failed"), "\(ended.errors)")
  }

  @Test("a stream's header field takes the place of the job's, whatever its letters")
  func headers() async throws {
    let server = AnswerServer { _ in .json(#"{"items":[{"id":1,"title":"One"}]}"#) }
    defer { server.stop() }
    let home = Home()
    let text = Shelf.job(base: server.origin, pages: Self.pages)
      .pieces(around: "streams: {").joined(
        separator: "headers: { Accept: \"text/csv\", \"X-Kind\": \"job\" }, streams: {"
      )
      .pieces(around: "into: \"books\"").joined(
        separator: "headers: { accept: \"application/json\" }, into: \"books\"")
    let job = home.write(text, to: "shelf.json5")
    _ = await home.run(["run", job, "--data", home.data])
    let head = server.calls.first?.head ?? ""
    #expect(head.lowercased().pieces(around: "\naccept:").count == 2, "\(head)")
    #expect(server.calls.first?.field("Accept") == "application/json")
    #expect(server.calls.first?.field("X-Kind") == "job")
  }
}
