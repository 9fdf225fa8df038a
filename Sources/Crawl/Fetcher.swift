internal import JSON
internal import Ledger
internal import Model
internal import Store
internal import Walk

/// Brings what one step asks for: reserves its cost, sends it, judges what comes, and waits and
/// tries again within written bounds.
struct Fetcher: Sendable {
  /// How a step ended, after all its tries.
  enum Fetched: Sendable {
    case page(Page, Answer)
    case notModified(Answer)
    case trouble(Walker.Trouble, cause: Cause)
    /// The unit stops here and goes on later.
    case stopped(Stop)
    /// Needs a person; the run ends.
    case fatal(cause: Cause, say: String)
    /// The host does not answer: no further request goes there in this run.
    case unreachable(say: String)
  }

  let context: RunContext
  let stream: Stream
  let label: UnitLabel
  let reader: PageReader
  let judge: Judge

  init(_ context: RunContext, stream: Stream, label: UnitLabel) {
    self.context = context
    self.stream = stream
    self.label = label
    reader = PageReader(job: context.job, stream: stream)
    judge = Judge(context.job)
  }

  /// Tries of a host that has not answered in this run.
  static let triesAtFirst = 4

  /// One try's result, before it is decided what follows.
  private enum Try {
    case done(Fetched)
    case again(after: Duration?, cause: Cause, say: String)
    /// Told by the server, or by our own ledger before anything was sent.
    case notBefore(Instant, why: String, isTold: Bool)
  }

  func fetch(_ step: Step, _ validator: Validator?) async -> Fetched {
    let began = context.time.elapsed()
    var tries = 0
    // Waits that the server asked for do not use up the time for tries.
    var asked = Duration.zero
    var told = 0
    let isProbe = await context.breaker.isHalfOpen()
    var trouble: String?
    while true {
      if var stop = context.stopReason() {
        // Whoever reads why it stopped should know that it was going badly.
        if let trouble { stop.say += "; until then: \(trouble)" }
        return .stopped(stop)
      }
      switch await attempt(step, validator, number: tries + 1) {
      case .done(let fetched): return fetched
      case .notBefore(let until, let why, let isTold):
        told += isTold ? 1 : 0
        // A server that says so after each wait is believed in the next run.
        if told >= context.backoff.triesMax {
          return .stopped(Stop(rule: .limit, say: "\(why), \(told) times", goesOnAt: until))
        }
        if let stopped = await hold(until: until, why: why) { return stopped }
      case .again(let after, let cause, let say):
        tries += 1
        trouble = say
        // A host that has not answered in this run may not be there at all: that is told soon.
        let triesMax =
          isProbe ? 1 : context.recorder.hasAnswered ? context.backoff.triesMax : Self.triesAtFirst
        guard tries < triesMax,
          let wait = context.backoff.wait(
            afterTries: tries, elapsed: context.time.elapsed() - began - asked, asked: after,
            random: context.time.random())
        else {
          // What the server asks for holds for the page behind this one too.
          if let after, let stopped = await hold(until: context.time.now() + after, why: say) {
            return stopped
          }
          return await givenUp(cause, say, tries: tries)
        }
        asked += after ?? .zero
        context.recorder.story("\(say) Try \(tries + 1) follows.")
        let until = context.time.now() + wait
        if after == nil {
          // Our own patience is not the server's limit: it is short, and never a pause.
          guard await context.wait(until: until, reason: "another try: \(say)", label: label) else {
            return .stopped(Stop(rule: .interrupted, say: "stopped by a signal"))
          }
        } else if let stopped = await hold(until: until, why: say) {
          return stopped
        }
        context.recorder.retried(cause)
      }
    }
  }

  /// Waits as long as the run may; a longer wait is a pause.
  private func hold(until: Instant, why: String) async -> Fetched? {
    let wait = until - context.time.now()
    let isPastEnd = context.options.until.map { until > $0 } ?? false
    if wait > context.options.maxWait || isPastEnd {
      return .stopped(Stop(rule: .limit, say: why, goesOnAt: until))
    }
    if await context.wait(until: until, reason: "the limit: \(why)", label: label) { return nil }
    return .stopped(Stop(rule: .interrupted, say: "stopped by a signal"))
  }

  // MARK: one try

  private func attempt(_ step: Step, _ validator: Validator?, number: Int) async -> Try {
    let asks = context.quotas.asks(for: stream, at: context.time.now())
    let reservation: Reservation
    do {
      switch try await context.quotas.ledger.reserve(
        asks, for: context.quotas.spender, job: context.job.name)
      {
      case .notBefore(let until, _, let why): return .notBefore(until, why: why, isTold: false)
      case .granted(let granted, let at):
        reservation = granted
        guard await context.wait(until: at, reason: "its turn: requests are spaced", label: nil)
        else {
          try await context.quotas.ledger.release(granted)
          return .done(.stopped(Stop(rule: .interrupted, say: "stopped by a signal")))
        }
      }
    } catch {
      return .done(.fatal(cause: .store, say: "\(error)"))
    }
    return await send(step, validator, reservation, asks, number: number)
  }

  private func send(
    _ step: Step, _ validator: Validator?, _ reservation: Reservation, _ asks: [BucketAsk],
    number: Int
  ) async -> Try {
    let request = request(for: step, validator)
    let sentAt = context.time.now()
    let began = context.time.elapsed()
    do {
      let answer = try await context.exchange.send(request, into: nil)
      return await judged(answer, asks: asks, sentAt: sentAt, began: began, number: number)
    } catch {
      context.recorder.sent(
        RequestMark(
          at: sentAt, duration: context.time.elapsed() - began, status: error.status ?? 0,
          cause: error.cause), bytes: 0)
      if error.kind == .unbuildable || error.kind == .refusedAddress {
        // Nothing was sent, so nothing was spent; a ledger that fails here fails at the next ask.
        try? await context.quotas.ledger.release(reservation)
      }
      return await failed(error)
    }
  }

  private func request(for step: Step, _ validator: Validator?) -> Request {
    var fields = context.job.fields + stream.fields
    if let etag = validator?.etag { fields.append(HeaderField("If-None-Match", etag)) }
    if let date = validator?.lastModified {
      fields.append(HeaderField("If-Modified-Since", date))
    }
    let rule = AddressRule(
      trusted: [context.job.base.origin], allowsLoopback: context.options.allowsLoopback)
    return Request(step.address, fields: fields, credential: context.credential, rule: rule)
  }

  // MARK: judging

  private func judged(
    _ answer: Answer, asks: [BucketAsk], sentAt: Instant, began: Duration, number: Int
  ) async -> Try {
    let body = AnswerBody(answer)
    let decision = judge.decide(answer, body, attempt: number)
    context.recorder.sent(
      RequestMark(
        at: sentAt, duration: context.time.elapsed() - began, status: answer.status,
        cause: Self.cause(of: answer)), bytes: answer.bodyBytes)
    await learn(from: answer, asks: asks)
    guard let decision else {
      switch reader.read(answer, body) {
      case .page(let page):
        await hostAnswered()
        return .done(.page(page, answer))
      case .notModified:
        await hostAnswered()
        return .done(.notModified(answer))
      case .later:
        return .again(after: nil, cause: .status, say: "The API is still working on it (202).")
      case .trouble(let trouble): return await follow(judge.decide(trouble), asks: asks)
      }
    }
    return await follow(decision, asks: asks)
  }

  /// Of an answer that is no content.
  static func cause(of answer: Answer) -> Cause? {
    if case .failed(let cause) = answer.kind { cause } else { nil }
  }

  private func failed(_ failure: ExchangeFailure) async -> Try {
    if failure.kind == .cancelled || failure.kind == .closed {
      return .done(.stopped(Stop(rule: .interrupted, say: "stopped")))
    }
    return await follow(judge.decide(failure), asks: [])
  }

  private func follow(_ decision: Decision, asks: [BucketAsk]) async -> Try {
    switch decision {
    case .retry(let after, let cause, let say):
      if cause == .network || cause == .server { await noteFailure(say) }
      return .again(after: after, cause: cause, say: say)
    case .postpone(let until, let bucket, let say):
      return await postponed(until: until, bucket: bucket, say: say, asks: asks)
    case .fatal(let cause, let say): return .done(.fatal(cause: cause, say: say))
    case .absent(let cause, let say): return .done(.trouble(.absent(say), cause: cause))
    case .end(let isCap, let say):
      return .done(.trouble(.ended(isCap: isCap, say), cause: .client))
    case .restart(let say): return .done(.trouble(.restart(say), cause: .client))
    case .gap(let say): return .done(.trouble(.gap(say), cause: .client))
    }
  }

  /// The bucket is spent: every run on this key hears of it.
  private func postponed(
    until: Instant?, bucket: String?, say: String, asks: [BucketAsk]
  ) async -> Try {
    let now = context.time.now()
    let ask = bucket.flatMap { context.quotas.ask(named: $0, among: asks, at: now) } ?? asks.first
    let instant = until ?? ask.map { Self.reset(of: $0, at: now) } ?? now + .seconds(3600)
    if let ask {
      do {
        try await context.quotas.ledger.block(ask, until: instant, why: say)
      } catch {
        return .done(.fatal(cause: .store, say: "\(error)"))
      }
    }
    return .notBefore(instant, why: say, isTold: true)
  }

  private static func reset(of ask: BucketAsk, at now: Instant) -> Instant {
    switch ask.stretch {
    case .fixed(_, let to): to
    case .rolling(let length): now + length
    }
  }

  private func learn(from answer: Answer, asks: [BucketAsk]) async {
    let now = context.time.now()
    for quota in LimitSigns(answer).quotas {
      guard let ask = context.quotas.ask(named: quota.name, among: asks, at: now) else { continue }
      let count = ServerCount(
        limit: quota.limit, remaining: quota.remaining,
        resetsAt: quota.resetsIn.map { answer.receivedAt + $0 })
      do {
        try await context.quotas.ledger.learn(count, about: ask)
      } catch {
        context.recorder.warn("\(error)")
      }
    }
  }

  // MARK: the host's breaker

  private func noteFailure(_ say: String) async {
    do { try await context.breaker.noteFailure(say) } catch {
      context.recorder.warn("\(error)")
    }
  }

  private func hostAnswered() async {
    do { try await context.breaker.noteAnswer() } catch {
      context.recorder.warn("\(error)")
    }
  }

  private func givenUp(_ cause: Cause, _ say: String, tries: Int) async -> Fetched {
    let sentence = "\(say) It was tried \(tries) times."
    context.recorder.story(sentence)
    // A page that cannot be read is one page's trouble; a host that fails is the run's.
    if cause == .network || (cause == .server && tries > 1) {
      return await context.breaker.isHalfOpen() || cause == .network
        ? .unreachable(say: sentence) : .trouble(.unreadable(sentence), cause: cause)
    }
    return .trouble(.unreadable(sentence), cause: cause)
  }
}
