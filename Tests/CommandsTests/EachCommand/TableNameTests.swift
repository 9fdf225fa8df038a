import Base
@testable import Commands
import SandboxKit
import TestSupport
import Testing

@Suite("The name of a table that is taken already")
struct TableNameTests {
  let trial: CommandTrial

  init() throws { trial = try CommandTrial() }

  /// A job with images and a list; `other` is the second stream's table.
  private func write(_ name: String, table: String, other: String? = nil) -> String {
    let second = """
      ,
          following: {
            get: "/users/octocat/following", pages: { by: "link" }, records: ".",
            into: "\(other ?? "")", key: ["id"], columns: { id: "id as integer", login: "login" },
          }
      """
    let file = "\(trial.scratch.path)/\(name).json5"
    Golden.write(
      """
      {
        name: "\(name)", about: "people", base: "\(trial.sandbox.endpoint(for: "github"))",
        params: { user: { default: ["octocat"] } },
        streams: {
          followers: {
            get: "/users/{user}/followers", pages: { by: "link" }, records: ".",
            into: "\(table)", key: ["id"],
            columns: { id: "id as integer", login: "login", avatar: "avatar_url as url" },
            media: { avatar: "avatar" }, list: "follows",
          }\(other == nil ? "" : second),
        },
      }
      """, to: file)
    return file
  }

  /// Both commands report the place and a remedy, without requests or changes.
  private func expectRefusal(_ file: String, at place: String, _ words: [String]) async throws {
    let asked = trial.sandbox.requests().count
    let schema = try schema()
    for command in ["check", "run"] {
      let ended = try await trial.trawl(command, file, ends: .configuration)
      for word in ["\(file):\(place): ", "otherwise"] + words {
        #expect(ended.everything.contains(word), "\(word): \(ended.everything)")
      }
    }
    // The check sends its one request, the run none.
    #expect(trial.sandbox.requests().count <= asked + 1)
    #expect(try self.schema() == schema)
  }

  private func schema() throws -> [String] {
    guard trial.exists("data/trawl.db") else { return [] }
    return try trial.rows("SELECT sql FROM sqlite_schema WHERE name LIKE 'people%'")
  }

  @Test("by the view of its own images or its own index is refused")
  func inOneJob() async throws {
    let media = write("people", table: "users", other: "users_media")
    try await expectRefusal(media, at: "7:13", ["users_media"])
    let index = write("people", table: "users", other: "follows_by_id")
    try await expectRefusal(index, at: "13:13", ["the index people_follows_by_id"])
  }

  @Test(
    "by a view, a table or an index of another job is refused, and works in a folder of its own")
  func ofAnotherJob() async throws {
    let people = write("people", table: "users")
    try await trial.trawl("run", people, ends: .complete)
    let other = write("people-users", table: "media")
    try await expectRefusal(
      other, at: "7:13", ["the table people_users_media", "a view", "the job people", "--data"])
    let same = write("people-follows", table: "by_id")
    try await expectRefusal(same, at: "7:13", ["an index", "the job people"])
    try await trial.run(["run", other, "--data", "\(trial.scratch.path)/apart"], ends: .complete)
    // The first job continues unaffected.
    try await trial.trawl("run", people, ends: .complete)
  }

  @Test("for the view of its images is refused, whoever made what is there")
  func forItsView() async throws {
    try await trial.trawl("run", write("people-users", table: "media"), ends: .complete)
    let people = write("people", table: "users")
    try await expectRefusal(
      people, at: "7:13", ["the view people_users_media", "a table", "the job people-users"])

    let mine = write("mine", table: "users")
    try trial.change("CREATE VIEW mine_users_media AS SELECT 1 AS one")
    try await expectRefusal(
      mine, at: "7:13", ["the view mine_users_media", "that Trawl did not make", "rename"])
    try trial.change("CREATE TABLE mine_users (id)")
    try await expectRefusal(
      mine, at: "7:13", ["the table mine_users", "that Trawl did not make", "rename"])
  }
}
