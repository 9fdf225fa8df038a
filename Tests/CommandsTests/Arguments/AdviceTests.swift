import Base
@testable import Commands
import TestSupport
import Testing

@Suite("Command lines that are advised")
struct AdviceTests {
  private func advised(
    _ line: String..., environment: [String: String] = [:]
  ) throws -> AdvisedCommands {
    let request = try ArgumentReader(now: Instant(seconds: 0)).read(line)
    guard case .command(let invocation) = request else {
      throw UsageProblem("\(line) is no command")
    }
    return AdvisedCommands(invocation, Environment(environment))
  }

  @Test("act on the folder of the command line that advises them")
  func carried() throws {
    let here = try advised("run", "x", "--data", "/my data", "--ledger", "l.db")
    for (text, told) in [
      (
        "trawl reset records x, then trawl prove x",
        "trawl reset records --data '/my data' --ledger l.db x, then trawl prove --data '/my data' x"
      ),
      ("see: trawl check --data /other x", "see: trawl check --data /other x"),
      ("trawl media gc.", "trawl media gc --data '/my data'."),
      ("trawl media gc --data /other", nil),
      ("trawl help; what trawl runs; /usr/bin/trawl run", nil),
      ("trawl.db, trawl", nil), ("t", nil), ("", nil),
    ] {
      #expect(here.carried(text) == told ?? text)
    }
    #expect(try advised("run", "x").carried("trawl run x") == "trawl run x")
  }

  @Test("are the system's where the system's folder is at hand")
  func system() throws {
    let unit = try advised("status", "x", environment: ["STATE_DIRECTORY": "/var/lib/trawl"])
    #expect(unit.carried("to store one: trawl key x") == "to store one: sudo trawl --system key x")
    #expect(unit.carried("sudo trawl run x") == "sudo trawl --system run x")
    let named = try advised("status", "x", "--data", "/var/lib/trawl")
    #expect(named.carried("trawl key x") == "sudo trawl --system key x")
    let chosen = try advised(
      "status", "x", environment: ["STATE_DIRECTORY": "/var/lib/trawl", "TRAWL_DATA": "/mine"])
    #expect(chosen.carried("trawl key x") == "trawl key x")
  }

  @Test("name the folder in the cure of prove, which deletes rows")
  func cure() async throws {
    let trial = try CommandTrial()
    trial.keep(job: "people")
    try await trial.run("run people", ends: .complete)
    try trial.change(
      "UPDATE people_users SET login = 'x' WHERE rowid = (SELECT min(rowid) FROM people_users)")
    let proof = try await trial.run("prove people", ends: .found)
    let folder = "--data \(trial.data)"
    #expect(
      proof.errors.contains(
        "trawl reset records \(folder) people, then trawl run \(folder) people"),
      "\(proof.errors)")
  }

  @Test("a stream or a value that no list has is refused with those that there are")
  func slips() async throws {
    let trial = try CommandTrial()
    trial.keep(job: "people")
    try await trial.run("run people", ends: .complete)
    for line in ["prove people --stream folowers", "reset progress people --stream folowers --yes"]
    {
      try await trial.run(line, ends: .usage, saying: "did you mean \"followers\"?")
    }
    try await trial.run(
      "reset coverage people --set usr=octocat --dry-run", ends: .usage,
      saying: "did you mean \"user\"?")
    try await trial.run("prove --stream followers", ends: .complete)
    try await trial.run("reset coverage people --set user=octocat --dry-run", ends: .complete)
  }
}
