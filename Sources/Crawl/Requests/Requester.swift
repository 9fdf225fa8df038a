public import Base
internal import Store
internal import Walk

/// The only way to make a request: for pages, pictures, health checks, `trawl check` and `trawl media verify`. A caller
/// says what it wants and how it reads an answer (`Call`); the rest is this contract:
///
/// **Sent.** Every send is one request on the wire, admitted by the ledger first. The exchange follows no redirect and
/// repeats nothing: each hop and each try returns here, is held back by the same quotas, waits and budgets, and is
/// counted in the ledger and in the run's facts. So the wire, the ledger and the report agree. A request that never
/// left this machine (it could not be built, its host could not be found or reached, it was cut before its turn) was
/// not sent: its reservation is released. Any other stays spent, whatever came of it.
///
/// **Retried**, within the call's patience: network faults that may pass, 5xx, and what the reader of the answer calls
/// temporary. Every request only reads (a GET, or a POST that its job declares as a query), so repeating it does no
/// harm; each try has its own sink.
///
/// **Waited for**: a spent quota, a wait that the server asks for, the pace between requests. The ledger keeps such a
/// wait for every run on the key; a host of pictures holds back only itself. A wait too long for the call or the run's
/// budget ends the call as `.stopped`.
///
/// **Permanent**: decisions of the reader other than retry and postpone, and failures that cannot pass (an unsafe
/// address, a refused redirect, a bad certificate, a body that is too large).
///
/// **In flight** are at most as many calls to the API as the job says (`Flights`), one until the run's first answer,
/// and half as many after a limit. A call that waits for a retry lets other lists go first (`Lanes`), unless lists fail
/// one after the other: then it is the host. Calls in flight count against `--max-requests`.
///
/// **The host.** The API's breaker is told of each failure and each answer below 500; once the tries are used up and
/// the host cannot be reached, it opens, over runs. A stream that gets only errors is given up alone. Pictures' hosts
/// are counted separately, for the run.
///
/// **Elsewhere.** A refusal by another host, one that gets no key, fails that request alone. So do its limits and 5xx if
/// a redirect led there, unless nothing was read in this run, or something was read there: then the API has moved.
/// Network faults there fail it alone until something was read there, and a host that could not be reached is not tried
/// again in the run.
///
/// **Time.** A request in flight is cut when `--max-time` or `--until` ends the run, and ends as `.stopped`, not as a
/// failure. A signal cancels the task, with the same end.
public struct Requester: Sendable {
  let exchange: any Exchange
  /// The run's clock, which no answer changes.
  let time: Timekeeper
  /// This machine's clock as displayed: `--until` uses it.
  let machine: Timekeeper
  /// Nil outside a run, and if the job trusts our clock.
  let clockCheck: ClockCheck?
  let ledger: QuotaLedger
  let options: CrawlOptions
  let recorder: RunRecorder
  let isSignalled: @Sendable () -> Bool
  let lapse: @Sendable () -> String?
  let startedElapsed: Duration
  /// The database's log, which a reader may let grow; nil: none is written.
  let log: LogWatch?
  let faults: FaultPoint
  let tokens = AccessTokens()
  let seen = SeenSecrets()
  let flights: Flights
  let budget = RequestCount()

  /// Why the run finishes the current page, commits, and stops: a first signal, or it lost what it needs.
  var interruption: Stop? {
    if isSignalled() { return .signal }
    return lapse().map { Stop(rule: .interrupted, message: $0, kind: .paused) }
  }
  func isInterrupted() -> Bool { interruption != nil }

  /// The result of one send.
  enum Sent<Value: Sendable>: Sendable {
    case ended(Outcome<Value>)
    /// A redirect: the chain's next hop.
    case led(RedirectChain)
    /// The API refuses the access token, and another may work.
    case refusedToken
    /// The answer's `Date` is far behind our time: the request is repeated past caches.
    case doubted(ClockReading)
    case again(after: Duration?, cause: Cause, message: String, ExchangeFailure?)
    /// By the server's answer, or by the ledger before anything was sent.
    case notBefore(Instant, why: String, isServers: Bool)
  }

  func perform<Value>(_ call: Call<Value>) async -> Outcome<Value> {
    guard case .api = call.booking else { return await attemptAll(call) }
    // A waiting call counts too: its place may be needed for an earlier page.
    call.lane?.beginCall()
    defer { call.lane?.endCall() }
    guard await flights.enter() else { return .stopped(halt) }
    defer { flights.leave() }
    return await attemptAll(call)
  }

  /// In the place that the call has.
  func attemptAll<Value>(_ call: Call<Value>) async -> Outcome<Value> {
    let began = time.elapsed()
    let most = call.patience.triesMax
    var tries = 0
    // Waits for a limit do not use up the time for tries.
    var held = Duration.zero
    var postponed = 0
    var trouble: String?
    var sameInARow = 0
    var chain = RedirectChain(call.request)
    var attempt = call.attempt(1)
    /// Pages stored when it first failed.
    var pagesBefore: Int?
    /// Access tokens that were refused.
    var refusals = 0
    var doubt: ClockReading?
    while true {
      if var stop = stopReason(call.booking) {
        // The stop also says that requests were failing.
        if let trouble { stop.message += "; until then: \(trouble)" }
        return .stopped(stop)
      }
      switch await send(chain, attempt, call, refusals: refusals, after: doubt) {
      case .ended(let outcome):
        if case .value = outcome, let breaker = call.booking.breaker {
          if tries > 0 { recorder.noteRecovery() }
          // Repeated as a witness, a request for a token would spend the secret once more.
          if call.request.token == nil {
            breaker.note(
              HostBreaker.Witness(request: call.request, booking: call.booking),
              from: chain.request.address.origin)
          }
        }
        return outcome
      case .refusedToken: refusals += 1
      case .doubted(let reading):
        doubt = reading
        let why = "the answer is dated \(reading.date): it is requested again past the caches"
        if let stop = await pause(call, ClockCheck.pause, isAsked: false, why) {
          return .stopped(stop)
        }
        chain = RedirectChain(call.request.pastCaches)
        attempt = call.attempt(tries + 1)
        continue
      case .led(let next):
        chain = next
        // It was tried in vain, and thousands of records may lead there.
        if let why = call.booking.breaker?.whyLost(next.request.address.origin) {
          return .givenUp(cause: .network, message: why, nil)
        }
        continue
      case .notBefore(let until, let why, let isServers):
        postponed += isServers ? 1 : 0
        if isAside(chain, call),
          postponed >= most || until - time.now() > call.patience.waitMax
        {
          return .decided(.trouble(.refused, cause: .client, message: why), nil)
        }
        // A server that says so after every wait is asked again in the next run.
        if postponed >= most {
          let times = postponed > 1 ? ", \(postponed) times" : ""
          return .stopped(Stop(rule: .limit, message: why + times, goesOnAt: until))
        }
        let since = time.elapsed()
        if isServers, until <= time.now(),
          let wait = Backoff.wait(
            afterTries: postponed, of: most, elapsed: .zero, asked: .zero, random: time.random())
        {
          // The wait it asked for is over, and it still answers so: our own backoff applies.
          if let stop = await pause(call, wait, isAsked: false, why) { return .stopped(stop) }
        } else if let stop = await hold(call, until: until, why: why) {
          return .stopped(stop)
        }
        held += time.elapsed() - since
        // A hop that the ledger held back continues there; earlier hops are paid.
        if !isServers { continue }
      case .again(let after, let cause, let message, let failure):
        tries += 1
        sameInARow = message == trouble ? sameInARow + 1 : 1
        trouble = message
        let before = pagesBefore ?? recorder.pagesStored
        pagesBefore = before
        let isAlone = after == nil ? await isDeadAlone(call, sameInARow, before) : false
        let isAside = isAside(chain, call, cause)
        let isTooLong = isAside && after ?? .zero > call.patience.waitMax
        guard !isAlone, !isTooLong,
          tries < (isAside ? call.patience.triesAtFirst : await triesMax(call)),
          let wait = Backoff.wait(
            afterTries: tries, of: most, elapsed: time.elapsed() - began - held, asked: after,
            random: time.random())
        else {
          if isAside {
            // Of a host that was reached, another answer may be whole.
            if cause == .network, failure?.wasSent != true {
              call.booking.breaker?.noteLost(chain.request.address.origin, message)
            }
            return .givenUp(cause: cause, message: message, failure)
          }
          // A server's wait holds for the next request too.
          if let after, let stop = await hold(call, until: time.now() + after, why: message) {
            return .stopped(stop)
          }
          // Too many requests are a limit, however often the server says so, and no failure.
          if failure?.status == Judge.tooMany {
            return .stopped(
              Stop(rule: .limit, message: message, goesOnAt: time.now() + Judge.blindRest))
          }
          return await givenUp(
            call, cause, message, failure, at: chain.request, tries: tries,
            isAlone: isAlone || recorder.pagesStored > before)
        }
        let since = time.elapsed()
        // A server's wait that is already over does not count as one.
        let asked = after.flatMap { $0 > .zero ? $0 : nil }
        let stop = await givingWay(call, isAsked: asked != nil) {
          await pause(call, wait, isAsked: asked != nil, message)
        }
        let waited = time.elapsed() - since
        // Other lists' turns do not count as its own time.
        held += asked != nil ? waited : max(.zero, waited - wait)
        if let stop { return .stopped(stop) }
        tell(call, message, asked: asked, waited: waited, tries: tries, cause)
      }
      chain = RedirectChain(call.request)
      attempt = call.attempt(tries + 1)
    }
  }

  /// A host without an answer in this run may not exist: that is reported soon. A host that was given up before gets
  /// one try.
  private func triesMax<Value>(_ call: Call<Value>) async -> Int {
    guard let breaker = call.booking.breaker else { return call.patience.triesMax }
    if await breaker.isHalfOpen() { return 1 }
    return recorder.hasAnswered ? call.patience.triesMax : call.patience.triesAtFirst
  }

  /// Neither the API's host, nor one that gets its key. Without a token no list can be read, wherever it is refused.
  func isElsewhere<Value>(_ origin: Origin, _ call: Call<Value>) -> Bool {
    guard let breaker = call.booking.breaker, call.request.token == nil else { return false }
    return !breaker.isOf(origin) && call.request.credential?.origins.contains(origin) != true
  }

  /// A redirect has led elsewhere, to a host of which nothing was read in this run. Only where the API has moved does a
  /// limit there hold for all lists: then nothing was read of others.
  private func isAside<Value>(
    _ chain: RedirectChain, _ call: Call<Value>, _ cause: Cause = .client
  ) -> Bool {
    let origin = chain.request.address.origin
    guard let breaker = call.booking.breaker, origin != call.request.address.origin,
      isElsewhere(origin, call), !breaker.isRead(origin)
    else { return false }
    return cause == .network || breaker.witness != nil
  }

  /// Whether page 1 of a list fails each time in the same way while the host answers others: then the list is dead for
  /// this run. If nothing else was read since it first failed, the last good request is repeated to see.
  private func isDeadAlone<Value>(
    _ call: Call<Value>, _ sameInARow: Int, _ pagesBefore: Int
  ) async -> Bool {
    guard call.patience.isOfFirstPage, sameInARow >= Patience.triesOfFirstPage,
      recorder.pagesStored > 0, recorder.isSound, let breaker = call.booking.breaker
    else { return false }
    if recorder.pagesStored > pagesBefore { return true }
    guard sameInARow == Patience.triesOfFirstPage, let witness = breaker.witness else {
      return false
    }
    let question = Call<Bool>(
      request: witness.request.pastCaches, booking: witness.booking, patience: .once,
      name: "another list"
    ) { _ in
      Attempt { answer in
        if answer.kind == .notModified { return .value(true) }
        // A page of prose is not an answer.
        let isRead = [false, true].contains { isFeed in
          if case .json = AnswerBody(answer, isFeed: isFeed) { true } else { false }
        }
        return .value(answer.kind == .content && isRead)
      }
    }
    let sent = await send(
      RedirectChain(question.request), question.attempt(1), question, refusals: 1, after: nil)
    if case .ended(.value(let isWell)) = sent { return isWell }
    return false
  }

  /// Waits for a retry while other lists continue, if its list has nothing else in flight.
  private func givingWay<Value>(
    _ call: Call<Value>, isAsked: Bool, _ wait: () async -> Stop?
  ) async -> Stop? {
    guard !isAsked, let breaker = call.booking.breaker, let lane = call.lane,
      lane.isOfOneCall, recorder.hasAnswered, breaker.mayGiveWay()
    else { return await wait() }
    flights.leave()
    let stop = await lane.giveWay(during: wait)
    // The caller gives the place back.
    if await flights.enter() { return stop }
    flights.comeBack()
    return halt
  }

  private func tell<Value>(
    _ call: Call<Value>, _ message: String, asked: Duration?, waited: Duration, tries: Int,
    _ cause: Cause
  ) {
    guard case .api = call.booking else { return }
    let wish = asked.map { " It asked for \(Wording.span($0));" } ?? ""
    recorder.story(
      "\(call.name): \(message)\(message.hasSuffix(".") ? "" : ".")\(wish)"
        + " I waited \(Wording.span(waited)) and tried again (try \(tries + 1)).")
    recorder.retried(cause)
  }

  private func givenUp<Value>(
    _ call: Call<Value>, _ cause: Cause, _ message: String, _ failure: ExchangeFailure?,
    at request: Request, tries: Int, isAlone: Bool
  ) async -> Outcome<Value> {
    switch call.booking {
    case .pictures(let hosts):
      hosts.noteFailure(request.address.origin)
      return .givenUp(cause: cause, message: message, failure)
    case .api(_, _, let breaker):
      let times = tries == 1 ? "once" : "\(tries) times"
      let sentence = "\(message)\(message.hasSuffix(".") ? "" : ".") It was tried \(times)."
      recorder.story(sentence)
      // An unreadable page is one page's problem, even if its body is wrong for the transport: its head came whole.
      let isHeard = failure?.kind == .malformed && failure?.status != nil
      guard !isHeard, cause == .network || cause == .server else {
        return .givenUp(cause: cause, message: sentence, failure)
      }
      guard await isHostDown(breaker, cause, failure) else {
        // Errors may concern one path of many that work: the run's end shows it.
        if call.patience.isOfAStream {
          breaker.giveUp(call.label?.stream ?? "", sentence, isAlone: isAlone)
        }
        return .givenUp(cause: cause, message: sentence, failure)
      }
      await noting { () throws(LedgerError) in try await breaker.open(sentence) }
      return .unreachable(message: sentence)
    }
  }

  /// Known without another request: no connection is possible, nothing ever answered, or the one probe of a host given
  /// up before has failed.
  private func isHostDown(
    _ breaker: HostBreaker, _ cause: Cause, _ failure: ExchangeFailure?
  ) async -> Bool {
    if cause == .network, failure?.wasSent != true || !breaker.hasAnswered { return true }
    guard breaker.isUnheard else { return false }
    return await breaker.isHalfOpen()
  }
}

extension Requester {
  /// For requests outside a run: no budget, and nobody reads their facts.
  public init(
    _ exchange: any Exchange, time: Timekeeper, ledger: QuotaLedger,
    isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) {
    let facts = RunFacts(
      run: "", job: "", command: "", arguments: [], origin: "", startedAt: time.now())
    self.init(
      exchange: exchange, time: time, machine: time, clockCheck: nil, ledger: ledger,
      options: CrawlOptions(), recorder: RunRecorder(facts, tell: { _ in }),
      isSignalled: isInterrupted, lapse: { nil }, startedElapsed: time.elapsed(), log: nil,
      faults: .none, flights: Flights(atOnce: 1))
  }
}
