import Base
import Drafting
import Jobs
import Testing

@Suite("A draft finds what records hold")
struct ColumnTests {
  private func drafted(_ body: String) throws -> ScriptedList.Drafted {
    try ScriptedList(url: "https://api.example/users") { _ in .init(body: body) }.drafted()
  }

  @Test("Types, nested objects, lists within a record, and images")
  func types() throws {
    let found = try drafted(
      """
      [{"id": 1, "login": "a", "score": 1.5, "admin": true, "avatar_url": "https://x.example/a.png",
        "created_at": "2026-01-02T03:04:05Z", "born": "2001-02-03", "seen": "2026-01-02 03:04:05",
        "updated": 1700000000, "owner": {"id": 9, "name": "o"}, "tags": ["x"], "gone": null,
        "keys": [{"id": 5, "title": "k"}, {"id": 6, "title": "l"}]},
       {"id": 2, "login": "b", "score": 2, "admin": false, "avatar_url": "https://x.example/b.png",
        "created_at": "2026-01-02T03:04:05Z", "born": "2001-02-03", "seen": "2026-01-02 03:04:05",
        "updated": 1700000001, "owner": {"id": 9, "name": "o"}, "tags": [], "gone": null, "keys": []}]
      """)
    for line in [
      "columns: [ \"id integer\", \"login\", \"score real\", \"admin boolean\", \"avatar_url url\",",
      "\"created_at time\"", "\"born date\"", "\"seen time in UTC\"", "\"updated time\"",
      "\"owner.id integer\"", "\"tags json\"",
      "media: { image: \"avatar_url\" }", "records: \"keys\"", "parent: { id: \"user_id\" }",
      "Left out: gone: null in every record",
    ] { #expect(found.words.contains(line), "\(line)\n\(found.draft.text)") }
    #expect(found.stream.key == ["id"])
  }

  @Test("The shortest form has a line for each thing that differs, and every member as a column")
  func short() throws {
    for (body, columns) in [
      ("[{\"id\": 1, \"a\": 1}, {\"id\": 2, \"a\": 1}]", "columns: [\"id integer\", \"*\"],"),
      ("[{\"id\": \"x\", \"a\": 1}, {\"id\": \"y\", \"a\": 1}]", "columns: \"*\","),
      ("[{\"x\": 1}, {\"x\": 1}]", "columns: [\"position()\", \"*\"],"),
    ] {
      let found = try drafted(body)
      #expect(found.short.contains(columns), "\(found.short)")
      let job = try JobFile.read(Array(found.short.utf8), file: "mine.json5")
      #expect(job.streams[0].takesAll && job.streams[0].key == found.stream.key)
      #expect(job.streams[0].pager == found.stream.pager)
      #expect(found.short.split(separator: "\n").count { !$0.hasPrefix("//") } <= 13)
    }
  }

  @Test("The key is what tells records apart: an id, nested or not, a name, else their place")
  func keys() throws {
    for (body, key) in [
      (
        "[{\"kind\": \"a\", \"id\": {\"kind\": \"v\", \"userId\": \"x\"}, \"s\": {\"chanId\": \"p\"}}, "
          + "{\"kind\": \"a\", \"id\": {\"kind\": \"v\", \"userId\": \"y\"}, \"s\": {\"chanId\": \"q\"}}]",
        "id.userId"
      ),
      ("[{\"name\": \"a\", \"n\": 1}, {\"name\": \"b\", \"n\": 2}]", "name"),
      ("[\"a\", \"b\"]", "."), ("[{\"x\": 1}, {\"x\": 1}]", "none: the position in the list"),
    ] {
      let found = try drafted(body)
      #expect(found.draft.summary.first { $0.what == "key" }?.found == key)
    }
  }

  @Test("Rows that are lists take the names that stand beside them; entries may be members")
  func forms() throws {
    let rows = try drafted("{\"columns\": [\"id\", \"port\"], \"rows\": [[1, \"x\"], [2, \"y\"]]}")
    #expect(rows.stream.columns.map(\.name) == ["id", "port"])
    let map = try drafted(
      "{\"query\": {\"pages\": {\"7\": {\"pageid\": 7, \"title\": \"a\"}, \"9\": {\"pageid\": 9, \"title\": \"b\"}}}}"
    )
    #expect(map.stream.records.text == "query.pages.*")
    #expect(map.stream.key == ["pageid"])
  }

  @Test("Limits that headers tell become quotas")
  func limits() throws {
    let list = ScriptedList(url: "https://api.example/users") { _ in
      .init(
        fields: [
          ("X-RateLimit-Limit", "60"), ("X-RateLimit-Remaining", "59"),
          ("X-RateLimit-Reset", "1800003000"), ("X-RateLimit-Resource", "core"),
        ], body: ScriptedList.records(0..<2))
    }
    let found = try list.drafted()
    #expect(found.job.quotas.map(\.name) == ["core"])
    #expect(found.job.quotas[0].allow == 60)
    #expect(found.words.contains("hour is a guess"))
  }

  @Test("A window that headers state is the quota's")
  func windows() throws {
    for (seconds, per) in [
      (1, "second"), (60, "minute"), (3_600, "hour"), (86_400, "day"), (900, "900s"),
    ] {
      let list = ScriptedList(url: "https://api.example/users") { _ in
        .init(
          fields: [
            ("RateLimit-Policy", "100;w=\(seconds)"),
            ("RateLimit", "limit=100, remaining=90, reset=1"),
          ], body: ScriptedList.records(0..<2))
      }
      let found = try list.drafted()
      #expect(found.draft.text.contains("allow: 100, per: \"\(per)\""), "\(found.draft.text)")
    }
  }
}
