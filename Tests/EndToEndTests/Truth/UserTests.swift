import SandboxKit
import TestSupport
import Testing

@Suite("Users that a person names", .prompt)
struct UserTests {
  private let home = Home()

  @Test("of a known and an unknown user one is complete and one absent, told once")
  func unknown() async throws {
    let sandbox = try Sandbox.small()
    let arguments = home.arguments(
      "github", sandbox, ["--set", "user=octocat", "--set", "user=nobody-404"])
    let first = await home.run(arguments, ends: 3)
    #expect(Self.told(first, of: "nobody-404") == 1, "\(first.errors)")
    let verdicts = try home.tables.verdicts()
    #expect(verdicts["profile of octocat"] == "complete")
    #expect(verdicts["followers of octocat"] == "complete")
    #expect(verdicts["profile of nobody-404"] == "absent")
    #expect(!verdicts.keys.contains("followers of nobody-404"))
    try TruthTests.expectTruth(of: sandbox, in: home)

    let mark = sandbox.lastRequest
    let second = await home.run(arguments, ends: 0)
    // It is still named, but not requested again so soon.
    #expect(Self.told(second, of: "nobody-404") == 1, "\(second.errors)")
    // By the list, and by the result of the run.
    #expect(second.errors.split(separator: "\n").filter { $0.contains("nobody-404") }.count == 2)
    #expect(!Asked(sandbox, since: mark).api.contains { $0.target.holds("nobody-404") })
    #expect(try home.tables.verdicts()["profile of nobody-404"] == "absent")
  }

  /// Lines about the state of a user's profile. The run's last line repeats what is newly less.
  private static func told(_ ended: BinaryRun.Ended, of user: String) -> Int {
    ended.errors.split(separator: "\n")
      .filter { $0.hasPrefix("github: profile of \(user): absent: ") }.count
  }
}
