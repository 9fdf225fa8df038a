import Base
import SandboxKit
import TestSupport
import Testing

@Suite("Who left a list that never holds still", .prompt)
struct ConfirmRunTests {
  private static let present =
    "SELECT follower_id FROM github_follows WHERE user_id = 583231 AND vanished_at IS NULL"
  private static let gone =
    "SELECT follower_id FROM github_follows WHERE user_id = 583231 AND vanished_at IS NOT NULL"

  private static func followers(_ sandbox: Sandbox) throws -> Set<String> {
    Set(try #require(sandbox.truth("github")?.list("followers", of: "octocat")).keys)
  }

  @Test(
    "is known each night all the same, and nobody who stayed is called gone", arguments: [1, 2])
  func unfollowed(seed: Int) async throws {
    let sandbox = try Sandbox.small(seed: UInt64(seed), followers: 60, users: 150, drift: 1)
    defer { sandbox.stop() }
    let home = Home()
    let job = home.write(JobText.unlimited(pageSize: 10), to: "github.json5")
    let run = home.arguments(job, sandbox, ["--stream", "profile", "--stream", "followers"])
    let first = await home.run(run)
    #expect([0, 3].contains(first.status), "\(first.errors)")
    for _ in 1...3 {
      let stored = Set(try Tables(home).texts(Self.present))
      let before = try Self.followers(sandbox)
      sandbox.drift("github", insert: 2, delete: 4, list: "followers/octocat")
      let left = before.subtracting(try Self.followers(sandbox)).intersection(stored)
      #expect(!left.isEmpty)
      let mark = sandbox.lastRequest
      let night = await home.run(run)
      #expect([0, 3].contains(night.status), "\(night.errors)")
      #expect(try Tables(home).verdicts()["followers of octocat"] != "complete")
      let marked = Set(try Tables(home).texts(Self.gone))
      #expect(marked.isSuperset(of: left), "\(left.subtracting(marked)): \(night.everything)")
      let truth = try Self.followers(sandbox)
      #expect(marked.isDisjoint(with: truth), "\(marked.intersection(truth))")
      let asked = Asked(sandbox, since: mark).api.map(\.target)
      let questions = asked.filter { $0.holds("/following/octocat") }
      #expect((1...23).contains(questions.count), "\(questions)")
      let report = try StoredReport("github", in: home)
      let unit = try #require(
        report.units.first { $0.text("list") == "followers of octocat" })
      let told = try #require(unit["missing"])
      #expect(told.number("gone") >= left.count && told.number("unknown") == 0)
      #expect(
        told.number("looked_gone")
          == told.number("gone") + told.number("still_there") + told.number("waiting"))
      #expect(unit.number("vanished") == told.number("gone"))
      // The server's log, the report and the run agree on every request.
      #expect(report.number("requests", "sent") == asked.count)
    }
    let proved = await home.run(["prove", "--data", home.data])
    #expect(proved.status == 0, "\(proved.everything)")
  }

  @Test("of videos is known by an empty answer about the one that is missing")
  func videos() async throws {
    let sandbox = try Sandbox.changed { $0.drift = 1 }
    defer { sandbox.stop() }
    let home = Home()
    let channel = "UCtrawlSandboxChannel000"
    let job = home.write(
      JobText.shipped(
        "youtube", [("?maxResults=50", "?maxResults=10")]),
      to: "youtube.json5")
    let run = home.arguments(
      of: "youtube", job: job, sandbox,
      ["--set", "channel=\(channel)", "--stream", "channels", "--stream", "uploads"])
    func uploads() throws -> Set<String> {
      let truth = try #require(sandbox.truth("youtube", of: "channel=\(channel)"))
      return Set(try #require(truth.lists.first { $0.name == "uploads" }).keys)
    }
    func stored(_ mark: String) throws -> Set<String> {
      Set(try Tables(home).texts("SELECT video_id FROM youtube_uploads WHERE vanished_at \(mark)"))
    }
    let first = await home.run(run)
    #expect([0, 3].contains(first.status), "\(first.errors)")
    let before = try uploads().intersection(stored("IS NULL"))
    for _ in 1...12 where try uploads().isSuperset(of: before) {
      sandbox.drift("youtube", delete: 1)
    }
    let left = before.subtracting(try uploads())
    #expect(!left.isEmpty)
    let second = await home.run(run)
    #expect([0, 3].contains(second.status), "\(second.errors)")
    let marked = try stored("IS NOT NULL")
    #expect(marked.isSuperset(of: left), "\(second.everything)")
    #expect(marked.isDisjoint(with: try uploads()))
    #expect(try stored("IS NULL").count > 20)
  }
}
