import Base
import TestSupport
import Synchronization
import Testing

@Suite("A host that does not answer")
struct DeadHostTests {
  /// A list whose server can be switched off, and how often it was requested.
  final class Switched: Sendable {
    enum Way: Sendable, CaseIterable { case refuses, fails }

    let time = VirtualTime()
    let scratch = ScratchFolder(isInMemory: true)
    let isUp = Mutex(true)
    /// It dies there once.
    private let diesAtPage: Mutex<Int?>
    private let way: Way

    init(_ way: Way, diesAtPage: Int? = nil) {
      self.way = way
      self.diesAtPage = Mutex(diesAtPage)
    }

    func run() async throws -> (facts: RunFacts, asked: Int) {
      let exchange = ScriptedExchange { [self] request, _ in
        let page = WaitTests.page(request)
        diesAtPage.withLock { last in
          guard page == last else { return }
          last = nil
          isUp.withLock { $0 = false }
        }
        if isUp.withLock({ $0 }) { return .success(WaitTests.list(request, page, time)) }
        switch way {
        case .refuses: return .failure(.simulated(.unreachable, request))
        case .fails: return .success(.json(request, "", status: 503, at: time.now))
        }
      }
      let facts = try await WaitTests.walk(exchange, time.timekeeper, in: scratch)
      return (facts, exchange.asked.count)
    }
  }

  @Test("is given up after four tries, and asked once in each further run")
  func neverThere() async throws {
    let host = Switched(.refuses)
    host.isUp.withLock { $0 = false }
    let first = try await host.run()
    #expect(first.asked == 4 && first.facts.kinds == [.unreachable])
    for _ in 0..<3 {
      host.time.advance(by: .seconds(3600))
      let next = try await host.run()
      #expect(next.asked == 1 && next.facts.kinds == [.unreachable])
    }
    host.isUp.withLock { $0 = true }
    let back = try await host.run()
    #expect(back.facts.kinds == [.asDeclared])
    #expect(back.asked == WaitTests.pages + 1, "and then nothing is held against it")
  }

  @Test(
    "costs ten tries where it dies under a walk, which goes on there when it is back",
    arguments: Switched.Way.allCases)
  func dies(way: Switched.Way) async throws {
    let host = Switched(way, diesAtPage: 20)
    let first = try await host.run()
    // If the host answers with errors, two further pages are requested, the last of them once: after twenty failures in
    // a row it is given up.
    #expect(first.asked == 19 + (way == .refuses ? 10 : 21))
    #expect(first.facts.kinds.contains(.unreachable), "\(first.facts.outcome)")
    #expect(first.facts.duration <= .seconds(30 * 60))
    let probe = try await host.run()
    #expect(probe.asked == 1 && probe.facts.kinds == [.unreachable])
    host.isUp.withLock { $0 = true }
    let back = try await host.run()
    #expect(back.facts.kinds == [.asDeclared], "\(back.facts.outcome)")
    #expect(back.asked == WaitTests.pages - 19 + 2, "page 19 and page 1 once more, and the rest")
  }

  @Test("is no host that sends whole heads: what it packs without being asked never heals")
  func packed() async throws {
    let time = VirtualTime()
    let exchange = ScriptedExchange { request, _ in
      .failure(
        ExchangeFailure(
          .malformed, cause: .network, address: request.address, sentence: "deflate", status: 200))
    }
    let facts = try await WaitTests.walk(exchange, time.timekeeper)
    #expect(facts.units.first?.certificate.verdict == .failed)
    #expect(!facts.kinds.contains(.unreachable), "\(facts.outcome)")
  }

  @Test("that is back after an outage is walked to the end, and asked little twice")
  func comesBack() async throws {
    let host = Switched(.refuses)
    let outage = Mutex(0)
    let exchange = ScriptedExchange { request, number in
      // Two minutes of silence in the middle: about seven tries with their waits.
      if number > 100, outage.withLock({ $0 }) < 7 {
        outage.withLock { $0 += 1 }
        return .failure(.simulated(.timedOut, request))
      }
      return .success(WaitTests.list(request, WaitTests.page(request), host.time))
    }
    let facts = try await WaitTests.walk(exchange, host.time.timekeeper, in: host.scratch)
    #expect(facts.kinds == [.asDeclared])
    #expect(exchange.asked.count == WaitTests.pages + 1 + 7)
  }
}
