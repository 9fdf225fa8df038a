import Base
import SandboxKit
import TestSupport
import Testing

@Suite("trawl prove, as a person runs it", .prompt)
struct ProveRunTests {
  private let home = Home()

  private func filled(_ home: Home) async throws -> Sandbox {
    let sandbox = try Sandbox.small()
    await home.run(home.arguments("github", sandbox), ends: 0)
    return sandbox
  }

  @Test("says that every claim holds, list by list, and ends with 0")
  func sound() async throws {
    let sandbox = try await filled(home)
    let ended = await home.trawl("prove", ends: 0)
    let truth = try #require(sandbox.truth("github")?.list("followers", of: "octocat"))
    let row = ended.output.split(separator: "\n").first { $0.contains("followers of octocat") }
    let words = row?.split(separator: " ").map(String.init) ?? []
    #expect(words.contains("\(truth.keys.count)") && words.last == "holds", "\(words)")
    #expect(ended.output.holds("every claim holds"))
    let json = await home.trawl("prove", "github", "--json")
    let last = try #require(json.output.split(separator: "\n").last)
    let root = try JSONDocument.read(Array(last.utf8)).root
    #expect(root["holds"]?.boolean == true && root["findings"]?.integer == 0)
  }

  @Test("quotes each list with a digest that sqlite3 and sha256sum give as well")
  func cite() async throws {
    _ = try await filled(home)
    let text = await home.trawl("prove", "github", "--cite")
    let json = await home.trawl("prove", "github", "--cite", "--json")
    #expect(text.status == 0 && json.status == 0, "\(text.errors)\(json.errors)")
    let lines = json.output.split(separator: "\n")
    #expect(lines.count == 3 && text.output.split(separator: "\n").count == 3)
    for line in lines {
      let root = try JSONDocument.read(Array(line.utf8)).root
      let sql = try #require(root["sql"]?.string)
      let digest = try #require(root["sha256"]?.string)
      let byHand = await home.shell(
        "sqlite3 -readonly \"$D/trawl.db\" \"$SQL\" | sha256sum", ["SQL": sql])
      #expect(byHand.output == "\(digest)  -\n", "\(byHand.errors)")
      let rows = await home.shell(
        "sqlite3 -readonly \"$D/trawl.db\" \"$SQL\" | wc -l", ["SQL": sql])
      #expect(rows.output == "\(root["rows"]?.integer ?? -1)\n")
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
    _ = await home.shell(
      "sqlite3 \"$D/trawl.db\" \"UPDATE github_users SET login = 'x' WHERE rowid = "
        + "(SELECT min(follower_id) FROM github_follows)\"")
    let other = await home.shell("cd \"$D\" && \(line)| sha256sum")
    #expect(other.output != byHand.output && other.status == 0)
  }

  @Test("names a row that is another now, ends with 4, and quotes no list that it is in")
  func damaged() async throws {
    let sandbox = try await filled(home)
    let truth = try #require(sandbox.truth("github")?.list("followers", of: "octocat"))
    let key = try #require(truth.keys.last)
    let done = await home.shell(
      "sqlite3 \"$D/trawl.db\" \"UPDATE github_users SET login = login || 'x' WHERE id = $K\"",
      ["K": key])
    #expect(done.status == 0, "\(done.errors)")
    let ended = await home.trawl(
      "prove", ends: 4, showing: "github_users \(key): the row is not as it was stored")
    let row = ended.output.split(separator: "\n").first { $0.contains("followers of octocat") }
    #expect(row?.hasSuffix("1 of 1 does not hold") == true, "\(row ?? "")")
    let cited = await home.trawl("prove", "--cite", ends: 4)
    #expect(!cited.output.holds("followers of octocat"))
    #expect(cited.errors.holds("followers of octocat is not cited"))
  }

  @Test("tells, too, what is wrong with the file alone, and then quotes nothing")
  func structure() async throws {
    _ = try await filled(home)
    let done = await home.shell("sqlite3 \"$D/trawl.db\" \"DROP INDEX trawl_runs_by_job\"")
    #expect(done.status == 0, "\(done.errors)")
    let ended = await home.trawl(
      "prove", ends: 4, showing: "the index trawl_runs_by_job", "1 finding, each verdict holds")
    let row = ended.output.split(separator: "\n").first { $0.contains("followers of octocat") }
    #expect(row?.hasSuffix("holds") == true, "\(ended.everything)")
    let cited = await home.trawl("prove", "--cite")
    #expect(cited.status == 4 && cited.output.isEmpty, "\(cited.everything)")
  }

  @Test("ends with 4 where a database has nothing to prove: silence is no proof")
  func nothing() async throws {
    _ = try await filled(home)
    await home.trawl("prove", "giphy", ends: 4, saying: "nothing to prove")
  }
}

extension BinaryRun.Ended {
  var everything: String { output + errors }
}
