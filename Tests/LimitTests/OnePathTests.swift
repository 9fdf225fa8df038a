import Base
import Crawl
import TestSupport
import Testing

@Suite("A stream that is answered by errors")
struct OnePathTests {
  /// Three lists of one API; each test makes some of them return errors.
  final class Shop: Sendable {
    enum Reply: Sendable { case records, error, cut, refused, limit, onceRecords }

    let time = VirtualTime()
    let scratch = ScratchFolder(isInMemory: true)
    let replies = Locked([String: Reply]())
    static let names = ["books", "films", "songs"]

    func job(_ names: [String] = Shop.names) throws -> Job { try WaitTests.job(lists: names) }

    func run(_ replies: [String: Reply], _ job: Job? = nil) async throws -> (
      facts: RunFacts, asked: [String]
    ) {
      self.replies.withLock { $0 = replies }
      let exchange = ScriptedExchange { [self] request, _ in
        let name = String(request.address.path.split(separator: "/").last ?? "")
        func answer(
          _ status: Int, _ body: String, _ fields: [HeaderField] = []
        ) -> Result<Answer, ExchangeFailure> {
          .success(.json(request, body, fields, status: status, at: time.now))
        }
        let reply = self.replies.withLock { replies in
          let reply = replies[name] ?? .records
          if reply == .onceRecords { for other in Shop.names { replies[other] = .error } }
          return reply
        }
        switch reply {
        case .records, .onceRecords: return answer(200, #"{"items":[{"id":"1"}],"total":1}"#)
        case .error: return answer(500, "")
        case .limit: return answer(429, "{}", [HeaderField("Retry-After", "7200")])
        case .cut: return .failure(.simulated(.cut, request))
        case .refused: return .failure(.simulated(.unreachable, request))
        }
      }
      let facts = try await WaitTests.walk(
        exchange, time.timekeeper, job: try job ?? self.job(), in: scratch
      ) {
        $0.maxWait = .seconds(300)
        $0.isOneAtATime = false
      }
      time.advance(by: .seconds(3_700))
      return (
        facts,
        exchange.asked.compactMap { $0.address.path.split(separator: "/").last.map(String.init) }
      )
    }
  }

  @Test(
    "has failed, wherever it comes in the run, and keeps no other from being read",
    arguments: Shop.names, [Shop.Reply.error, .cut])
  func one(name: String, reply: Shop.Reply) async throws {
    let shop = Shop()
    #expect(try await shop.run([:]).facts.kinds == [.asDeclared])
    for night in 0..<3 {
      let (facts, asked) = try await shop.run([name: reply])
      // Of the very first stream it is unknown whether it is the host that fails.
      if reply == .cut, name == "books" {
        #expect(facts.kinds == [.unreachable])
        continue
      }
      // Reported once: it was read before, and may be read again.
      let isNews: Set<RunOutcome.Kind> = night == 0 ? [.lessThanDeclared] : [.asDeclared]
      #expect(facts.kinds == isNews, "\(night): \(facts.outcome)")
      // The others were answered meanwhile; after the last one, one of them is requested once more.
      #expect(asked.count { $0 == name } == 3, "\(asked)")
      #expect(asked.count == 5 + (name == "songs" ? 1 : 0), "\(asked)")
      #expect(asked.lastIndex(of: name) == asked.indices.last || name == "songs", "\(asked)")
      #expect(facts.requests.sent == asked.count)
      let whole = facts.units.filter { $0.certificate.verdict == .complete }.map(\.stream)
      #expect(whole == Shop.names.filter { $0 != name })
    }
    // Nothing is held against the host: the first page of the next run is tried as often as ever.
    #expect(try await shop.run([:]).facts.kinds == [.asDeclared])
  }

  @Test("is the host where nothing else was answered, or more than one was given up at the end")
  func host() async throws {
    let all = Shop()
    let down = try await all.run(["books": .error, "films": .error, "songs": .error])
    #expect(down.facts.kinds.contains(.unreachable), "\(down.facts.outcome)")
    #expect(down.facts.outcome.sentence.hasPrefix("unreachable: "), "\(down.facts.outcome)")
    let probe = try await all.run(["books": .error, "films": .error, "songs": .error])
    #expect(probe.asked == ["books"] && probe.facts.kinds == [.unreachable])
    #expect(try await all.run([:]).facts.kinds == [.asDeclared])

    // It dies after the first list.
    let end = Shop()
    let dies = try await end.run(["books": .onceRecords])
    #expect(dies.facts.kinds.contains(.unreachable), "\(dies.facts.outcome)")
    // Here it does not: two lists are dead, and one is requested once more to see that.
    let two = Shop()
    let lists = try await two.run(["films": .error, "songs": .error])
    #expect(!lists.facts.kinds.contains(.unreachable), "\(lists.facts.outcome)")
    for name in ["films", "songs"] { #expect(lists.asked.count { $0 == name } == 3) }

    let alone = Shop()
    let only = try await alone.run(["books": .error], alone.job(["books"]))
    #expect(only.facts.kinds.contains(.unreachable), "\(only.facts.outcome)")
  }

  @Test("on a page behind the first lets the others go first, and has all its tries")
  func laterPage() async throws {
    let time = VirtualTime()
    let exchange = ScriptedExchange { request, _ in
      let page = WaitTests.page(request)
      let name = request.address.path.split(separator: "/").last
      let isDead = name == "books" && page == 2
      let body = #"{"items":[{"id":"\#(page)"}],"total":2}"#
      return .success(
        .json(request, isDead ? "" : body, status: isDead ? 500 : 200, at: time.now))
    }
    let facts = try await WaitTests.walk(
      exchange, time.timekeeper, job: try Shop().job(), in: ScratchFolder(isInMemory: true)
    ) { $0.isOneAtATime = false }
    let asked = exchange.asked.map {
      "\($0.address.path.split(separator: "/").last ?? "") \(WaitTests.page($0))"
    }
    let dead = asked.indices.filter { asked[$0] == "books 2" }
    // Once, then the other lists, then the rest of its tries; and as the last thing once more.
    #expect(dead.count == 20, "\(asked)")
    #expect(asked.firstIndex(of: "songs 2") ?? .max < dead[1], "\(asked)")
    let verdicts = Dictionary(
      uniqueKeysWithValues: facts.units.map { ($0.stream, $0.certificate.verdict) })
    #expect(verdicts["films"] == .complete && verdicts["songs"] == .complete, "\(verdicts)")
    #expect(verdicts["books"] != .complete, "\(verdicts)")
  }

  @Test("is no success behind a run that could not reach the host, where the next one only pauses")
  func pausedBehind() async throws {
    let shop = Shop()
    #expect(try await shop.run(["books": .refused]).facts.kinds == [.unreachable])
    // A quota that is spent: nothing is requested.
    var spent = try shop.job()
    spent.quotas = [Quota(name: "all", allow: 0, window: .rolling(.seconds(3600)), burst: 0)]
    for _ in 0..<2 {
      let (facts, asked) = try await shop.run([:], spent)
      #expect(asked.isEmpty && facts.kinds == [.paused, .unreachable], "\(facts.outcome)")
      #expect(facts.outcome.sentence.contains("nothing was answered since"), "\(facts.outcome)")
    }
    // An answer shows that the host is back, so that a pause is a pause again.
    let limited = try await shop.run(["films": .limit])
    #expect(limited.facts.kinds == [.paused], "\(limited.facts.outcome)")
    let (after, _) = try await shop.run([:], spent)
    #expect(after.kinds == [.paused], "\(after.outcome)")
  }
}
