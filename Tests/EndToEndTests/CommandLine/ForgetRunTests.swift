import Glibc
import SandboxKit
import TestSupport
import Testing

@Suite("Forgetting at the command line", .prompt)
struct ForgetRunTests {
  private let home = Home()

  /// One of octocat's followers, with everything that identifies it.
  private struct Somebody {
    var id, login, avatar: String
    var texts: [String] { [login, avatar, "media/\(avatar)"] }
  }

  private static func somebody(in home: Home) throws -> Somebody {
    let row = try home.tables.texts(
      "SELECT u.id, u.login, m.digest FROM github_users u JOIN github_follows f ON f.follower_id = u.id "
        + "JOIN github_users_media v ON v.id = u.id JOIN trawl_media m ON m.path = v.avatar_path "
        + "WHERE NOT EXISTS (SELECT 1 FROM trawl_media_urls o WHERE o.digest = m.digest "
        + "AND o.record_key <> u.id) AND u.login <> 'octocat' ORDER BY u.id LIMIT 1")
    let parts = try #require(row.first).split(separator: "|").map(String.init)
    return Somebody(id: parts[0], login: parts[1], avatar: parts[2])
  }

  /// The files of the folder whose names or bytes contain any of the texts.
  private static func files(in home: Home, holding texts: [String]) async -> [String] {
    let words = texts.map { "-e '\($0)'" }.joined(separator: " ")
    let found = await home.shell(
      "cd \"$D\" && { grep -rlaFw \(words) . ; find . | grep -Fw \(words); } | sort -u")
    return found.output.split(separator: "\n").map(String.init)
  }

  private var backup: String { "\(home.scratch.path)/backup.db" }

  /// The arguments of a run that was made once, and one of those whom it brought.
  private func filled(
    followers: Int = 20, users: Int = 60, pageSize: Int = 100
  ) async throws -> (run: [String], gone: Somebody) {
    let sandbox = try Sandbox.small(followers: followers, users: users)
    let job = home.write(JobText.unlimited(pageSize: pageSize), to: "github.json5")
    let run = home.arguments(job, sandbox)
    await home.run(run, ends: 0)
    return (run, try Self.somebody(in: home))
  }

  @Test("no byte of the record is left in any file, beside a backup that is named")
  func everything() async throws {
    let (run, gone) = try await filled(followers: 60, users: 200, pageSize: 10)
    await home.trawl("backup", backup, ends: 0)
    await home.trawl(
      "forget", "github_users", gone.id, "--dry-run", ends: 0, saying: backup,
      showing: "would be forgotten:")
    #expect(await !Self.files(in: home, holding: gone.texts).isEmpty)
    // As a process that was killed leaves the picture.
    await home.shell(
      "cd \"$D/media\"; mkdir -p .tmp/1-0; cp */\(gone.avatar).* .tmp/1-0/ && ls .tmp/1-0/*")
    await home.trawl(
      "forget", "github_users", gone.id, ends: 0, saying: "still in \(backup)",
      showing: "picture that nobody else shows")
    #expect(await Self.files(in: home, holding: gone.texts + [gone.id]) == [])
    #expect(!home.holds("\(home.data)/media/.tmp/1-0"))
    // What the run's report says about all others is still there, also as a page.
    let reports = await home.shell("ls \"$D/reports/github\"")
    #expect(reports.output.split(separator: "\n").count == 2, "\(reports.output)")
    await home.trawl("prove", ends: 0, showing: "github_users: 1 record forgotten at")
    // Neither the next run nor a restore brings it back.
    await home.run(run, ends: 0)
    #expect(await Self.files(in: home, holding: gone.texts) == [])
    await home.trawl("restore", backup, "--replace", ends: 0)
    await home.shell("rm -f \"$D\"/trawl.db.before-*")
    #expect(await Self.files(in: home, holding: [gone.login]) == [])
    await home.trawl("prove", ends: 0)
    await home.trawl("forget", "github_users", gone.id, ends: 0, saying: "was forgotten at")
    await home.trawl("forget", "--undo", "github_users", gone.id, ends: 0)
    await home.run(run, ends: 0)
    let logins = try home.tables.texts("SELECT login FROM github_users WHERE id = \(gone.id)")
    #expect(logins == [gone.login])
    await home.trawl("prove", ends: 0)
    await home.trawl("forget", "github_users", "987654321", ends: 4)
  }

  @Test("a key that no argument can be is named as a JSON list of one; every other as it is")
  func oddKeys() async throws {
    let server = AnswerServer { _ in
      .json(
        #"{"items":[{"id":"a\u0000b","title":"x"},{"id":"","title":"y"},{"id":"[\"c\"]","title":"z"}]}"#
      )
    }
    let job = home.write(
      Shelf.job(base: server.origin, columns: #"id: "id", title: "title""#), to: "shelf.json5")
    await home.trawl("run", job, "--allow-loopback", ends: 0)
    await home.trawl("why", "shelf_books", #"[""]"#, ends: 0)
    for (key, left) in [(#"["a\u0000b"]"#, 2), (#"[""]"#, 1), (#"["c"]"#, 0)] {
      await home.trawl("forget", "shelf_books", key, ends: 0)
      #expect(try home.tables.texts("SELECT id FROM shelf_books").count == left, "\(key)")
    }
  }

  @Test("a reader that holds the log: 75, and the same command without words ends it")
  func pinned() async throws {
    let gone = try await filled().gone
    let reader = Task {
      await home.shell(
        "sqlite3 -readonly \"$D/trawl.db\" 'BEGIN; SELECT count(*) FROM trawl_runs;' "
          + "'.shell touch \"$D-reading\"; while [ ! -e \"$D-enough\" ]; do sleep 0.05; done'")
    }
    try await until("the reader reads") { home.holds("\(home.data)-reading") }
    await home.trawl("forget", "github_users", gone.id, ends: 75, saying: "which trawl check")
    home.write("", to: "\(home.data)-enough")
    _ = await reader.value
    await home.trawl("forget", ends: 0, showing: "what was forgotten is overwritten")
    #expect(await Self.files(in: home, holding: [gone.login]) == [])
  }

  @Test("where the file cannot be written anew, what ends it is told")
  func noRoom() async throws {
    let gone = try await filled().gone
    await home.trawl("backup", backup, ends: 0)
    let words = ["forget", "github_users", gone.id, "--data", home.data]
    await home.shell(
      "prlimit --fsize=$(stat -c %s \"$D/trawl.db\") \"$T\" \(words.joined(separator: " "))",
      ends: 74, saying: "are still in the file; when that is mended: trawl forget",
      // The copies are named by each command that can.
      "still in \(backup)", showing: "forgotten:")
    let rehearsed = await home.run(words + ["--dry-run"], ends: 0, saying: "still in \(backup)")
    #expect(!rehearsed.output.holds("overwritten"))
    await home.trawl("forget", ends: 0, saying: "\(backup) may hold what was forgotten")
    await home.run(words, ends: 0, saying: "still in \(backup)")
    #expect(await Self.files(in: home, holding: [gone.login]) == [])
  }

  @Test("what else has its key is named, each with what removes it")
  func elsewhere() async throws {
    let server = AnswerServer { call in
      .json(
        call.target == "/notes"
          ? #"{"items": [{"id": "n", "text": "seen (nobody-77)", "lines": [{"id": "a", "who": "nobody-77"}]}]}"#
          : #"{"items": [{"id": "nobody-77"}]}"#)
    }
    let job = home.write(
      """
      {
        name: "pairs", base: "\(server.origin)",
        streams: {
          things: { get: "/things", pages: { by: "single" }, records: "items", key: ["id"],
            columns: ["id"] },
          notes: { get: "/notes", pages: { by: "single" }, records: "items", key: ["id"],
            columns: ["id", "text"],
            children: { lines: { records: "lines", key: ["id"], parent: { id: "note" }, columns: ["id", "who"] } } },
        },
      }
      """, to: "pairs.json5")
    await home.trawl("run", job, ends: 0)
    await home.shell(
      #"sqlite3 "$D/trawl.db" "CREATE TABLE \"it's mine\" (who); INSERT INTO \"it's mine\" VALUES ('nobody-77')""#,
      ends: 0)
    await home.trawl("favorite", "add", "pairs", "a", ends: 64, saying: "has several tables")
    await home.trawl("forget", "giphy", "a", ends: 64, saying: "there is no table giphy_gifs in")
    await home.trawl(
      "forget", "pairs_things", ends: 64, saying: "say which record of pairs_things to forget")
    await home.trawl(
      "forget", "pairs_things", "nobody-77", ends: 0,
      saying: "in 1 row of pairs_notes, in text; each can be forgotten by its own key: ",
      "in 1 row of pairs_lines, in who; each goes with the record that it belongs to",
      #"no job fills it; to remove it: sqlite3 \#(home.database) 'DROP TABLE "it'\''s mine"'"#)
  }

  @Test("rows that were requested for the record, and name it, are told")
  func requestedRows() async throws {
    let server = AnswerServer { call in
      .json(
        call.target.hasPrefix("/sub")
          ? #"{"items": [{"id": "s1"}, {"id": "s2"}]}"#
          : #"{"items": [{"id": "k1"}, {"id": "nobody-77"}, {"id": "nobody $(88)"}]}"#)
    }
    let job = home.write(
      """
      {
        name: "pairs", base: "\(server.origin)",
        streams: {
          things: { get: "/things", pages: { by: "single" }, records: "items", key: ["id"],
            columns: ["id"] },
          sub: { for: { each: "things.id", when: "all" }, get: "/sub", query: { p: "{id}" },
            pages: { by: "single" }, records: "items", key: ["p", "id"], columns: { p: "{id}", id: "id" }, vanish: "mark" },
        },
      }
      """, to: "pairs.json5")
    await home.trawl("run", job, ends: 0)
    await home.trawl(
      "forget", "pairs_things", "nobody-77", ends: 0,
      saying: "2 rows of pairs_sub, requested for it, name it in p",
      showing: "nothing else of it is left")
    // The advice can be pasted into a shell, whatever the API calls its records.
    await home.trawl(
      "forget", "pairs_things", "nobody $(88)", ends: 0,
      saying: #"'SELECT * FROM pairs_sub WHERE p = '\''nobody $(88)'\'''"#,
      "pairs_things 'nobody $(88)'")
  }
}
