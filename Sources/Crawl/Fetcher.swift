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
    case fatal(cause: Cause, message: String)
    /// The host does not answer: no further request goes there in this run.
    case unreachable(message: String)
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

  /// The next page, where a 304 names it.
  func nextInHead(of answer: Answer) -> Cursor? { reader.nextInHead(of: answer) }

  /// Tries of a host that has not answered in this run.
  static let triesAtFirst = 4

  /// One try's result, before it is decided what follows.
  enum Try {
    case done(Fetched)
    case again(after: Duration?, cause: Cause, message: String)
    /// Told by the server, or by our own ledger before anything was sent.
    case notBefore(Instant, why: String, isTold: Bool)
  }

  func fetch(_ step: Step, _ validator: Validator?) async -> Fetched {
    let began = context.time.elapsed()
    var tries = 0
    // Waits that a limit asks for do not use up the time for tries.
    var held = Duration.zero
    var told = 0
    var trouble: String?
    while true {
      if var stop = context.stopReason() {
        // Whoever reads why it stopped should know that it was going badly.
        if let trouble { stop.message += "; until then: \(trouble)" }
        return .stopped(stop)
      }
      switch await attempt(step, validator, number: tries + 1) {
      case .done(let fetched): return fetched
      case .notBefore(let until, let why, let isTold):
        told += isTold ? 1 : 0
        // A server that says so after each wait is believed in the next run.
        if told >= context.backoff.triesMax {
          return .stopped(Stop(rule: .limit, message: "\(why), \(told) times", goesOnAt: until))
        }
        let since = context.time.elapsed()
        if let stopped = await hold(until: until, why: why) { return stopped }
        held += context.time.elapsed() - since
      case .again(let after, let cause, let message):
        tries += 1
        trouble = message
        guard tries < (await triesMax()),
          let wait = context.backoff.wait(
            afterTries: tries, elapsed: context.time.elapsed() - began - held, asked: after,
            random: context.time.random())
        else {
          // What the server asks for holds for the page behind this one too.
          if let after, let stopped = await hold(until: context.time.now() + after, why: message) {
            return stopped
          }
          return await givenUp(cause, message, tries: tries)
        }
        let since = context.time.elapsed()
        let stopped = await patience(wait, isAsked: after != nil, message)
        let waited = context.time.elapsed() - since
        if after != nil { held += waited }
        if let stopped { return stopped }
        let asked = after.map { " It asked for \(Wording.span($0));" } ?? ""
        context.recorder.story(
          "\(label.listName): page \(step.ordinal): \(message)\(message.hasSuffix(".") ? "" : ".")\(asked)"
            + " I waited \(Wording.span(waited)) and asked again (try \(tries + 1)).")
        context.recorder.retried(cause)
      }
    }
  }

  /// A host that has not answered in this run may not be there at all: that is told soon. One that
  /// was given up before is asked once.
  private func triesMax() async -> Int {
    if await context.breaker.isHalfOpen() { return 1 }
    return context.recorder.hasAnswered ? context.backoff.triesMax : Self.triesAtFirst
  }

  /// Waits for the next try; what makes it a pause.
  private func patience(_ wait: Duration, isAsked: Bool, _ message: String) async -> Fetched? {
    let until = context.time.now() + wait
    if isAsked { return await hold(until: until, why: message, isTold: false) }
    // Our own patience is not the server's limit: it is short, and a pause only where no time is
    // left.
    if let left = context.timeLeft, wait >= left {
      return .stopped(Stop(rule: .budget, message: "no time is left for another try: \(message)"))
    }
    let reason = "another try: \(message)"
    if await context.wait(until: until, reason: reason, label: label, isTold: false) { return nil }
    return .stopped(Stop(rule: .interrupted, message: "stopped by a signal"))
  }

  /// Waits as long as the run may; a longer wait is a pause.
  /// - Parameter isTold: whether the story tells of the wait by itself.
  private func hold(until: Instant, why: String, isTold: Bool = true) async -> Fetched? {
    let wait = until - context.time.now()
    if wait > context.options.maxWait || wait > context.timeLeft ?? wait {
      return .stopped(Stop(rule: .limit, message: why, goesOnAt: until))
    }
    let reason = "the limit: \(why)"
    if await context.wait(until: until, reason: reason, label: label, isTold: isTold) { return nil }
    return .stopped(Stop(rule: .interrupted, message: "stopped by a signal"))
  }

  // MARK: one try

  private func attempt(_ step: Step, _ validator: Validator?, number: Int) async -> Try {
    let asks = context.quotas.asks(for: stream, at: context.time.now())
    let ledger = context.quotas.ledger
    do {
      if asks.isEmpty {
        if let wait = try await ledger.wait(for: context.quotas.gate) {
          return .notBefore(wait.until, why: wait.why, isTold: false)
        }
        return await send(step, validator, nil, number: number)
      }
      switch try await ledger.reserve(asks, for: context.quotas.spender, job: context.job.name) {
      case .notBefore(let until, _, let why): return .notBefore(until, why: why, isTold: false)
      case .granted(let granted, let at):
        guard
          await context.wait(
            until: at, reason: Self.spacing, label: nil, shownFrom: Self.spacingShownFrom)
        else {
          try await ledger.release(granted)
          return .done(.stopped(Stop(rule: .interrupted, message: "stopped by a signal")))
        }
        return await send(step, validator, (asks, granted), number: number)
      }
    } catch {
      return .done(.fatal(cause: .store, message: "\(error)"))
    }
  }

  private static let spacing = "its turn: requests are spaced"
  /// A gentle pace is no news at every page.
  private static let spacingShownFrom = Duration.seconds(10)

  /// What a request spends, and what was set aside for it.
  typealias Spending = (asks: [BucketAsk], reservation: Reservation)

  private func send(
    _ step: Step, _ validator: Validator?, _ spending: Spending?, number: Int
  ) async -> Try {
    let request = request(for: step, validator)
    let sentAt = context.time.now()
    let began = context.time.elapsed()
    do {
      let answer = try await context.exchange.send(request, into: nil)
      return await judged(answer, spending, sentAt: sentAt, began: began, number: number)
    } catch {
      context.recorder.sent(
        RequestMark(
          at: sentAt, duration: context.time.elapsed() - began, status: error.status ?? 0,
          cause: error.cause), bytes: 0)
      if error.kind == .unbuildable || error.kind == .refusedAddress, let spending {
        // Nothing was sent, so nothing was spent; a ledger that fails here fails at the next ask.
        try? await context.quotas.ledger.release(spending.reservation)
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
}
