import TestSupport
import Testing

@Suite("A list of each of several values", .prompt)
struct SplitRunTests {
  private let home = Home()

  @Test("is requested once for a pair, and never for a cross of their parts")
  func pairs() async throws {
    let server = AnswerServer { _ in .json("{\"items\": []}") }
    let text = Shelf.job(
      base: server.origin, get: "/r/{owner}/{name}",
      more: #"params: { repo: { default: ["a/x", "b/y"], splits: "{owner}/{name}" } },"#)
    let job = home.write(text, to: "shelf.json5")
    await home.trawl("run", job, ends: 0)
    #expect(server.calls.map(\.target) == ["/v1/r/a/x", "/v1/r/b/y"])
    await home.trawl("run", job, "--set", "repo=c", ends: 64, saying: "cannot be taken apart")
    await home.trawl("run", job, "--set", "repo=c/z w", ends: 0)
    #expect(server.calls.last?.target == "/v1/r/c/z%20w")
  }

  @Test("sends values of its list in header fields, each list its own")
  func headers() async throws {
    let server = AnswerServer { call in
      .json("{\"items\": [{\"id\": \(call.field("X-Team") == "blue" ? 1 : 2), \"title\": \"t\"}]}")
    }
    let text = Shelf.job(
      base: server.origin, list: #"headers: { "X-Team": "{team}", "X-Kind": "a" },"#,
      more: #"params: { team: { default: ["blue", "red"] } },"#)
    let job = home.write(text, to: "shelf.json5")
    await home.trawl("run", job, ends: 0)
    #expect(Set(server.calls.map { $0.field("X-Team") ?? "" }) == ["blue", "red"])
    #expect(server.calls.allSatisfy { $0.field("X-Kind") == "a" })
    #expect(try home.count("shelf_books") == 2)
  }
}
