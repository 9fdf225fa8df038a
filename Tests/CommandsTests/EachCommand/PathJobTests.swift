import Glibc
@testable import Commands
import TestSupport
import Testing

@Suite("A job that was run by its path")
struct PathJobTests {
  /// `folk.json5` beside the data, not found by name.
  private func file(_ trial: CommandTrial) -> String {
    trial.keep(job: "people")
    let path = "\(trial.scratch.path)/folk.json5"
    let kept = Golden.read(trial.file(of: "people")) ?? ""
    Golden.write(kept.replacing("name: \"people\"", with: "name: \"folk\""), to: path)
    return path
  }

  @Test("is known by its name afterwards, and a file that is changed or gone is said")
  func named() async throws {
    let trial = try CommandTrial()
    let (path, data) = (file(trial), ["--data", trial.data])
    try await trial.run("run folk", ends: .usage)
    try await trial.run(["run", path] + data, ends: .complete)
    let again = try await trial.run("run folk")
    #expect(
      again.status == .complete && !again.errors.contains("changed since"), "\(again.everything)")
    try await trial.run("status folk", showing: path)
    try await trial.run("check folk", ends: .complete, showing: "records (HTTP 200")
    // Named by its file it is the same job for commands on stored data.
    for words in [
      ["prove", path], ["report", path], ["report", path, "--changes"],
      ["search", "octo", "--job", path], ["reset", "progress", path, "--dry-run"],
    ] {
      let told = try await trial.run(words + data)
      #expect(told.status == .complete, "\(words): \(told.everything)")
    }
    // A misspelt name is an error.
    for words in [
      ["prove", "fulk"], ["report", "fulk"], ["report", "fulk", "--changes"],
      ["search", "octo", "--job", "fulk"], ["reset", "progress", "fulk", "--dry-run"],
    ] {
      let told = try await trial.run(words + data)
      #expect(told.status == .usage && told.errors.contains("folk"), "\(words): \(told.errors)")
    }
    Golden.write((Golden.read(path) ?? "") + "// a remark\n", to: path)
    try await trial.run(
      "run folk --dry-run", ends: .complete, saying: "has changed since its last run")
    unlink(path)
    try await trial.run("run folk", ends: .usage, saying: "that file is gone")
    try await trial.run("status folk", ends: .complete, showing: "is not there")
  }

  @Test("--images later leaves what the walk did not wait for to the next run, with its number")
  func later() async throws {
    let trial = try CommandTrial()
    let first = try await trial.run(
      ["run", "github", "--images", "later"] + trial.github, ends: .complete)
    let stored = try trial.rows(
      "SELECT count(*) FROM github_users_media WHERE avatar_path IS NOT NULL")
    let all = try trial.rows("SELECT count(*) FROM github_users WHERE avatar_url IS NOT NULL")
    if stored != all {
      #expect(first.errors.contains("left to the next run"), "\(first.errors)")
    }
    try await trial.run(["run", "github"] + trial.github, ends: .complete)
    #expect(
      try trial.rows("SELECT count(*) FROM github_users_media WHERE avatar_path IS NOT NULL") == all
    )
    #expect(
      try await trial.run(["run", "github", "--images", "never"] + trial.github).status == .usage)
  }
}
