internal import Ledger
internal import Model
internal import Walk

/// What an answer, or the lack of one, leads to; and what every run on the same key has to know.
extension Fetcher {
  func judged(
    _ answer: Answer, _ spending: Spending?, sentAt: Instant, began: Duration, number: Int
  ) async -> Try {
    let body = AnswerBody(answer)
    let decision = judge.decide(answer, body, attempt: number)
    context.recorder.sent(
      RequestMark(
        at: sentAt, duration: context.time.elapsed() - began, status: answer.status,
        cause: Self.cause(of: answer)), bytes: answer.bodyBytes)
    if let spending { await learn(from: answer, spending) }
    // Whatever it says, the host is there.
    if answer.status < 500 { await hostAnswered() }
    if let decision { return await follow(decision, answer, spending) }
    switch reader.read(answer, body) {
    case .page(let page): return .done(.page(page, answer))
    case .notModified: return .done(.notModified(answer))
    case .later:
      return .again(after: nil, cause: .status, message: "The API is still working on it (202).")
    case .trouble(let trouble): return await follow(judge.decide(trouble), answer, spending)
    }
  }

  /// Of an answer that is no content.
  static func cause(of answer: Answer) -> Cause? {
    if case .failed(let cause) = answer.kind { cause } else { nil }
  }

  func failed(_ failure: ExchangeFailure) async -> Try {
    if failure.kind == .cancelled || failure.kind == .closed {
      return .done(.stopped(Stop(rule: .interrupted, message: "stopped")))
    }
    return await follow(judge.decide(failure), nil, nil)
  }

  private func follow(_ decision: Decision, _ answer: Answer?, _ spending: Spending?) async -> Try {
    switch decision {
    case .retry(let after, let cause, let message):
      if cause == .network || cause == .server { await noteFailure(message) }
      if let after, let answer, Self.isLimit(answer) {
        do {
          for ask in asksConcerned(nil, spending) {
            try await context.quotas.ledger.block(
              ask, until: answer.receivedAt + after, why: message)
          }
        } catch {
          return .done(.fatal(cause: .store, message: "\(error)"))
        }
      }
      return .again(after: after, cause: cause, message: message)
    case .postpone(let until, let bucket, let message):
      return await postponed(until: until, bucket: bucket, message: message, answer, spending)
    case .fatal(let cause, let message): return .done(.fatal(cause: cause, message: message))
    case .refused(let cause, let message): return .done(.trouble(.refused(message), cause: cause))
    case .unreadable(let cause, let message):
      return .done(.trouble(.unreadable(message), cause: cause))
    case .absent(let cause, let message): return .done(.trouble(.absent(message), cause: cause))
    case .end(let isCap, let message):
      return .done(.trouble(.ended(isCap: isCap, message), cause: .client))
    case .restart(let message): return .done(.trouble(.restart(message), cause: .client))
    case .gap(let message): return .done(.trouble(.gap(message), cause: .client))
    }
  }

  // MARK: limits

  /// A wait that concerns whoever asks with this key, not this one request.
  private static func isLimit(_ answer: Answer) -> Bool {
    [403, 429].contains(answer.status) || LimitSigns(answer).retryAfter != nil
  }

  /// The bucket that a limit is about: the named one, else all that the request spends, else the
  /// one that stands for the host.
  private func asksConcerned(_ name: String?, _ spending: Spending?) -> [BucketAsk] {
    let asks = spending?.asks ?? []
    if let name, let ask = context.quotas.ask(named: name, among: asks, at: context.time.now()) {
      return [ask]
    }
    if !asks.isEmpty { return asks }
    return [
      BucketAsk(
        key: context.quotas.gate, cost: 0, allow: 1, stretch: .rolling(.seconds(3600)), burst: 1)
    ]
  }

  /// The bucket is spent: every run on this key hears of it.
  private func postponed(
    until: Instant?, bucket: String?, message: String, _ answer: Answer?, _ spending: Spending?
  ) async -> Try {
    // Without a name it is the first: a job puts the quota before the pace.
    guard let ask = asksConcerned(bucket, spending).first else {
      return .notBefore(
        until ?? context.time.now() + .seconds(3600), why: message, isTold: true)
    }
    let instant =
      until ?? answer.map { context.quotas.nextChance(of: ask, after: $0) }
      ?? context.time.now() + ask.length
    do {
      try await context.quotas.ledger.block(ask, until: instant, why: message)
    } catch {
      return .done(.fatal(cause: .store, message: "\(error)"))
    }
    return .notBefore(instant, why: message, isTold: true)
  }

  private func learn(from answer: Answer, _ spending: Spending) async {
    let now = context.time.now()
    for quota in LimitSigns(answer).quotas {
      guard let ask = context.quotas.ask(named: quota.name, among: spending.asks, at: now) else {
        continue
      }
      let count = ServerCount(
        limit: quota.limit, remaining: quota.remaining,
        resetsAt: quota.resetsIn.map { answer.receivedAt + $0 })
      do {
        try await context.quotas.ledger.learn(count, about: ask, from: spending.reservation)
      } catch {
        context.recorder.warn("\(error)")
      }
    }
  }

  // MARK: the host's breaker

  private func noteFailure(_ message: String) async {
    do { try await context.breaker.noteFailure(message) } catch {
      context.recorder.warn("\(error)")
    }
  }

  private func hostAnswered() async {
    do { try await context.breaker.noteAnswer() } catch {
      context.recorder.warn("\(error)")
    }
  }

  func givenUp(_ cause: Cause, _ message: String, tries: Int) async -> Fetched {
    let times = tries == 1 ? "once" : "\(tries) times"
    let sentence = "\(message) It was tried \(times)."
    context.recorder.story(sentence)
    // A page that cannot be read is one page's trouble; a host that fails is the run's.
    let isHost =
      if cause == .network { true } else if cause == .server {
        await context.breaker.isHalfOpen()
      } else { false }
    guard isHost else { return .trouble(.unreadable(sentence), cause: cause) }
    do { try await context.breaker.open(sentence) } catch {
      context.recorder.warn("\(error)")
    }
    return .unreachable(message: sentence)
  }
}
