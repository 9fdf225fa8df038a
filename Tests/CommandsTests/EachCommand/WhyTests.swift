import Base
@testable import Commands
import SandboxKit
import TestSupport
import Testing

@Suite("trawl why")
struct WhyTests {
  private let trial: CommandTrial
  init() throws { trial = try CommandTrial() }

  private func why(_ words: String...) async throws -> JSONValue {
    try await trial.run(["why"] + words + ["--json", "--data", trial.data]).json
  }

  @Test(
    "names request, page and place of a record, its run, its lists with their proofs, and its picture"
  )
  func there() async throws {
    try await trial.run(["run", "github"] + trial.github, ends: .complete)
    let third = try trial.rows("SELECT follower_id FROM github_follows WHERE position = 3")[0]
    let found = try await why("github_users", third, "login")
    #expect(found["there"]?.boolean == true)
    let run = try trial.rows("SELECT name FROM trawl_runs")[0]
    let column = try #require(found["columns"]?[0])
    #expect(column["source"]?.string == "login" && column["run"]?.string == run)
    #expect(
      column["value"]?.string
        == (try trial.rows("SELECT login FROM github_users WHERE id = \(third)")[0]))
    let answer = try #require(found["answers"]?[0])
    #expect(answer["page"]?.integer == 1 && answer["place"]?.integer == 3)
    #expect(answer["address"]?.string?.contains("/users/octocat/followers?") == true)
    #expect(answer["run"]?.string == run)
    let list = try #require(found["lists"]?[0])
    #expect(list["list"]?.string == "followers of octocat" && list["verdict"]?.string == "complete")
    #expect(list["position"]?.integer == 3)
    // Lists without the record follow.
    #expect(found["lists"]?[1]?["first_seen_at"]?.isNull == true)
    #expect(found["pictures"]?[0]?["path"]?.string?.hasPrefix("media/") == true)
    try await trial.trawl(
      "why", "github_users", third, ends: .complete, showing: "/users/octocat/followers?",
      "followers of octocat  complete")
    try trial.change("UPDATE github_users SET login = 'x' WHERE id = \(third)")
    try await trial.trawl(
      "why", "github_users", third,
      showing: "this row is not as Trawl stored it; see: \(trial.advice("trawl prove github"))")
    let proof = try await trial.run("prove --json", ends: .found).jsonLines
    let finding = try #require(proof.first { $0["is"]?.string == "finding" })
    #expect(finding["table"]?.string == "github_users" && finding["key"]?.string == third)
  }

  @Test("of a record that was forgotten says so, and how to let it return")
  func forgotten() async throws {
    try await trial.run(["run", "github"] + trial.github, ends: .complete)
    let id = try trial.rows("SELECT follower_id FROM github_follows WHERE position = 3")[0]
    try await trial.trawl("forget", "github_users", id, ends: .complete)
    let found = try await why("github_users", id)
    let absence = found["absence"]?.string ?? ""
    #expect(absence.hasPrefix("it was forgotten on "), "\(absence)")
    #expect(absence.contains("trawl forget --undo"), "\(absence)")
    let proof = try await trial.run("prove --json", ends: .complete).jsonLines
    let gone = try #require(proof.first { $0["is"]?.string == "forgotten" })
    #expect(gone["table"]?.string == "github_users" && gone["records"]?.integer == 1)
    try await trial.trawl(
      "forget", "github_follows", id, ends: .usage, saying: "belongs to the records of github_users"
    )
    try await trial.trawl("forget", "--undo", "github_users", id, ends: .complete)
    try await trial.trawl(
      "why", "github_users", id, showing: " (a run that finds it again stores it)")
  }

  @Test("of a value that changed says since when, by which run, and what it was before")
  func changed() async throws {
    trial.keep(job: "people", columns: "login: \"login\", kind: \"type\"")
    try await trial.run("run people", ends: .complete)
    trial.time.advance(by: .seconds(3600))
    trial.keep(job: "people", columns: "login: \"login\", kind: \"login\"")
    try await trial.run("run people --refill", ends: .complete)
    try await trial.run("report people --changes", showing: "kind: User -> ")
    let row = try trial.rows("SELECT id || ' ' || login FROM people_users LIMIT 1")[0].split(
      separator: " ")
    let found = try await why("people_users", String(row[0]))
    let columns = found["columns"]?.elements.map { $0 } ?? []
    let runs = try trial.rows("SELECT name FROM trawl_runs ORDER BY run")
    let kind = try #require(columns.first { $0["column"]?.string == "kind" })
    #expect(kind["value"]?.string == String(row[1]) && kind["run"]?.string == runs[1])
    let earlier = found["earlier"]?.elements.map { $0 } ?? []
    #expect(earlier.map { $0["column"]?.string } == ["kind"])
    #expect(earlier.first?["value"]?.string == "User" && earlier.first?["run"]?.string == runs[1])
    #expect(earlier.first?["until"]?.string == kind["since"]?.string)
    let login = try #require(columns.first { $0["column"]?.string == "login" })
    #expect(login["run"]?.string == runs[0])
  }

  @Test("of a record that is not there says which rule dropped or rejected it; 4")
  func notThere() async throws {
    try await trial.run(["run", "github"] + trial.github, ends: .complete)
    let users = try trial.rows(
      "SELECT follower_id FROM github_follows WHERE position IS NOT NULL ORDER BY position")
    Golden.write(
      """
      { base: "\(trial.sandbox.endpoint(for: "github"))", streams: { followers: {
          get: "/users/octocat/followers", pages: { by: "link", size: "?per_page=100" }, records: ".",
          into: "users", columns: { id: "id as integer", half: "type as integer" },
          keep: "id <> \(users[1])" } } }
      """, to: "\(trial.scratch.path)/people.json5")
    let run = try await trial.trawl("run", "\(trial.scratch.path)/people.json5")
    try #require([.complete, .less].contains(run.status), "\(run.everything)")
    let dropped = try await trial.trawl(
      "why", "people_users", users[1], ends: .found,
      showing: "left it out by followers: keep id <> \(users[1])")
    let found = try await why("people_users", users[0], "half")
    #expect(found["rejects"]?[0]?["column"]?.string == "half", "\(dropped.output)")
    #expect(found["rejects"]?[0]?["raw"]?.string == "\"User\"")
    try await trial.run(
      "why github_users 1", ends: .found, showing: "no stored answer has it; the complete lists")
    trial.keep(job: "folk")
    try await trial.run("run folk --max-requests 0", ends: .paused)
    try await trial.run(
      "why folk_users 1", ends: .found, showing: "no list of this table is complete: it may exist")
  }

  @Test("suggests what was meant")
  func mistakes() async throws {
    try await trial.run(["run", "github"] + trial.github, ends: .complete)
    for (words, meant) in [
      (["github_userz", "1"], "github_users"), (["github_users", "1", "logni"], "login"),
      (["github_users", "one"], "whole number"),
    ] {
      try await trial.run(["why"] + words + ["--data", trial.data], ends: .usage, saying: meant)
    }
  }
}
