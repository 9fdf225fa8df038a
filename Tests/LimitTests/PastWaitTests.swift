import Base
import TestSupport
import Synchronization
import Testing

@Suite("A limit whose wait is over already")
struct PastWaitTests {
  static let pasts = ["0", "-5", "Thu, 01 Jan 2015 00:00:00 GMT", "1420070400"]

  /// When each request came.
  private static func requests(
    status: Int, _ retryAfter: String, refusals: Int = .max
  ) async throws -> (times: [Instant], facts: RunFacts) {
    let time = VirtualTime()
    let asked = Mutex<[Instant]>([])
    let exchange = ScriptedExchange { request, _ in
      let now = time.now
      let count = asked.withLock { asked in
        asked.append(now)
        return asked.count
      }
      if count > refusals {
        return .success(WaitTests.list(request, WaitTests.page(request), time))
      }
      return .success(
        Answer(
          status: status, fields: HeaderFields([HeaderField("Retry-After", retryAfter)]),
          body: Array("{}".utf8), address: request.address, sentAt: now, receivedAt: now))
    }
    let facts = try await WaitTests.walk(exchange, time)
    return (asked.withLock { $0 }, facts)
  }

  @Test("is waited for all the same, longer each time", arguments: pasts, [429, 403])
  func grows(retryAfter: String, status: Int) async throws {
    let (times, facts) = try await Self.requests(status: status, retryAfter)
    #expect(times.count <= 10, "\(times.count) requests")
    let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
    for (index, gap) in gaps.enumerated() {
      let most = Duration.milliseconds(500) * (1 << index)
      #expect(gap >= most / 2 && gap <= max(most, .seconds(120)), "wait \(index + 1): \(gap)")
    }
    #expect(times.count == 10 && times[9] - times[0] > .seconds(60), "\(gaps)")
    #expect(!facts.kinds.contains(.asDeclared))
  }

  @Test("costs one request, where the next answer is whole", arguments: pasts)
  func passes(retryAfter: String) async throws {
    let (times, facts) = try await Self.requests(status: 429, retryAfter, refusals: 1)
    #expect(facts.units.first?.certificate.verdict == .complete, "\(facts.outcome)")
    #expect(times.count == WaitTests.pages + 2)
    #expect(times[1] - times[0] >= .milliseconds(250))
  }
}
