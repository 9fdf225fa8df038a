import Glibc
import Base
import TestSupport
import Testing

/// Typical obstacles of a first job, and the messages about them.
@Suite("A first job", .prompt)
struct FirstJobTests {
  /// Answers only a GraphQL POST with its key.
  private static func graph(_ call: AnswerServer.Call) -> AnswerServer.Reply {
    guard call.head.hasPrefix("POST /graphql ") else {
      return .json("{\"message\": \"POST only\"}", status: 405)
    }
    guard call.field("Authorization") == "Bearer a-key" else {
      return .json("{\"errors\": [{\"message\": \"unauthenticated\"}]}", status: 401)
    }
    return .json(
      """
      {"data": {"tickets": {"edges": [{"node": {"id": 1, "by": null}}, \
      {"node": {"id": 2, "by": {"name": "A"}}}], "pageInfo": {"hasNextPage": true, "endCursor": "c2"}}}}
      """)
  }

  private static func job(_ origin: String, records: String) -> String {
    """
    {
      name: "tickets",
      base: "\(origin)",
      auth: { to: "header:Authorization Bearer {secret}", secret: "tickets" },
      streams: {
        tickets: {
          post: "/graphql",
          body: { query: "query($after: String) { tickets(after: $after) { edges { node { id } } } }" },
          pages: {
            by: "token", to: "body:variables.after", next: "data.tickets.pageInfo.endCursor",
            more: "data.tickets.pageInfo.hasNextPage",
          },
          records: "\(records)",
          into: "tickets",
          key: ["id"],
          columns: { id: "id as integer", by: "by.name" },
        },
      },
    }

    """
  }

  @Test("of GraphQL is told where the way is, how its key gets there, and into a list's entries")
  func graphQL() async throws {
    let server = AnswerServer { Self.graph($0) }
    let home = Home()
    await home.run(
      ["new", "\(server.origin)/graphql", "--yes"], saying: "needs its body: --post BODY")

    let path = home.write(
      Self.job(server.origin, records: "data.tickets.edges.node"), to: "tickets.json5")
    await home.shell(
      "printf 'a-key\\n' | \"$T\" key \(path)", ends: 0,
      saying: "check \(path) --send-key-to \(server.origin)")
    await home.run(["try", path], ends: 77, saying: "--send-key-to \(server.origin)")

    await home.run(
      ["try", path, "--send-key-to", server.origin], saying: "write \"data.tickets.edges.*.node\"")
    home.write(Self.job(server.origin, records: "data.tickets.edges.*.node"), to: path)
    // A column reads the name in `by`, although `by` is null in one record.
    await home.run(
      ["try", path, "--send-key-to", server.origin], ends: 0, showing: "2 rows of tickets_tickets",
      without: "no column takes")
  }

  @Test("behind Basic is drafted with a user and a key that are not encoded by hand")
  func basic() async throws {
    let pair = Base64.encoded(Array("me:a-key".utf8))
    let server = AnswerServer { call in
      call.field("Authorization") == "Basic \(pair)"
        ? .json("{\"data\": [{\"id\": 1, \"name\": \"A\"}, {\"id\": 2, \"name\": \"B\"}]}")
        : .json("{}", status: 401)
    }
    let home = Home()
    let to = "\(home.scratch.path)/list.json5"
    for (header, status) in [("Bearer {key}", 77), ("Basic me:{key}", 0)] as [(String, Int32)] {
      let line =
        "printf 'a-key\\n' | \"$T\" new '\(server.origin)/v1/list?limit=5'"
        + " -H 'Authorization: \(header)' --yes -o \(to)"
      let drafted = await home.shell(line)
      #expect(drafted.status == status, "\(drafted.errors)")
      #expect(status == 0 || drafted.errors.holds("Basic USER:{key}"), "\(drafted.errors)")
    }
    let text = Golden.read(to) ?? ""
    #expect(text.holds("auth: { to: \"basic me:{secret}\", secret: "), "\(text)")
    #expect(!text.holds("a-key") && !text.holds(pair))
  }
}
