import Base
@testable import Commands
import TestSupport
import Testing

@Suite("The trust of what a query reads")
struct ReadTrustTests {
  private static let queries = [
    "SELECT count(*) FROM github_users", "SELECT 1 FROM GitHub_Users WHERE 0", "github_users",
    "SELECT 5 IN (SELECT id FROM github_users)", "SELECT EXISTS (SELECT 1 FROM github_users)",
    "WITH items AS (SELECT id FROM github_users) SELECT count(*) FROM items",
    "WITH github_users_media AS (SELECT count(*) AS n FROM github_users) SELECT n FROM github_users_media",
    "SELECT count(*) FROM github_users_media", "SELECT max(rowid) FROM main.github_users",
    "SELECT n FROM (SELECT count(*) AS n FROM main.\"github_users\" AS q)",
    "SELECT count(*) FROM (VALUES (1)) LEFT JOIN github_users ON 0",
    "SELECT 1 UNION ALL SELECT count(*) FROM github_users",
    "SELECT count(*) OVER () FROM github_users LIMIT 1",
    "SELECT (SELECT count(*) FROM github_users) FROM (SELECT 1)",
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n, github_users LIMIT 3) SELECT x FROM n",
    "SELECT sum(id) FILTER (WHERE id IN (SELECT id FROM github_users)) FROM (SELECT 1 AS id)",
    "SELECT * FROM mine",
  ]

  @Test("comes with every answer, by whatever way a table is read")
  func shapes() async throws {
    let trial = try await CommandTrial.stocked()
    try trial.change("CREATE VIEW mine AS SELECT count(*) AS n FROM github_users_media")
    var talk = try await Conversation.begun(trial)
    for sql in Self.queries {
      let answer = try await talk.query(sql)
      #expect(!answer.isError && answer.tables == ["github_users"], "\(sql): \(answer.text)")
      #expect(answer.lists == 3 && answer.verdict == "complete", "\(sql): \(answer.text)")
    }
  }

  @Test("of a list's places and of a nested table is that of the lists which fill them")
  func members() async throws {
    let trial = try await CommandTrial.stocked()
    var talk = try await Conversation.begun(trial)
    let follows = try await talk.query("SELECT count(*) FROM github_follows")
    #expect(follows.lists == 3 && follows.text.contains("followers of octocat"), "\(follows.text)")
    // Nobody has typed a word for it.
    let tags = try await talk.query("SELECT count(*) FROM giphy_tags")
    #expect(tags.lists == 0 && tags.text.contains("giphy_tags was ever read"), "\(tags.text)")
    let items = try await talk.query("SELECT count(*) FROM items")
    #expect(items.verdict == "unproven" && items.tables.contains("giphy_gifs"), "\(items.text)")
    try await trial.run(trial.words("run openmarket"), ends: .complete)
    let images = try await talk.query("SELECT count(*) FROM openmarket_images")
    #expect(images.lists == 2 && images.text.contains("- details: complete"), "\(images.text)")
  }

  @Test("of records that were requested for those of other lists is that of these lists too")
  func parents() async throws {
    let server = ScriptedServer { call in
      let parts = call.path.split(separator: "/")
      let ids = (1...6).dropFirst(call.number("offset") ?? 0).prefix(5)
      let rows =
        parts.count == 1
        ? ids.map { #"{"id":\#($0)}"# } : [#"{"cid":\#(parts[1])0,"text":"needle"}"#]
      // It counts twelve posts, and shows six.
      let count = parts.count == 1 ? 12 : 1
      return ScriptedServer.json(
        #"{"count":\#(count),"rows":[\#(rows.joined(separator: ","))]}"#)
    }
    defer { server.stop() }
    let trial = try CommandTrial()
    trial.keep(
      job: "q",
      text: """
        { base: "\(server.origin)", streams: {
          posts: { get: "/posts", pages: { by: "offset", to: "?offset", size: "?limit=5" },
            total: "count counted", records: "rows", columns: ["id integer"] },
          comments: { for: { each: "posts.id", when: "all" }, get: "/posts/{id}/comments",
            pages: { by: "single" }, total: "count counted", records: "rows", key: ["cid"],
            columns: ["cid integer", "text"], search: ["text"] } } }
        """)
    try await trial.run("run q", ends: .less)
    #expect(
      try trial.rows("SELECT list || ' ' || verdict FROM trawl_trust ORDER BY list")
        == ["comments complete", "posts incomplete"])
    var talk = try await Conversation.begun(trial)
    let query = try await talk.query("SELECT count(*) FROM q_comments")
    #expect(query.lists == 2 && query.verdict == "incomplete", "\(query.text)")
    let search = try await talk.call("search", ["words": ["haystack"] as [String]])
    #expect(search.lists == 2 && search.verdict == "incomplete", "\(search.text)")
    let why = try await talk.call("why", ["table": "q_comments", "key": "120"])
    let absence = why.values["absence"]?.string ?? ""
    #expect(absence.contains("posts is incomplete (count): it may exist"), "\(absence)")
    // The list of the posts itself rests on no other.
    let posts = try await talk.query("SELECT count(*) FROM q_posts")
    #expect(posts.lists == 1, "\(posts.text)")
    // An edit that takes the parent away does so for the reader, too.
    trial.edit("q", #"for: { each: "posts.id", when: "all" },"#, to: "")
    trial.edit("q", "/posts/{id}/", to: "/posts/1/")
    try await trial.run("run q")
    let alone = try await talk.query("SELECT count(*) FROM q_comments")
    #expect(!alone.text.contains("- posts: "), "\(alone.text)")
  }

  @Test("of what the book itself says of lists is that of all lists")
  func book() async throws {
    let trial = try await CommandTrial.stocked()
    var talk = try await Conversation.begun(trial)
    let all = Int(try trial.rows("SELECT count(*) FROM trawl_lists")[0])
    for sql in [
      "SELECT rows FROM trawl_lists LIMIT 1", "SELECT verdict FROM trawl_trust LIMIT 1",
      "SELECT count(*) FROM trawl_changes", "SELECT received FROM trawl_pages LIMIT 1",
      "SELECT rows, (SELECT count(*) FROM github_users) FROM trawl_lists LIMIT 1",
      "WITH items AS (SELECT rows FROM trawl_lists) SELECT count(*) FROM items, github_users",
    ] {
      let answer = try await talk.query(sql)
      #expect(answer.lists == all && answer.verdict == "unproven", "\(sql): \(answer.text)")
    }
    let nothing = try await talk.query("SELECT 1 AS one")
    #expect(nothing.lists == 0 && nothing.text.contains("no list was read"), "\(nothing.text)")
  }

  @Test("is said to be unknown of a table that no job fills")
  func others() async throws {
    let trial = try await CommandTrial.stocked()
    try trial.change("CREATE TABLE mine (x); INSERT INTO mine VALUES (1)")
    var talk = try await Conversation.begun(trial)
    let answer = try await talk.query("SELECT x FROM mine, github_users")
    #expect(answer.trust?["not_of_jobs"]?[0]?.string == "mine" && answer.lists == 3)
    #expect(answer.text.contains("No job fills mine"), "\(answer.text)")
  }

  @Test("of many lists names the worst twenty, and counts all by their verdicts")
  func many() async throws {
    let trial = try await CommandTrial.stocked()
    try trial.change(
      """
      WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 500)
      INSERT INTO trawl_lists (job, stream, parameters, table_name, list, rows, list_table, list_key,
        list_where, seal) SELECT 'github', 'followers', 'user=u' || x, 'github_users',
        'followers of u' || x, 0, 'github_follows', '["follower_id"]', '{}', 0 FROM n
      """)
    var talk = try await Conversation.begun(trial)
    let answer = try await talk.query("SELECT count(*) FROM github_users")
    #expect(answer.lists == 503 && answer.verdict == "unfinished", "\(answer.text)")
    #expect(answer.trust?["named"]?.count == 20 && answer.trust?["left_out"]?.integer == 483)
    #expect(answer.text.contains("3 complete, 500 unfinished"), "\(answer.text)")
  }

  @Test("is asked by a statement that cannot end the moment it is read in")
  func transactions() async throws {
    var talk = try await Conversation.begun(.stocked())
    for sql in [
      "COMMIT;--", "ROLLBACK /* */", "BEGIN DEFERRED", "SAVEPOINT a", "PRAGMA query_only = 0",
    ] {
      let answer = try await talk.query(sql)
      #expect(answer.isError, "\(sql): \(answer.text)")
    }
  }
}
