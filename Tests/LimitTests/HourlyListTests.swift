import Base
import Crawl
import SandboxKit
import TestSupport
import Synchronization
import Testing

@Suite("A list that is longer than the hour's quota")
struct HourlyListTests {
  static func engine() throws -> Engine {
    var options = SandboxOptions(size: .small)
    options.gitHub.users = 2_500
    options.gitHub.followers = 1_600
    // No record leaves while the list waits for the next hour.
    options.gitHub.leaverLeavesAfter = .seconds(86_400)
    return try Engine(options)
  }

  /// Short pages: what takes 81 of them need not be long.
  static func job(_ engine: Engine) throws -> Job {
    var job = try engine.job("github")
    for index in job.streams.indices { job.streams[index].size?.value = 20 }
    return job
  }

  static func pages(_ requests: [LoggedRequest]) -> [String] {
    requests.filter { $0.target.contains("followers") && $0.status == 200 }.map(\.target)
  }

  /// What was reported about a resumed list.
  static func told(_ engine: Engine) -> [String] {
    engine.events.compactMap { if case .unitResumed(_, let text) = $0 { text } else { nil } }
  }

  private static func octocat(_ options: inout CrawlOptions) {
    options.streams = ["profile", "followers"]
  }

  @Test("tells before page 2 what it costs and what makes it cheaper, and pauses to the second")
  func firstSitting() async throws {
    let engine = try Self.engine()
    let job = try Self.job(engine)
    let began = engine.time.now
    let atTelling = Mutex<(requests: Int, text: String)?>(nil)
    let facts = try await engine.run(job, Self.octocat) { event in
      guard case .totalKnown(_, _, let pages, let text) = event else { return }
      #expect(pages == 81)
      atTelling.withLock { $0 = (engine.sandbox.requests(api: "github").count, text) }
    }
    let telling = try #require(atTelling.withLock { $0 })
    #expect(telling.requests == 2, "the profile and page 1, and nothing of page 2")
    #expect(
      telling.text
        == "81 pages, and 58 requests are left of the hour: about 1 hour, in 2 runs. With a "
        + "key about 1 minute: https://github.com/settings/tokens, then: trawl key github")
    #expect(facts.kinds == [.paused])
    let followers = try #require(facts.certificate(of: "followers"))
    // The profile, the look at the last page, and these.
    #expect(followers.pages == 58)
    // GitHub's hour began with the first request; a second is for the grain of its header.
    #expect(followers.goesOnAt == Instant(seconds: began.seconds + 3601))
    #expect(followers.why == "the 60 requests of the hour (core) are used up")
    #expect(facts.nextSteps.first?.text.hasPrefix("Nothing is lost: ") == true)
    #expect(engine.sandbox.requests(api: "github").allSatisfy { $0.status == 200 })
  }

  @Test("asks nothing before that instant, and goes on at the right page behind it")
  func laterSittings() async throws {
    let engine = try Self.engine()
    let job = try Self.job(engine)
    let first = try await engine.run(job, Self.octocat)
    let goesOn = try #require(first.certificate(of: "followers")?.goesOnAt)
    let asked = engine.sandbox.requests(api: "github").count
    engine.time.advance(by: .seconds(600))
    let early = try await engine.run(job, Self.octocat)
    #expect(early.kinds == [.paused] && engine.sandbox.requests(api: "github").count == asked)
    engine.time.advance(by: goesOn - engine.time.now)
    let second = try await engine.run(job, Self.octocat)
    let followers = try #require(second.certificate(of: "followers"))
    #expect(followers.verdict == .complete, "\(followers)")
    #expect(Self.told(engine).last == "page 1 is as it was: the list has not moved")
    try Self.expectTruth(engine)
    // Every page once, the last one again after page 1, and page 1 again at the end.
    let pages = Self.pages(engine.sandbox.requests(api: "github"))
    #expect(pages.count == 83 && Set(pages).count == 81)
  }

  @Test("goes on at once with a key, at the same page")
  func withKey() async throws {
    let engine = try Self.engine()
    let job = try Self.job(engine)
    _ = try await engine.run(job, Self.octocat)
    let before = engine.sandbox.requests().map(\.number).max() ?? 0
    let second = try await engine.run(job, key: "token", Self.octocat)
    #expect(second.kinds == [.asDeclared])
    #expect(
      Self.told(engine) == [
        "resuming after page 58", "page 1 is as it was: the list has not moved",
      ])
    let pages = Self.pages(engine.sandbox.requests(api: "github", since: before))
    #expect(pages.first?.hasSuffix("page=59") == true, "\(pages.prefix(2))")
    #expect(pages.count == 81 - 58 + 1)
    try Self.expectTruth(engine)
  }

  @Test("waits the hour out where that is wanted, with its reason and its end")
  func patient() async throws {
    let engine = try Self.engine()
    let facts = try await engine.run(try Self.job(engine)) {
      Self.octocat(&$0)
      $0.maxWait = .seconds(7200)
    }
    #expect(facts.kinds == [.asDeclared])
    let waits = engine.events.compactMap { event -> String? in
      if case .waiting(_, let reason, _) = event { reason } else { nil }
    }
    #expect(waits == ["the limit: the 60 requests of the hour (core) are used up"])
    #expect(facts.requests.waited >= .seconds(3590))
  }

  static func expectTruth(_ engine: Engine) throws {
    let truth = try #require(engine.sandbox.truth("github"))
    let wanted = try #require(truth.list("followers", of: "octocat")).keys
    let kept = try engine.texts(
      "SELECT follower_id FROM github_follows WHERE user_id = 583231 AND vanished_at IS NULL")
    #expect(kept.sorted() == wanted.sorted())
  }
}
