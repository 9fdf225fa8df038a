import Base
@testable import Commands
import SandboxKit
import TestSupport
import Testing

/// A week of shipped jobs run once a day, while records come and go between runs and during walks.
@Suite("A week of the shipped jobs")
struct ShippedWeekTests {
  private struct Subject {
    var job: String
    var arguments: [String] = []
    /// Replaces text of the shipped file, for short pages: then small lists have many.
    var page: (String, String)?
    /// The lists that change, as named by the sandbox; nil: the API's usual list.
    var lists: [String?] = [nil]
  }

  private static let subjects = [
    Subject(
      job: "github", page: ("?per_page=100", "?per_page=10"),
      lists: ["followers/octocat", "following/octocat"]),
    Subject(
      job: "youtube", arguments: ["--set", "channel=UCtrawlSandboxChannel000"],
      page: ("?maxResults=50", "?maxResults=10")),
    Subject(job: "youtube-proxy"), Subject(job: "newsapi"),
    Subject(
      job: "giphy", arguments: ["--set", "typed=go"],
      page: ("?limit=50", "?limit=25"), lists: [nil, "q=cat"]),
    Subject(
      job: "openmarket",
      page: ("?items_per_page=100", "?items_per_page=10")),
  ]

  /// How many requests of lists pass between changes during a walk.
  private static let requestsPerChange = 15

  @Test("leaves at least seventy in a hundred of their lists complete on the seventh day")
  func sevenDays() async throws {
    var lines: [String] = []
    var complete = 0
    var lists = 0
    for subject in Self.subjects {
      let trial = try CommandTrial()
      let job = try Self.file(subject, trial)
      let count = Locked(0)
      trial.sandbox.watch { [sandbox = trial.sandbox] request in
        // Images are fetched beside the lists, in no order.
        guard request.api != "media" else { return }
        let number = count.withLock { count in
          count += 1
          return count
        }
        guard number.isMultiple(of: Self.requestsPerChange) else { return }
        let place = subject.lists[number / Self.requestsPerChange % subject.lists.count]
        let comes = number.isMultiple(of: 2 * Self.requestsPerChange)
        sandbox.drift(subject.job, insert: comes ? 1 : 0, delete: comes ? 0 : 1, list: place)
      }
      for day in 1...7 {
        let ended = try await trial.run(
          ["run", job, "--endpoint", trial.sandbox.endpoint(for: subject.job)]
            + ["--data", trial.data] + subject.arguments)
        #expect(ended.status == .complete || ended.status == .less, "\(ended.everything)")
        trial.time.advance(by: .seconds(86_400))
        for list in subject.lists where day < 7 {
          trial.sandbox.drift(subject.job, insert: 2, delete: 1, list: list)
        }
      }
      trial.sandbox.watch(nil)
      for claim in try Self.claims(trial) {
        lists += 1
        if claim.contains(": complete") { complete += 1 }
        lines.append("  \(subject.job): \(claim)")
      }
    }
    let share = complete * 100 / max(1, lists)
    #expect(
      share >= 70, "\(complete) of \(lists) lists are complete:\n\(lines.joined(separator: "\n"))")
  }

  /// The job's name, or a copy of its file with short pages.
  private static func file(_ subject: Subject, _ trial: CommandTrial) throws -> String {
    guard let (old, new) = subject.page else { return subject.job }
    let text = try #require(Golden.read("\(Golden.root)/jobs/\(subject.job).json5"))
    #expect(text.contains(old), "jobs/\(subject.job).json5")
    let path = "\(trial.scratch.path)/\(subject.job).json5"
    Golden.write(text.replacing(old, with: new), to: path)
    return path
  }

  private static func claims(_ trial: CommandTrial) throws -> [String] {
    try trial.rows(
      "SELECT list || ': ' || verdict || coalesce(' (' || coalesce(proof, cause) || ')', '') "
        + "|| ': ' || why FROM trawl_trust ORDER BY 1")
  }
}
