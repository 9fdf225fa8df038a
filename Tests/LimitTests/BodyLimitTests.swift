import Base
import Crawl
import TestSupport
import Synchronization
import Testing

@Suite("A limit that an answer tells in its body")
struct BodyLimitTests {
  /// Five pages, each with these members beside its records; and when each was requested.
  private static func walk(
    _ job: Job, _ members: @escaping @Sendable (_ page: Int) -> String,
    in scratch: ScratchFolder = ScratchFolder(isInMemory: true),
    at time: VirtualTime = VirtualTime(), _ change: (inout CrawlOptions) -> Void = { _ in }
  ) async throws -> (facts: RunFacts, gaps: [Duration], at: [Instant]) {
    let asked = Mutex([Instant]())
    let exchange = ScriptedExchange { request, _ in
      asked.withLock { $0.append(time.now) }
      let page = WaitTests.page(request)
      let body = #"{"items":[{"id":"\#(page)"}],"total":5\#(members(page))}"#
      return .success(.json(request, body, at: time.now))
    }
    let facts = try await WaitTests.walk(exchange, time.timekeeper, job: job, in: scratch) {
      $0.maxWait = .seconds(86_400)
      change(&$0)
    }
    let all = asked.withLock { $0 }
    return (facts, zip(all.dropFirst(), all).map { $0 - $1 }, all)
  }

  private static func job(left: String? = nil, pause: String? = nil) throws -> Job {
    var job = try WaitTests.job()
    job.quotas[0].left = try left.map { try JSONPath($0) }
    job.quotas[0].pause = try pause.map { try JSONPath($0) }
    return job
  }

  @Test("holds the next request back so long, loses no page and is no failure")
  func pause() async throws {
    let (facts, gaps, _) = try await Self.walk(try Self.job(pause: "backoff")) {
      $0 == 2 ? #","backoff":10"# : $0 == 4 ? #","backoff":"30""# : ""
    }
    #expect(facts.units.first?.certificate.verdict == .complete)
    #expect(facts.requests.retried == 0)
    let waits = gaps.filter { $0 > .seconds(1) }
    #expect(waits.count == 2, "\(gaps)")
    #expect(waits[0] >= .seconds(10) && waits[0] < .seconds(13), "\(gaps)")
    #expect(waits[1] >= .seconds(30) && waits[1] < .seconds(33), "\(gaps)")
    #expect(facts.story.contains { $0.contains("asks for a wait before the next request") })
  }

  @Test("holds for the next run too, which a wait that is too long for this one ends as a pause")
  func later() async throws {
    let time = VirtualTime()
    let scratch = ScratchFolder(isInMemory: true)
    let job = try Self.job(pause: "backoff")
    let (first, _, at) = try await Self.walk(
      job, { $0 == 2 ? #","backoff":7200"# : "" }, in: scratch, at: time
    ) { $0.maxWait = .seconds(60) }
    #expect(first.kinds == [.paused] && at.count == 2, "\(first.outcome)")
    let (second, _, none) = try await Self.walk(job, { _ in "" }, in: scratch, at: time) {
      $0.maxWait = .seconds(60)
    }
    #expect(second.kinds == [.paused] && none.isEmpty, "\(second.outcome)")
    time.advance(by: .seconds(7202))
    let (third, _, rest) = try await Self.walk(job, { _ in "" }, in: scratch, at: time)
    #expect(third.kinds == [.asDeclared] && !rest.isEmpty, "\(third.outcome)")
  }

  @Test(
    "is none where it says nothing that can be a wait",
    arguments: [
      "0", "-5", "\"soon\"", "null", "[10]", "{\"a\":1}", "true", "1e300", "\"\"", "1e10",
      "99999999999999999999",
    ])
  func nonsense(value: String) async throws {
    let (facts, gaps, _) = try await Self.walk(try Self.job(left: "left", pause: "backoff")) { _ in
      ",\"backoff\":\(value)"
    }
    #expect(facts.units.first?.certificate.verdict == .complete, "\(facts.outcome)")
    #expect(gaps.allSatisfy { $0 < .seconds(2) }, "\(gaps)")
  }

  @Test("never shuts a job out for ever: a wait of months is tried again after a day")
  func bounded() async throws {
    let (facts, gaps, _) = try await Self.walk(try Self.job(pause: "backoff")) {
      $0 == 2 ? #","backoff":9999999"# : ""
    }
    #expect(gaps.count > 3, "\(facts.outcome)")
    #expect(gaps.max().map { (20 * 3600..<86_400).contains($0.components.seconds) } == true)
  }

  @Test("says how much is left: nothing more is requested before the quota is new")
  func left() async throws {
    let time = VirtualTime()
    var job = try Self.job(left: "quota_remaining")
    job.quotas[0].window = .daily(hour: 0, minute: 0, zone: "UTC")
    let begin = time.now
    let (facts, _, at) = try await Self.walk(job, { ",\"quota_remaining\":\(3 - $0)" }, at: time) {
      $0.maxWait = .seconds(3600)
    }
    #expect(facts.kinds == [.paused], "\(facts.outcome)")
    #expect(at.count == 3, "the third answer says that none is left")
    let midnight = Instant(seconds: (begin.seconds / 86_400 + 1) * 86_400)
    let resumes = try #require(facts.units.first?.certificate.goesOnAt)
    #expect(resumes - midnight < .seconds(5) && resumes >= midnight, "\(resumes)")
  }

  @Test("says more than was counted here, and does not widen what the job allows")
  func wider() async throws {
    var job = try Self.job(left: "quota_remaining")
    job.quotas[0].allow = 3
    job.quotas[0].burst = 3
    let (facts, _, at) = try await Self.walk(job, { _ in #","quota_remaining":9000"# }) {
      $0.maxWait = .seconds(60)
    }
    #expect(facts.kinds == [.paused] && at.count == 3, "\(facts.outcome)")
  }
}
