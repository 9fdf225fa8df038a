import Glibc
@testable import Commands
import TestSupport
import Testing

@Suite("A job that was run by its path")
struct PathJobTests {
  /// `folk.json5` beside the data, not found by name.
  private func file(_ trial: CommandTrial, columns: String = "login: \"login\"") -> String {
    trial.keep(job: "people", columns: columns)
    let path = "\(trial.scratch.path)/folk.json5"
    let kept = Golden.read(trial.file(of: "people")) ?? ""
    Golden.write(kept.replacing("name: \"people\"", with: "name: \"folk\""), to: path)
    return path
  }

  @Test("is known by its name afterwards, and a file that is changed or gone is said")
  func named() async throws {
    let trial = try CommandTrial()
    let path = file(trial)
    try await trial.run("run folk", ends: .usage)
    try await trial.run("run \(path)", ends: .complete)
    let again = try await trial.run("run folk", ends: .complete)
    #expect(!again.errors.contains("changed since"), "\(again.errors)")
    try await trial.run("status folk", showing: path)
    try await trial.run("check folk", ends: .complete, showing: "records (HTTP 200")
    // Named by its file it is the same job for commands on stored data; a misspelt name is an error.
    for line in [
      "prove JOB", "report JOB", "report JOB --changes", "search octo --job JOB",
      "reset progress JOB --dry-run",
    ] {
      try await trial.run(line.replacing("JOB", with: path), ends: .complete)
      try await trial.run(line.replacing("JOB", with: "fulk"), ends: .usage, saying: "folk")
    }
    Golden.write((Golden.read(path) ?? "") + "// a remark\n", to: path)
    try await trial.run(
      "run folk --dry-run", ends: .complete, saying: "has changed since its last run")
    Golden.write((Golden.read(path) ?? "").replacing("\"folk\"", with: "\"other\""), to: path)
    try await trial.run("run folk", ends: .usage, saying: "which is the file of other now")
    try await trial.run(
      "status folk --alert", ends: .found, showing: "\(path) is the file of another job now")
    unlink(path)
    try await trial.run("run folk", ends: .usage, saying: "that file is gone")
    try await trial.run("status folk", ends: .complete, showing: "is not there")
  }

  @Test("has its own media settings when a picture is fetched again")
  func media() async throws {
    let trial = try CommandTrial()
    let path = file(trial, columns: "face: \"avatar_url\" }, media: { face: \"face\"")
    try await trial.run("run \(path)", ends: .complete)
    unlink("\(trial.data)/\(try trial.rows("SELECT path FROM trawl_media")[0])")
    let text = Golden.read(path) ?? ""
    Golden.write(text.replacing("base:", with: "media: { file: \"1KB\" }, base:"), to: path)
    try await trial.run("media verify", ends: .found, showing: "no such image now: too-many-bytes")
  }
}
