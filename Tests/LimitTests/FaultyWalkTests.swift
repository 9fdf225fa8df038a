import Base
import Crawl
import SandboxKit
import TestSupport
import Testing

@Suite("A walk under faults")
struct FaultyWalkTests {
  /// All that pass on a retry; without those that keep a socket waiting in real time.
  static let kinds =
    "status500 status502 status503 429-seconds 429-date 429-epoch 429-none 429-past 429-garbage "
    + "reset-early reset-mid close-now cut-length cut-chunked cut-gzip cut-json html-200 empty-200 "
    + "garbage two-lengths bad-chunk secondary-retry secondary-bare secondary-429"

  @Test(
    "of three answers in ten ends with the truth, and asks no more than it must",
    arguments: Torture.seeds(plain: 2, long: 20))
  func faults(seed: UInt64) async throws {
    var options = SandboxOptions(size: .small)
    options.seed = seed % 1000 + 1
    options.gitHub.users = 3000
    options.gitHub.followers = 2000
    options.gitHub.anonymousPerHour = 1_000_000
    let names = Self.kinds.split(separator: " ")
    let share = 0.3 / Double(names.count)
    options.faults = try FaultSpec(
      parsing: names.map { "\($0)=\(share)" }.joined(separator: ","))
    let engine = try Engine(options)
    var job = try engine.job("github")
    job.quotas[0].allowWithoutKey = 1_000_000
    for index in job.streams.indices { job.streams[index].size?.value = 20 }
    let facts = try await engine.run(job) {
      $0.streams = ["profile", "followers"]
      $0.maxWait = .seconds(86_400)
    }
    #expect(facts.kinds == [.asDeclared], "\(facts.outcome) \(facts.units.map(\.certificate.why))")
    try HourlyListTests.expectTruth(engine)
    let asked = engine.sandbox.requests(api: "github")
    let good = asked.filter { $0.outcome == "answered" && $0.status == 200 }.count
    let bad = asked.count - good
    // Only broken requests are repeated, once each: 3 in 10 of all.
    #expect(bad > 0 && facts.requests.retried <= bad)
    #expect(asked.count * 100 <= good * 165, "\(asked.count) requests for \(good) whole answers")
  }
}
