import SandboxKit
import TestSupport
import Testing

@Suite("A list that is longer than the hour", .prompt)
struct HourTests {
  @Test("pauses with what it will cost and a cure, and goes on at its page with a key")
  func goesOnWithKey() async throws {
    let sandbox = try Sandbox.changed {
      $0.gitHub.users = 1_600
      $0.gitHub.followers = 1_500
      $0.gitHub.anonymousPerHour = 8
    }
    defer { sandbox.stop() }
    let home = Home()
    let command = home.arguments(
      of: "github", sandbox,
      ["--stream", "profile", "--stream", "followers", "--max-wait", "5s", "--send-key-to"]
        + [sandbox.origin])
    let first = await home.run(command + ["--verbose"], ends: 75)
    // One of the 8 requests was spent for the profile, one for page 1.
    for words in ["16 pages", "6 requests are left of the hour", "trawl key github", "resumes at"] {
      #expect(first.errors.holds(words), "\(words): \(first.errors)")
    }
    let before = sandbox.requests(api: "github").map(\.target)
    #expect(before.count == 8)
    #expect(try Tables(home).verdicts()["followers of octocat"] == "paused")

    let mark = sandbox.lastRequest
    let kept = await home.shell("echo ghp_of-the-test | $T key github")
    #expect(kept.status == 0, "\(kept.errors)")
    await home.run(command, ends: 0)
    let after = sandbox.requests(api: "github", since: mark).filter {
      $0.target.holds("/followers")
    }
    #expect(after.allSatisfy { $0.headerNames.contains { $0.lowercased() == "authorization" } })
    // Page 7 to 16, and page 1 to see whether the list has moved; the last page was looked at.
    let again = after.map(\.target).filter { before.contains($0) }
    #expect(again.count == 2 && after.count == 11, "\(after.map(\.target))")
    #expect((again.first ?? "").hasSuffix("&page=16") && !(again.last ?? "").holds("&page="))
    #expect(try Tables(home).verdicts()["followers of octocat"] == "complete")
    let truth = try #require(sandbox.truth("github")?.list("followers", of: "octocat")).keys
    #expect(
      try Tables(home).texts("SELECT follower_id FROM github_follows").sorted() == truth.sorted())
  }
}
