import Base
@testable import Crawl
import TestSupport
import Testing

@Suite("Every request that a run makes")
struct RequestTests {
  /// A list of things behind a health check, over runs on one ledger.
  final class Place: Sendable {
    let time = VirtualTime()
    let scratch = ScratchFolder(isInMemory: true)

    func run(
      _ exchange: any Exchange, job: Job? = nil, _ change: (inout CrawlOptions) -> Void = { _ in }
    ) async throws -> RunFacts {
      try await WaitTests.walk(
        exchange, time.timekeeper, job: job ?? RequestTests.job(), in: scratch, change)
    }

    /// What the ledger has counted in this hour.
    func counted(_ job: Job? = nil) async throws -> Int {
      let job = try job ?? RequestTests.job()
      let ask = try JobQuotas(job: job, account: "nobody", hasKey: false).all(at: time.now)[0]
      let left = try await LedgerReading.left(
        in: [ask], file: "\(scratch.path)/ledger.db", now: time.now)[0]
      return left.users.reduce(0) { $0 + $1.cost }
    }

    func failures() async throws -> Int {
      let ledger = try await QuotaLedger.open(
        file: "\(scratch.path)/ledger.db", timekeeper: time.timekeeper)
      let failures = try await ledger.failures(of: RequestTests.job().base.origin.description)
      await ledger.close()
      return failures ?? 0
    }

    func answer(
      _ request: Base.Request, _ status: Int = 200, _ body: String = "OK",
      _ fields: [HeaderField] = []
    ) -> Answer {
      .json(request, body, fields, status: status, at: time.now)
    }

    func page(_ request: Base.Request) -> Answer {
      answer(request, 200, #"{"items":[{"id":"\#(WaitTests.page(request))"}],"total":3}"#)
    }

    /// Answers nothing until the request's own times are over.
    func silence(_ request: Base.Request) throws -> Answer {
      let limits = request.limits
      time.advance(by: min(limits.totalTimeout, limits.runTimeLeft ?? limits.totalTimeout))
      throw ExchangeFailure.simulated(.timedOut, request)
    }

    func serving(
      _ answer: @escaping @Sendable (Base.Request) throws -> Answer
    ) -> ScriptedExchange {
      ScriptedExchange { request, _ in
        Result { try answer(request) }.mapError {
          $0 as? ExchangeFailure
            ?? ExchangeFailure(.unbuildable, cause: .request, sentence: "not in this test")
        }
      }
    }

    /// A healthy API with three pages.
    var healthy: ScriptedExchange {
      serving { [self] in RequestTests.isHealth($0) ? answer($0) : page($0) }
    }

    func redirect(_ request: Base.Request, to text: String) throws -> Answer {
      var answer = answer(request, 302, "")
      let target = try request.address.resolving(text)
      answer.leadsTo = RedirectTarget(target, shown: target)
      return answer
    }
  }

  private let place = Place()

  static func job(allow: Int = 1000, hasHealth: Bool = true) throws -> Job {
    var job = try WaitTests.job()
    job.quotas = [
      Quota(name: "all", allow: allow, window: .rolling(.seconds(3600)), burst: allow)
    ]
    job.health = hasHealth ? Health(path: "/health", says: "OK") : nil
    return job
  }

  static func isHealth(_ request: Base.Request) -> Bool { request.address.path == "/v1/health" }

  // MARK: the health check

  @Test("of a health check waits as a page does where the API asks for it, and books the wait")
  func healthWaits() async throws {
    let first = place.serving { place.answer($0, 429, "", [HeaderField("Retry-After", "600")]) }
    let paused = try await place.run(first) { $0.maxWait = .seconds(300) }
    #expect(paused.kinds == [.paused], "\(paused.outcome)")
    #expect(first.asked.count == 1)
    #expect(try await place.failures() == 0, "a limit is no failure of the host")

    let second = place.healthy
    let early = try await place.run(second) { $0.maxWait = .seconds(300) }
    #expect(early.kinds == [.paused] && second.asked.isEmpty, "the key is held for every run")

    let patient = try await place.run(place.healthy) { $0.maxWait = .seconds(900) }
    #expect(patient.kinds == [.asDeclared], "\(patient.outcome)")
    #expect(patient.requests.waited >= .seconds(600))
  }

  @Test("of a health check is spent, counted and told like any other")
  func healthSpends() async throws {
    let exchange = place.healthy
    let facts = try await place.run(exchange)
    #expect(facts.kinds == [.asDeclared])
    #expect(exchange.asked.filter(Self.isHealth).count == 1)
    #expect(facts.requests.sent == exchange.asked.count)
    #expect(try await place.counted() == exchange.asked.count)
  }

  @Test("of a health check counts against --max-requests")
  func healthIsBudgeted() async throws {
    let exchange = place.healthy
    let facts = try await place.run(exchange) { $0.maxRequests = 1 }
    #expect(exchange.asked.count == 1 && facts.kinds == [.paused])
  }

  // MARK: limits

  @Test("that is refused as one too many, however often, has met a limit, and nothing has failed")
  func tooMany() async throws {
    var job = try Self.job(hasHealth: false)
    job.errors = [ErrorRule(statuses: [429...429], action: .retry)]
    let facts = try await place.run(place.serving { [place] in place.answer($0, 429) }, job: job)
    #expect(facts.kinds == [.paused], "\(facts.outcome)")
    #expect(facts.units.first?.certificate.goesOnAt != nil)
  }

  @Test("is not repeated where --max-time leaves no time for the wait before it")
  func noTimeLeft() async throws {
    let exchange = place.serving { [place] in place.answer($0, 500) }
    let facts = try await place.run(exchange, job: Self.job(hasHealth: false)) {
      $0.maxTime = .milliseconds(1)
    }
    #expect(facts.kinds == [.paused])
    #expect(facts.outcome.sentence.contains("no time is left for another try"))
  }

  @Test("that has waited for its turn hears what another run was told meanwhile, and gives it back")
  func toldMeanwhile() async throws {
    var job = try Self.job(allow: 60, hasHealth: false)
    job.quotas[0].burst = 1
    let ask = try JobQuotas(job: job, account: "nobody", hasKey: false).all(at: place.time.now)[0]
    let (end, sent) = (Locked<Instant?>(nil), Locked<[Instant]>([]))
    var time = place.time.timekeeper
    time.sleep = { [place, time] duration in
      if end.withLock({ $0 }) == nil {
        let until = time.now() + .seconds(600)
        end.withLock { $0 = until }
        let other = try await QuotaLedger.open(
          file: "\(place.scratch.path)/ledger.db", timekeeper: time)
        try await other.block(ask, until: until, why: "status 429")
        await other.close()
      }
      try await time.sleep(duration)
    }
    let exchange = place.serving { [place] request in
      sent.withLock { $0.append(place.time.now) }
      return place.page(request)
    }
    let facts = try await WaitTests.walk(exchange, time, job: job, in: place.scratch)
    #expect(facts.kinds == [.asDeclared], "\(facts.outcome)")
    let until = try #require(end.withLock { $0 })
    #expect(sent.withLock { $0.count > 1 && $0[1] >= until })
    #expect(try await place.counted(job) == exchange.asked.count)
  }

  // MARK: what never left this machine

  @Test(
    "that never left this machine is given back, and one that may have left is not",
    arguments: [
      (ExchangeFailure.Kind.unresolved, Bool?.none, 0), (.unreachable, nil, 0),
      (.timedOut, false, 0), (.tls, false, 0), (.timedOut, true, 1), (.reset, nil, 1),
      (.cut, nil, 1),
    ])
  func unsent(kind: ExchangeFailure.Kind, wasSent: Bool?, counted: Int) async throws {
    let job = try Self.job(hasHealth: false)
    let exchange = place.serving { request in
      throw ExchangeFailure(
        kind, cause: .network, address: request.address, sentence: "not now", wasSent: wasSent)
    }
    let facts = try await place.run(exchange, job: job)
    #expect(exchange.asked.count == (kind == .tls ? 1 : 4), "\(facts.outcome)")
    #expect(facts.requests.sent == counted * exchange.asked.count)
    #expect(try await place.counted(job) == counted * exchange.asked.count)
    // A request that spent nothing still counts as a failure of the host.
    #expect(try await place.failures() > 0 || kind == .tls)
  }

  // MARK: time

  enum Silent: CaseIterable { case healthCheck, page }

  @Test(
    "is cut when the time of --max-time is over, and nobody is blamed", arguments: Silent.allCases)
  func maxTime(silent: Silent) async throws {
    let exchange = place.serving { request in
      if Self.isHealth(request), silent == .page { return place.answer(request) }
      return try place.silence(request)
    }
    let facts = try await place.run(exchange) { $0.maxTime = .seconds(5) }
    #expect(facts.duration == .seconds(5))
    #expect(facts.kinds == [.paused], "\(facts.outcome)")
    #expect(facts.outcome.sentence.contains("--max-time"))
    #expect(try await place.failures() == 0)
  }

  @Test("is cut when the time given with --until is reached")
  func until() async throws {
    let exchange = place.serving {
      Self.isHealth($0) ? place.answer($0) : try place.silence($0)
    }
    let end = place.time.now + .seconds(7)
    let facts = try await place.run(exchange) { $0.until = end }
    #expect(place.time.now == end && facts.kinds == [.paused])
    #expect(facts.outcome.sentence.contains("--until"))
  }

  @Test("has its turn within --max-time or not at all, and spends nothing then")
  func turn() async throws {
    // One each 36 s.
    var job = try Self.job(allow: 100)
    job.quotas[0].burst = 1
    let exchange = place.healthy
    let facts = try await place.run(exchange, job: job) { $0.maxTime = .seconds(60) }
    #expect(facts.duration <= .seconds(60) && facts.kinds == [.paused])
    #expect(exchange.asked.count == 2)
    #expect(try await place.counted(job) == 2)
  }

  // MARK: redirects

  /// Each page lies behind two redirects.
  static func hop(_ place: Place, _ request: Base.Request) throws -> Answer {
    if isHealth(request) { return place.answer(request) }
    switch request.address.path {
    case "/v1/things":
      return try place.redirect(request, to: "/v2/things?\(request.address.query ?? "")")
    case "/v2/things":
      return try place.redirect(request, to: "/v3/things?\(request.address.query ?? "")")
    default: return place.page(request)
    }
  }

  @Test("behind a redirect is in the ledger and in the report, hop by hop")
  func redirects() async throws {
    let exchange = place.serving { try Self.hop(place, $0) }
    let facts = try await place.run(exchange)
    #expect(facts.kinds == [.asDeclared], "\(facts.outcome)")
    #expect(exchange.asked.count > 3 * 3)
    #expect(facts.requests.sent == exchange.asked.count)
    #expect(try await place.counted() == exchange.asked.count)
  }

  @Test("behind a redirect waits for a spent quota where it is, and goes on there")
  func redirectsWait() async throws {
    let job = try Self.job(allow: 2)
    let exchange = place.serving { try Self.hop(place, $0) }
    let facts = try await place.run(exchange, job: job) { $0.maxWait = .seconds(7200) }
    #expect(facts.kinds == [.asDeclared], "\(facts.outcome)")
    #expect(facts.requests.sent == exchange.asked.count)
    // Two in each hour, and none is sent twice because of the wait.
    #expect(facts.duration >= .seconds(3600) * ((exchange.asked.count - 1) / 2))
    let pages = exchange.asked.filter { $0.address.path == "/v3/things" }.count
    #expect(exchange.asked.count == 1 + 3 * pages)
  }

  @Test("behind a redirect stops at --max-requests")
  func redirectsAreBudgeted() async throws {
    let exchange = place.serving { try Self.hop(place, $0) }
    let facts = try await place.run(exchange) { $0.maxRequests = 3 }
    #expect(exchange.asked.count == 3 && facts.requests.sent == 3 && facts.kinds == [.paused])
  }

  @Test("behind a redirect to another host is told, but is not of the API's quota")
  func redirectsAway() async throws {
    let exchange = place.serving { request in
      if Self.isHealth(request) { return place.answer(request) }
      guard request.address.origin.host == "api.example" else { return place.page(request) }
      return try place.redirect(
        request, to: "https://cdn.example/x?\(request.address.query ?? "")")
    }
    let facts = try await place.run(exchange)
    let away = exchange.asked.filter { $0.address.origin.host == "cdn.example" }.count
    #expect(facts.kinds == [.asDeclared] && away >= 3)
    #expect(facts.requests.sent == exchange.asked.count)
    #expect(try await place.counted() == exchange.asked.count - away)
  }

  /// What happens at another host, to which two of four lists are redirected.
  enum Elsewhere: CaseIterable {
    case wantsKey, forbids, limits, isDead, cutsOne, isUntrusted, isPrivate, isNoAddress
  }

  @Test(
    "that is redirected elsewhere fails alone, whatever happens there",
    arguments: Elsewhere.allCases)
  func failsAlone(elsewhere: Elsewhere) async throws {
    let job = try WaitTests.job(lists: ["books", "films", "plays", "songs"])
    let exchange = place.serving { request in
      func refused(_ kind: ExchangeFailure.Kind) -> ExchangeFailure {
        ExchangeFailure(kind, cause: .request, address: request.address, sentence: "trouble")
      }
      guard request.address.origin.host == "other.example" else {
        guard ["/v1/films", "/v1/plays"].contains(request.address.path) else {
          return place.page(request)
        }
        if elsewhere == .isNoAddress { throw refused(.refusedRedirect) }
        let rest = "\(request.address.path.dropFirst(3))?\(request.address.query ?? "")"
        return try place.redirect(request, to: "https://other.example\(rest)")
      }
      switch elsewhere {
      case .wantsKey: return place.answer(request, 401, "{}")
      case .forbids: return place.answer(request, 403, "{}")
      case .limits: return place.answer(request, 429, "{}", [HeaderField("Retry-After", "7200")])
      case .isDead: throw ExchangeFailure.simulated(.unreachable, request)
      case .cutsOne where request.address.path == "/films":
        throw ExchangeFailure.simulated(.cut, request)
      case .cutsOne: return place.page(request)
      case .isUntrusted: throw ExchangeFailure.simulated(.tls, request)
      case .isPrivate, .isNoAddress: throw refused(.refusedAddress)
      }
    }
    // The next night begins with what failed, and a limit that meets the first request is taken for the API's own.
    for night in 0..<(elsewhere == .limits ? 1 : 2) {
      let facts = try await place.run(exchange, job: job)
      let verdicts = facts.units.map { "\($0.stream) \($0.certificate.verdict)" }.sorted()
      #expect(
        verdicts == [
          "books complete", "films failed",
          elsewhere == .cutsOne ? "plays complete" : "plays failed", "songs complete",
        ],
        "\(night): \(facts.outcome)")
      // A host that was tried in vain is not tried again for each list.
      let away = exchange.asked.filter { $0.address.origin.host == "other.example" }.count
      #expect(elsewhere != .isDead || away <= (night + 1) * 4)
      // No key is wrong, no limit holds up the account, and the host is there.
      #expect(facts.kinds == [.failed], "\(night): \(facts.outcome)")
      if elsewhere == .wantsKey {
        #expect(facts.outcome.sentence.contains("other.example/films answers 401: it is not"))
      }
      place.time.advance(by: .seconds(86_400))
    }
  }

  @Test(
    "that an API redirects for good obeys the limits and outages of the host to which it has moved",
    arguments: [0, 1], [true, false])
  func moved(pagesBefore: Int, isDead: Bool) async throws {
    let exchange = place.serving { request in
      guard request.address.origin.host == "moved.example" else {
        let query = request.address.query ?? ""
        return try place.redirect(request, to: "https://moved.example/x?\(query)")
      }
      if WaitTests.page(request) <= pagesBefore { return place.page(request) }
      if isDead { throw ExchangeFailure.simulated(.unreachable, request) }
      return place.answer(request, 429, "{}", [HeaderField("Retry-After", "7200")])
    }
    let facts = try await place.run(exchange, job: WaitTests.job())
    // Nothing shows that a host is the API's before it has answered.
    let kind: RunOutcome.Kind = !isDead ? .paused : pagesBefore > 0 ? .unreachable : .failed
    #expect(facts.kinds.contains(kind), "\(facts.outcome)")
    #expect(facts.kinds.contains(.failed) == (kind == .failed), "\(facts.outcome)")
  }

  @Test("that leads in a circle ends after the hops that are allowed")
  func circle() async throws {
    let exchange = place.serving { request in
      Self.isHealth(request)
        ? place.answer(request) : try place.redirect(request, to: "/v1/things")
    }
    let facts = try await place.run(exchange)
    #expect(facts.kinds == [.failed], "\(facts.outcome)")
    // An address that leads to itself leads nowhere in a browser either.
    #expect(facts.units.first?.certificate.why.contains("cookies") == true)
    #expect(exchange.asked.count == 1 + 1 + TransferLimits().hopsMax)
    #expect(facts.requests.sent == exchange.asked.count)
    #expect(try await place.counted() == exchange.asked.count)
  }
}
