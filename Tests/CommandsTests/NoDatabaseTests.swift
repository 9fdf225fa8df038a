import Glibc
@testable import Commands
import TestSupport
import Testing

@Suite("Where there is no database")
struct NoDatabaseTests {
  private static let reading = [
    "sql items --csv -o FILE", "search somebody", "favorite list", "prove", "why github_users 1",
    "media verify", "media path github_users 1", "backup FILE", "backup --readers FILE",
  ]

  @Test("all that read one end alike, and make nothing", arguments: reading + ["media gc"])
  func missing(line: String) async throws {
    let trial = try CommandTrial()
    try await trial.run(filled(line, trial), ends: .usage, saying: "there is no database in")
    #expect(!trial.exists("data") && !trial.exists("copy.db"))
  }

  @Test(
    "one that came out empty beside pictures is damage to all of them",
    arguments: reading + ["status", "status github --alert", "check", "run github"])
  func lost(line: String) async throws {
    let trial = try CommandTrial()
    mkdir(trial.data, 0o750)
    mkdir("\(trial.data)/media", 0o750)
    Golden.write("", to: "\(trial.data)/trawl.db")
    let isAlert = line.hasSuffix("--alert")
    let ended = try await trial.run(filled(line, trial), ends: isAlert ? .found : .damaged)
    #expect(
      isAlert || ended.everything.contains("it is empty, though the folder was used before"),
      "\(ended.everything)")
    #expect(Golden.read("\(trial.data)/trawl.db") == "" && !trial.exists("copy.db"))
  }

  @Test("a link that leads nowhere is no damaged database")
  func danglingLink() async throws {
    let trial = try CommandTrial()
    symlink("\(trial.scratch.path)/gone", trial.data)
    try await trial.run(
      ["run", "github"] + trial.github, ends: .cannotCreate,
      saying: "a symbolic link that leads nowhere")
  }

  private func filled(_ line: String, _ trial: CommandTrial) -> String {
    line.replacing("FILE", with: "\(trial.scratch.path)/copy.db")
  }
}
