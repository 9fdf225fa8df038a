import Base
import Crawl
import TestSupport
import Synchronization
import Testing

@Suite("A limit that names no time")
struct BlindLimitTests {
  @Test(
    "costs three requests, is a pause, holds for whoever uses the key, and heals by itself",
    arguments: [
      (429, ""), (200, #"{"ok":false,"error":"ratelimited"}"#),
      (200, #"{"errors":[{"message":"No.","extensions":{"code":"THROTTLED"}}]}"#),
      (200, #"{"error":{"code":429,"message":"Rate limit exceeded, try again in 5 seconds"}}"#),
    ])
  func pauses(status: Int, body: String) async throws {
    let place = RequestTests.Place()
    let job = try RequestTests.job(hasHealth: false)
    let isBusy = Mutex(true)
    let exchange = place.serving { request in
      isBusy.withLock { $0 } ? place.answer(request, status, body) : place.page(request)
    }
    let first = try await place.run(exchange, job: job) { $0.maxWait = .seconds(300) }
    #expect(first.kinds == [.paused], "\(first.outcome)")
    #expect(exchange.asked.count == 3 && first.duration <= .seconds(65))
    #expect(try await place.counted(job) == 3)
    #expect(try await place.failures() == 0, "a limit is no failure of the host")
    let resumes = try #require(first.units.first?.certificate.goesOnAt)
    #expect(resumes - place.time.now == .seconds(15 * 60))

    // Another job file may give the quota another name, or declare none.
    var (other, free) = (job, job)
    (other.name, free.name) = ("other", "free")
    other.quotas = [Quota(name: "gentle", allow: 9, window: .rolling(.seconds(60)), burst: 9)]
    other.streams[0].spends = ["gentle": 1]
    (free.quotas, free.streams[0].spends) = ([], [:])
    for job in [job, other, free] {
      let second = try await place.run(exchange, job: job) { $0.maxWait = .seconds(300) }
      #expect(second.kinds == [.paused] && exchange.asked.count == 3)
    }

    place.time.advance(by: .seconds(15 * 60 + 1))
    isBusy.withLock { $0 = false }
    let third = try await place.run(exchange, job: job) { $0.maxWait = .seconds(300) }
    #expect(third.kinds == [.asDeclared], "\(third.outcome)")
  }

  @Test("and is over soon costs one request, or two")
  func passes() async throws {
    for refusals in 1...2 {
      let place = RequestTests.Place()
      let job = try RequestTests.job(hasHealth: false)
      let left = Mutex(refusals)
      let exchange = place.serving { request in
        let isRefused = left.withLock { left in
          left -= 1
          return left >= 0
        }
        return isRefused ? place.answer(request, 429, "") : place.page(request)
      }
      let facts = try await place.run(exchange, job: job)
      #expect(facts.kinds == [.asDeclared], "\(facts.outcome)")
      #expect(exchange.asked.count == facts.requests.sent)
      #expect(facts.units.first?.certificate.verdict == .complete)
      #expect(facts.requests.retried == refusals)
    }
  }

  @Test("of a health check is a pause too")
  func health() async throws {
    let place = RequestTests.Place()
    let exchange = place.serving { place.answer($0, 429, "") }
    let facts = try await place.run(exchange) { $0.maxWait = .seconds(300) }
    #expect(facts.kinds == [.paused], "\(facts.outcome)")
    #expect(exchange.asked.count == 3)
  }
}
