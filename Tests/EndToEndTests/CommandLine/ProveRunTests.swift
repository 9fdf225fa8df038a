import Base
import SandboxKit
import TestSupport
import Testing

@Suite("trawl prove, as a person runs it", .prompt)
struct ProveRunTests {
  private let home = Home()

  @discardableResult
  private func filled() async throws -> Sandbox {
    let sandbox = try Sandbox.small()
    await home.run(home.arguments("github", sandbox), ends: 0)
    return sandbox
  }

  /// The line about octocat's followers.
  private static func row(_ ended: BinaryRun.Ended) throws -> Substring {
    try #require(ended.output.split(separator: "\n").first { $0.contains("followers of octocat") })
  }

  @Test("says that every claim holds, list by list, and ends with 0")
  func sound() async throws {
    let sandbox = try await filled()
    let ended = await home.trawl("prove", ends: 0, showing: "every claim holds")
    let truth = try #require(sandbox.truth("github")?.list("followers", of: "octocat"))
    let words = try Self.row(ended).split(separator: " ").map(String.init)
    #expect(words.contains("\(truth.keys.count)") && words.last == "holds", "\(words)")
    let json = await home.trawl("prove", "github", "--json")
    let last = try #require(json.output.split(separator: "\n").last)
    let root = try JSONDocument.read(Array(last.utf8)).root
    #expect(root["holds"]?.boolean == true && root["findings"]?.integer == 0)
  }

  @Test("quotes each list with a digest that sqlite3 and sha256sum give as well")
  func cite() async throws {
    try await filled()
    let text = await home.trawl("prove", "github", "--cite", ends: 0)
    let json = await home.trawl("prove", "github", "--cite", "--json", ends: 0)
    let lines = json.output.split(separator: "\n")
    #expect(lines.count == 3 && text.output.split(separator: "\n").count == 3)
    for line in lines {
      let root = try JSONDocument.read(Array(line.utf8)).root
      let sql = try #require(root["sql"]?.string)
      let digest = try #require(root["sha256"]?.string)
      let rows = "sqlite3 -readonly \"$D/trawl.db\" \"$SQL\""
      let byHand = await home.shell("\(rows) | sha256sum; \(rows) | wc -l", ["SQL": sql])
      #expect(byHand.output == "\(digest)  -\n\(root["rows"]?.integer ?? -1)\n", "\(byHand)")
      #expect(text.output.holds(digest))
    }
  }

  @Test("gives the digest of the documented line, typed as it is there")
  func recipe() async throws {
    let page = JobText.read("Sources/EVIDENCE.md")
    let after = try #require(page.pieces(around: "    sqlite3 -readonly trawl.db ").last)
    let line = "sqlite3 -readonly trawl.db " + (after.pieces(around: "| sha256sum").first ?? "")
    let sandbox = try Sandbox.small()
    let job = home.write(
      """
      {
        name: "github", about: "three columns", base: "\(sandbox.endpoint(for: "github"))",
        params: { user: { default: ["octocat"], about: "whose followers" } },
        streams: {
          profile: {
            get: "/users/{user}", records: ".", into: "users", key: ["id"],
            columns: { id: "id as integer", login: "login", name: "name" },
          },
          followers: {
            for: { each: "profile.login", when: "run" },
            get: "/users/{login}/followers",
            pages: { by: "link", size: "?per_page=30" },
            records: ".", into: "users", inserts: true, key: ["id"],
            columns: { id: "id as integer", login: "login" },
            list: {
              table: "follows", columns: { user_id: "{id} as integer" },
              names: { id: "follower_id" },
            },
            listName: "followers of {login}",
          },
        },
      }
      """, to: "github.json5")
    await home.trawl("run", job, "--allow-loopback", ends: 0)
    let cited = await home.trawl("prove", "github", "--stream", "followers", "--cite")
    let digest = try #require(cited.output.pieces(around: ", sha256 ").last)
    let byHand = await home.shell("cd \"$D\" && \(line)| sha256sum")
    #expect(byHand.output.holds(digest.prefix { $0 != "\n" } + "  -"), "\(line) \(byHand.errors)")
    // Another text gives another digest.
    await home.shell(
      "sqlite3 \"$D/trawl.db\" \"UPDATE github_users SET login = 'x' WHERE rowid = "
        + "(SELECT min(follower_id) FROM github_follows)\"")
    let other = await home.shell("cd \"$D\" && \(line)| sha256sum", ends: 0)
    #expect(other.output != byHand.output)
  }

  @Test("names a row that is another now, ends with 4, and quotes no list that it is in")
  func damaged() async throws {
    let sandbox = try await filled()
    let truth = try #require(sandbox.truth("github")?.list("followers", of: "octocat"))
    let key = try #require(truth.keys.last)
    await home.shell(
      "sqlite3 \"$D/trawl.db\" \"UPDATE github_users SET login = login || 'x' WHERE id = $K\"",
      ["K": key], ends: 0)
    let ended = await home.trawl(
      "prove", ends: 4, showing: "github_users \(key): the row is not as it was stored")
    #expect(try Self.row(ended).hasSuffix("1 of 1 does not hold"), "\(ended)")
    let cited = await home.trawl(
      "prove", "--cite", ends: 4, saying: "followers of octocat is not cited")
    #expect(!cited.output.holds("followers of octocat"))
  }

  @Test("quotes no list with unmarked rows of earlier walks, or says how many of them there are")
  func earlierRows() async throws {
    let count = Locked(40)
    let server = AnswerServer { _ in
      let ids = (1...count.withLock { $0 }).map { "{\"id\": \($0)}" }
      return .json("{\"count\": \(ids.count), \"docs\": [\(ids.joined(separator: ","))]}")
    }
    for (vanish, said, shown) in [
      (
        ", vanish: \"mark\"",
        "things is not cited: 30 rows of earlier walks did not come, and are not marked as gone", ""
      ),
      ("", "", "40 rows of several walks, the last of which brought 10 and is complete"),
    ] {
      let own = Home()
      let job = own.write(
        """
        { base: "\(server.origin)", streams: { things: { get: "/t", records: "docs",
            total: "count counted", pages: { by: "single" }, columns: ["id integer"]\(vanish) } } }
        """, to: "q.json5")
      count.withLock { $0 = 40 }
      await own.trawl("run", job, ends: 0)
      count.withLock { $0 = 10 }
      await own.trawl("run", job, ends: vanish.isEmpty ? 0 : 3)
      let cited = await own.trawl("prove", "--cite", ends: 0, saying: said, showing: shown)
      #expect(cited.output.isEmpty == shown.isEmpty, "\(cited.output)")
    }
  }

  @Test("tells, too, what is wrong with the file alone, and then quotes nothing")
  func structure() async throws {
    try await filled()
    await home.shell("sqlite3 \"$D/trawl.db\" \"DROP INDEX trawl_runs_by_job\"", ends: 0)
    let ended = await home.trawl(
      "prove", ends: 4, showing: "the index trawl_runs_by_job", "1 finding, each verdict holds")
    #expect(try Self.row(ended).hasSuffix("holds"), "\(ended)")
    let cited = await home.trawl("prove", "--cite", ends: 4)
    #expect(cited.output.isEmpty, "\(cited.output)")
  }

  @Test("ends with 4 where a database has nothing to prove: silence is no proof")
  func nothing() async throws {
    try await filled()
    await home.trawl("prove", "giphy", ends: 4, saying: "nothing to prove")
  }
}
