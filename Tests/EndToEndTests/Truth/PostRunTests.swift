import Base
import TestSupport
import Testing

@Suite("A list that is asked for by POST", .prompt)
struct PostRunTests {
  private let home = Home()

  private static func job(_ base: String) -> String {
    """
    {
      name: "board",
      base: "\(base)",
      params: { team: "ENG" },
      streams: {
        issues: {
          post: "/graphql",
          body: {
            query: "query($team: String!, $first: Int, $after: String) {\\
              issues(team: $team, first: $first, after: $after) {\\
                nodes { id title }\\
                pageInfo { hasNextPage endCursor }\\
              }\\
            }",
            variables: { team: "{team}", deep: [1, null, { open: true }] },
          },
          pages: {
            by: "token", to: "body:variables.after", next: "data.issues.pageInfo.endCursor",
            more: "data.issues.pageInfo.hasNextPage",
            size: "body:variables.first=3",
          },
          records: "data.issues.nodes",
          into: "issues",
          key: ["id"],
          columns: { id: "id as integer", title: "title" },
        },
      },
    }

    """
  }

  /// Eight issues; even the last page names a cursor.
  private static func reply(_ call: AnswerServer.Call) -> AnswerServer.Reply {
    guard call.head.hasPrefix("POST /graphql "),
      let root = try? JSONDocument.read(Array(call.body.utf8)).root,  // else it is none of ours
      root["variables"]?["team"]?.string == "ENG",
      root["query"]?.string?.holds("pageInfo { hasNextPage endCursor }") == true
    else { return .json("{\"message\": \"what?\"}", status: 400) }
    let variables = root["variables"]
    let from = variables?["after"]?.string.flatMap { Int($0) } ?? 0
    let end = min(8, from + Int(variables?["first"]?.integer ?? 100))
    let nodes = (from..<end).map { "{\"id\": \($0), \"title\": \"t\"}" }.joined(separator: ", ")
    return .json(
      """
      {"data": {"issues": {"nodes": [\(nodes)],
        "pageInfo": {"hasNextPage": \(end < 8), "endCursor": "\(end)"}}}}
      """)
  }

  @Test(
    "resumes where it was stopped, since a body tells its pages apart, and is proven by a second walk"
  )
  func resumes() async throws {
    let server = AnswerServer { Self.reply($0) }
    let job = home.write(Self.job(server.origin), to: "board.json5")
    await home.trawl("run", job, "--max-requests", "1", ends: 75)
    await home.trawl("run", job, ends: 0)
    #expect(server.calls.count == 3, "\(server.calls.map(\.body))")
    await home.trawl("run", job, ends: 0)
    #expect(server.calls.count == 6)
    #expect(
      try home.tables.texts("SELECT rows, verdict, proof FROM trawl_trust") == ["8|complete|twice"])
    let call = try #require(server.calls.last)
    #expect(call.field("Content-Type") == "application/json")
    #expect(call.field("Expect") == nil)
    #expect(
      call.body.hasSuffix(
        #""variables":{"team":"ENG","deep":[1,null,{"open":true}],"first":3,"after":"6"}}"#),
      "\(call.body)")
    await home.trawl("prove", "board", ends: 0)
  }

  @Test("follows no redirect: the question would go where nobody sent it")
  func redirected() async throws {
    let other = AnswerServer { Self.reply($0) }
    let target = "\(other.origin)/graphql"
    let server = AnswerServer { _ in
      AnswerServer.Reply(status: 307, fields: ["Location: \(target)"])
    }
    let job = home.write(Self.job(server.origin), to: "board.json5")
    let ended = await home.trawl("run", job, saying: "leads a POST on", "1 request,")
    #expect(ended.status != 0 && other.calls.isEmpty && server.calls.count == 1, "\(ended)")
  }

  @Test("may be a form")
  func form() async throws {
    let server = AnswerServer { call in
      let page = max(1, call.body.pieces(around: "page=").last.flatMap { Int($0) } ?? 1)
      let items = page == 1 ? "{\"id\": 1}" : ""
      return .json("{\"items\": [\(items)]}")
    }
    let text = Shelf.job(base: server.origin, pages: "by: \"number\", to: \"body:page\"")
      .pieces(around: "get: \"/books\",")
      .joined(separator: "post: \"/books\", form: { q: \"a & b\", n: 5 },")
    let job = home.write(text, to: "shelf.json5")
    await home.trawl("run", job, ends: 0)
    let bodies = (1...2).map { "q=a%20%26%20b&n=5&page=\($0)" }
    #expect(server.calls.map(\.body).prefix(2) == bodies[...])
    #expect(server.calls.first?.field("Content-Type") == "application/x-www-form-urlencoded")
  }
}
