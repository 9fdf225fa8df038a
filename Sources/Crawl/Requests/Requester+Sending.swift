internal import Base
internal import Walk

/// One send: admitted, sent, counted and judged.
extension Requester {
  /// What was reserved for a send.
  private struct Ticket: Sendable {
    var asks: [QuotaAsk]
    var reservation: Reservation?
    /// What a wait applies to if it may be about all requests with the key.
    var gate: QuotaAsk
  }

  private enum Entry<Value: Sendable>: Sendable {
    case granted(Ticket)
    case denied(Sent<Value>)
  }

  func send<Value>(
    _ chain: RedirectChain, _ attempt: Attempt<Value>, _ call: Call<Value>, refusals: Int,
    after doubt: ClockReading?
  ) async -> Sent<Value> {
    let origin = chain.request.address.origin
    seen.note(chain.request.credential?.texts ?? [])
    seen.note(chain.request.secrets.map { $0.reveal() })
    var request: Request
    switch await authorised(chain.request, call) {
    case .value(let ready): request = ready
    // No token came, so nothing is mapped.
    case let other: return .ended(other.flatMap { _ in .stopped(halt) })
    }
    let heard = flights.narrowings
    let ticket: Ticket
    switch await entry(origin, call) {
    case .granted(let granted): ticket = granted
    case .denied(let sent): return sent
    }
    var chain = chain
    request.limits.runTimeLeft = timeLeft
    request.seen = seen
    let sentAt = time.now()
    let began = time.elapsed()
    // A refused redirect throws after the answer was counted.
    var isCounted = false
    do throws(ExchangeFailure) {
      var answer = try await exchange.send(request, into: attempt.sink)
      // By the run's clock, whatever the machine's shows meanwhile.
      (answer.sentAt, answer.receivedAt) = (sentAt, time.now())
      count(
        call, sentAt, began, status: answer.status, answer.failure, bytes: answer.bodyBytes)
      isCounted = true
      if case .api(let quotas, _, _) = call.booking {
        if origin == quotas.job.base.origin {
          switch clockCheck?.hear(answer, after: doubt) {
          case .goesOn, nil: break
          case .askAgain(let reading): return .doubted(reading)
          case .stop(let stop): return .ended(.stopped(stop))
          }
        }
        flights.noteAnswer()
        if answer.status == Judge.tooMany { narrow(since: heard, call.name) }
      }
      await learn(from: answer, ticket, call.booking)
      // Whatever it says, the host answers.
      if answer.status < 500 { await noteAnswer(of: origin, call) }
      if try chain.follow(answer) {
        endTurn(of: origin, call.booking, isAnswered: true)
        return .led(chain)
      }
      let whole = chain.completed(answer)
      let reading = await withTaskExecutorPreference(whole.longReader) { attempt.read(whole) }
      return await judged(reading, answer, request, ticket, call, refusals: refusals)
    } catch {
      endTurn(of: origin, call.booking, isAnswered: false)
      if !error.wasSent {
        // Nothing was spent; a ledger that fails here fails at the next reservation.
        if let reservation = ticket.reservation { try? await ledger.release(reservation) }
        unbook(call)
      } else if !isCounted {
        count(call, sentAt, began, status: error.status ?? 0, error.cause, bytes: 0)
      }
      return await failed(error, attempt, ticket, call)
    }
  }

  private func judged<Value>(
    _ reading: Judged<Value>, _ answer: Answer, _ request: Request, _ ticket: Ticket,
    _ call: Call<Value>, refusals: Int
  ) async -> Sent<Value> {
    var decision: Decision?
    if case .decision(let made) = reading { decision = made }
    if isWorthAnotherToken(answer, decision, request, refusals: refusals) {
      recorder.story("\(call.name): the access token is refused; I request another one.")
      return .refusedToken
    }
    switch reading {
    case .value(let value):
      endTurn(of: request.address.origin, call.booking, isAnswered: true)
      return .ended(.value(value))
    case .decision(let decision): return await follow(decision, answer, nil, ticket, call)
    }
  }

  private func count<Value>(
    _ call: Call<Value>, _ at: Instant, _ began: Duration, status: Int, _ cause: Cause?, bytes: Int
  ) {
    switch call.booking {
    case .api:
      call.tally?.book()
      recorder.sent(
        RequestMark(at: at, duration: time.elapsed() - began, status: status, cause: cause),
        bytes: bytes)
    case .pictures: recorder.change { $0.images.requests += 1 }
    }
  }

  // MARK: admission

  /// Reserves one of the run's sends, and asks the ledger.
  private func entry<Value>(_ origin: Origin, _ call: Call<Value>) async -> Entry<Value> {
    guard book(call) else {
      return .denied(.ended(.stopped(budgetStop(options.maxRequests ?? 0))))
    }
    do throws(LedgerError) {
      let entry = try await admit(origin, call)
      if case .denied = entry { unbook(call) }
      return entry
    } catch {
      unbook(call)
      guard error.kind == .unclaimed else { return .denied(.ended(.broken(error))) }
      // No list is to blame: the next run resumes, on any machine.
      let stop = Stop(rule: .limit, message: error.sentence)
      flights.halt(stop)
      return .denied(.ended(.stopped(stop)))
    }
  }

  private func book<Value>(_ call: Call<Value>) -> Bool {
    guard case .api = call.booking else { return true }
    return budget.book(most: options.maxRequests)
  }

  private func unbook<Value>(_ call: Call<Value>) {
    if case .api = call.booking { budget.unbook() }
  }

  private func admit<Value>(
    _ origin: Origin, _ call: Call<Value>
  ) async throws(LedgerError) -> Entry<Value> {
    if case .pictures(let hosts) = call.booking, hosts.isGivenUp(origin) {
      return .denied(.ended(.unreachable(message: "its host does not answer")))
    }
    let asks = call.booking.asks(origin, at: time.now())
    let gate = call.booking.gate(origin)
    if let wait = try await ledger.wait(for: gate.key) {
      return .denied(.notBefore(wait.until, why: wait.why, isServers: false))
    }
    guard case .api(let quotas, _, _) = call.booking, !asks.isEmpty else {
      if case .pictures(let hosts) = call.booking, !hosts.takeTurn(origin, at: time.now()) {
        let soon = time.now() + Self.turnInterval
        return .denied(.notBefore(soon, why: "another of its pictures is first", isServers: false))
      }
      return .granted(Ticket(asks: [], gate: gate))
    }
    switch try await ledger.reserve(
      asks, for: quotas.spender, job: quotas.job.name, waitMax: call.patience.waitMax
    ) {
    case .notBefore(let until, _, let why):
      return .denied(.notBefore(until, why: why, isServers: false))
    case .granted(let reservation, let at):
      // However long the ledger took: no request starts after the run's end.
      let late = { lateness.map { Stop(rule: .budget, message: $0) } }
      let isLater = at > time.now()
      if let stop = await turn(at) ?? late() {
        try await ledger.release(reservation)
        return .denied(.ended(.stopped(stop)))
      }
      // What other requests and runs learnt while this one waited for its turn.
      if isLater, let recall = try await ledger.recall(asks + [gate]) {
        try await ledger.release(reservation)
        return .denied(.notBefore(recall.until, why: recall.why, isServers: false))
      }
      return .granted(Ticket(asks: asks, reservation: reservation, gate: gate))
    }
  }

  // MARK: what follows

  private func failed<Value>(
    _ failure: ExchangeFailure, _ attempt: Attempt<Value>, _ ticket: Ticket, _ call: Call<Value>
  ) async -> Sent<Value> {
    switch failure.kind {
    // A recording that ends here.
    case .closed where failure.cause == .store:
      return .ended(
        .stopped(Stop(rule: .failure, message: failure.sentence, kind: .failed)))
    case .cancelled, .closed:
      return .ended(.stopped(interruption ?? Stop(rule: .interrupted, message: "stopped")))
    case .sinkRefused:
      if let refused = attempt.refused { return .ended(.value(refused(failure))) }
    default: break
    }
    // Cut by the run's own end, not by the host.
    if failure.mayPass, let lateness {
      return .ended(.stopped(Stop(rule: .budget, message: lateness)))
    }
    var decision = Judge.decide(failure)
    // Without a token no list can be read. Where the secrets have served, it may pass: a night's redirect.
    if call.request.token != nil, case .trouble(_, let cause, let message) = decision {
      decision =
        call.wasRead
        ? .retry(after: nil, cause: cause, message: message) : .fatal(message: message)
    }
    return await follow(decision, nil, failure, ticket, call)
  }

  private func follow<Value>(
    _ decision: Decision, _ answer: Answer?, _ failure: ExchangeFailure?, _ ticket: Ticket,
    _ call: Call<Value>
  ) async -> Sent<Value> {
    do throws(LedgerError) {
      switch decision {
      case .retry(let after, let cause, let message):
        if cause == .network || cause == .server, let breaker = call.booking.breaker {
          await noting { () throws(LedgerError) in try await breaker.noteFailure(message) }
        }
        if let origin = answer?.address.origin {
          endTurn(of: origin, call.booking, isAnswered: false)
        }
        var believed = after
        // A wait that concerns every request with this key, not only this one.
        if let after, let answer,
          [403, 429].contains(answer.status) || LimitSigns(answer).retryAfter != nil
        {
          var last = answer.receivedAt
          for ask in concerned(nil, ticket, call.booking) {
            let block = try await ledger.block(
              ask, until: answer.receivedAt + after, why: message)
            last = max(last, block.until)
          }
          believed = min(after, last - answer.receivedAt)
        }
        // The answer was complete, but an error.
        let failure =
          failure
          ?? answer.map {
            ExchangeFailure(
              .cut, cause: cause, address: $0.address, sentence: message, status: $0.status)
          }
        let hasHadItsTime = failure?.kind == .timedOut || failure?.kind == .stalled
        if hasHadItsTime, !call.patience.retriesTimeouts, case .pictures(let hosts) = call.booking {
          if let host = failure?.address?.origin { hosts.noteFailure(host) }
          return .ended(.givenUp(cause: cause, message: message, failure))
        }
        return .again(after: believed, cause: cause, message: message, failure)
      case .postpone(let until, let quota, let message):
        let signs = answer.map { LimitSigns($0) }
        // A counter at zero limits only the quota that it counts.
        let isAsked = signs?.longestSpent == nil || signs?.retryAfter != nil
        // Without a name it is the first: jobs put the quota before the pace.
        let ask = concerned(quota, ticket, call.booking, hasTime: until != nil && isAsked)[0]
        var instant = until ?? nextChance(of: ask, after: answer, call.booking)
        if case .pictures(let hosts) = call.booking, let answer {
          instant = hosts.noteLimit(
            answer.address.origin, sentAt: answer.sentAt,
            asked: until.map { $0 - answer.receivedAt },
            at: time.now())
        }
        let block = try await ledger.block(ask, until: instant, why: message)
        // Another answer may have asked for more.
        return .notBefore(block.until, why: block.why, isServers: true)
      case .fatal, .keyRefused:
        guard let address = answer?.address ?? failure?.address,
          isElsewhere(address.origin, call)
        else { return .ended(.decided(decision, failure)) }
        var message = decision.message
        if let answer {
          message =
            "\(answer.address.origin)\(answer.address.path) answers \(answer.status): it is not the host of "
            + "\"base\" in the job file\(call.request.credential == nil ? "" : ", and gets no key")"
        }
        let cause = answer?.failure ?? failure?.cause ?? .status
        return .ended(.decided(.trouble(.refused, cause: cause, message: message), failure))
      case .trouble: return .ended(.decided(decision, failure))
      }
    } catch {
      return .ended(.broken(error))
    }
  }

  /// What a limit is about: the named quota; else all that the request draws on. If these are all quotas of
  /// the job, the server's wait holds for every request with the key: other jobs may call its quotas something else.
  private func concerned(
    _ name: String?, _ ticket: Ticket, _ booking: Booking, hasTime: Bool = true
  ) -> [QuotaAsk] {
    guard case .api(let quotas, _, _) = booking else { return [ticket.gate] }
    if let name, let ask = quotas.ask(named: name, among: ticket.asks, at: time.now()) {
      return [ask]
    }
    let isOfAll = hasTime && ticket.asks.count == quotas.job.quotas.count
    return isOfAll || ticket.asks.isEmpty ? [ticket.gate] : ticket.asks
  }

  private func nextChance(
    of ask: QuotaAsk, after answer: Answer?, _ booking: Booking
  ) -> Instant {
    guard let answer, case .api(let quotas, _, _) = booking else { return time.now() + ask.length }
    return quotas.nextChance(of: ask, after: answer)
  }

  /// Takes the server's own counts.
  private func learn(from answer: Answer, _ ticket: Ticket, _ booking: Booking) async {
    guard case .api(let quotas, _, _) = booking, !ticket.asks.isEmpty else { return }
    for quota in LimitSigns(answer).quotas {
      guard let ask = quotas.ask(named: quota.name, among: ticket.asks, at: time.now()) else {
        continue
      }
      await noting { () throws(LedgerError) in
        try await ledger.learn(
          quota, at: answer.receivedAt, about: ask, from: ticket.reservation)
      }
    }
    await learn(inBodyOf: answer, ticket, quotas)
  }

  /// What the body says where the job declares it; a page may say so beside its records.
  private func learn(inBodyOf answer: Answer, _ ticket: Ticket, _ quotas: JobQuotas) async {
    for said in LimitsInBody.read(answer, of: quotas.job.quotas) {
      guard let ask = ticket.asks.first(where: { $0.key.name == said.quota }) else { continue }
      await noting { () throws(LedgerError) in
        if let left = said.left {
          let quota = ServerQuota(remaining: left, resetsIn: ask.resetsIn(answer.receivedAt))
          try await ledger.learn(
            quota, at: answer.receivedAt, about: ask, from: ticket.reservation)
        }
        if let pause = said.pause {
          try await ledger.block(
            ask, until: answer.receivedAt + pause,
            why: "\(answer.address.origin) asks for a wait before the next request")
        }
      }
    }
  }

  /// Too many at once, or too many in a stretch: fewer in flight help, or do no harm.
  private func narrow(since heard: Int, _ name: String) {
    guard let places = flights.narrow(since: heard) else { return }
    recorder.story(
      "\(name): it is too much for the API, so that from here on I have "
        + (places == 1 ? "one request in flight." : "\(places) requests in flight at most."))
  }

  /// How often a picture checks whether the one before it is done.
  private static let turnInterval = Duration.milliseconds(500)

  private func endTurn(of origin: Origin, _ booking: Booking, isAnswered: Bool) {
    if case .pictures(let hosts) = booking { hosts.endTurn(origin, isAnswered: isAnswered) }
  }

  private func noteAnswer<Value>(of origin: Origin, _ call: Call<Value>) async {
    switch call.booking {
    case .api(_, _, let breaker):
      guard breaker.isOf(origin) else { return }
      await noting { () throws(LedgerError) in
        try await breaker.noteAnswer(to: call.label?.stream ?? "")
      }
    case .pictures(let hosts): hosts.noteAnswer(origin)
    }
  }

  /// A note that the ledger cannot take is lost with a warning; the next reservation fails by itself.
  func noting(_ body: () async throws(LedgerError) -> Void) async {
    do throws(LedgerError) { try await body() } catch { recorder.warn("\(error)") }
  }
}
