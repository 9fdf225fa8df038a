public import Base
internal import Store
internal import Walk

/// The one way in which a request is made: for pages, pictures, health checks, `trawl check` and
/// `trawl media verify`. A caller says what it wants and how it reads an answer (`Call`); the rest is
/// this contract:
///
/// **Sent.** Every send is one request on the wire, and one that was admitted by the ledger first. The
/// exchange follows no redirect and sends nothing a second time: each hop and each try comes back
/// here, is held back by the same quotas, waits and budgets, and is counted in the ledger and in the
/// run's facts. So the wire, the ledger and the report agree on one number. A request that never left
/// this machine (it could not be built, its host could not be found or reached, it was cut before its
/// turn) was not sent: its reservation is given back. Any other stays spent, whatever came of it.
///
/// **Retried**, as long as the call's patience lasts: faults of the network that may pass, 5xx, and
/// what the reader of the answer says may pass. Every request only asks (a GET, or a POST that its
/// job declares as a question), so sending it again does no harm; each try has a sink of its own.
///
/// **Waited for**: a spent quota, a wait that the server asks for, the pace between requests. The
/// ledger remembers such a wait for every run on the same key; a host of pictures holds only itself
/// back. A wait that is too long for the call or for the run's budget ends it as `.stopped`.
///
/// **Permanent**: decisions of the reader other than retry and postpone, and failures that cannot
/// pass (an unsafe address, a refused redirect, a bad certificate, a body that is too large).
///
/// **In flight** are as many calls to the API at once as the job says (`Flights`), one until the first answer
/// of the run, and from a limit on half as many. A call that waits for another try gives its place to other lists
/// (`Lanes`) and comes behind them; not where lists fail one after the other, since then it is the host. What is in flight counts as sent against `--max-requests`.
///
/// **The host.** The API's breaker hears of each failure and each answer below 500; once the tries
/// are used up and the host cannot be reached, it opens, over runs. A stream that is only answered by
/// errors is given up by itself. Pictures' hosts are counted by themselves, for the run.
///
/// **Time.** A request in flight is cut when `--max-time` or `--until` ends the run, and ends as
/// `.stopped`: such a cut is not a failure. A signal cancels the task, with the same end.
public struct Requester: Sendable {
  let exchange: any Exchange
  /// The run's clock, which no answer changes.
  let time: Timekeeper
  /// This machine's clock as it is shown: `--until` goes by it.
  let machine: Timekeeper
  /// Nil: outside of a run, and where the job trusts our clock.
  let clockCheck: ClockCheck?
  let ledger: QuotaLedger
  let options: CrawlOptions
  let recorder: RunRecorder
  /// A first signal came: finish the page in hand, commit, and stop.
  let isInterrupted: @Sendable () -> Bool
  let startedElapsed: Duration
  /// The database's own log, which a reader may let grow; nil: none is written.
  let log: LogWatch?
  let faults: FaultPoint
  let tokens = AccessTokens()
  let seen = SeenSecrets()
  let flights: Flights
  let budget = RequestCount()

  init(
    _ exchange: any Exchange, time: Timekeeper, machine: Timekeeper, check: ClockCheck?,
    ledger: QuotaLedger,
    options: CrawlOptions, recorder: RunRecorder, log: LogWatch?, faults: FaultPoint = .none,
    atOnce: Int = 1, isInterrupted: @escaping @Sendable () -> Bool
  ) {
    self.exchange = exchange
    self.time = time
    self.machine = machine
    clockCheck = check
    self.ledger = ledger
    self.options = options
    self.recorder = recorder
    self.log = log
    self.faults = faults
    self.isInterrupted = isInterrupted
    flights = Flights(atOnce: options.isOneAtATime ? 1 : atOnce)
    startedElapsed = time.elapsed()
  }

  /// For requests outside of a run: no budget, and their facts are not read.
  public init(
    _ exchange: any Exchange, time: Timekeeper, ledger: QuotaLedger,
    isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) {
    let facts = RunFacts(
      run: "", job: "", command: "", arguments: [], origin: "", startedAt: time.now())
    self.init(
      exchange, time: time, machine: time, check: nil, ledger: ledger, options: CrawlOptions(),
      recorder: RunRecorder(facts, tell: { _ in }), log: nil,
      isInterrupted: isInterrupted)
  }

  /// What one send led to.
  enum Sent<Value: Sendable>: Sendable {
    case ended(Outcome<Value>)
    /// A redirect: the chain's next hop.
    case led(RedirectChain)
    /// The API refuses the access token, and there may be another one.
    case refusedToken
    /// The `Date` of the answer is far behind our time: the same is requested past the caches.
    case doubted(ClockReading)
    case again(after: Duration?, cause: Cause, message: String, ExchangeFailure?)
    /// By the server's word, or by the ledger's before anything was sent.
    case notBefore(Instant, why: String, isServers: Bool)
  }

  func perform<Value>(_ call: Call<Value>) async -> Outcome<Value> {
    guard case .api = call.booking else { return await attemptAll(call) }
    // One that waits for its place counts: it would take that of a page before it.
    call.lane?.beginCall()
    defer { call.lane?.endCall() }
    guard await flights.enter() else { return .stopped(halt) }
    defer { flights.leave() }
    return await attemptAll(call)
  }

  /// With the place that the call has.
  func attemptAll<Value>(_ call: Call<Value>) async -> Outcome<Value> {
    let began = time.elapsed()
    let backoff = Backoff(triesMax: call.patience.triesMax, timeMax: call.patience.timeMax)
    var tries = 0
    // Waits that a limit asks for do not use up the time for tries.
    var held = Duration.zero
    var postponed = 0
    var trouble: String?
    var sameInARow = 0
    var chain = RedirectChain(call.request)
    var attempt = call.attempt(1)
    /// As many pages were read when it failed first.
    var pagesBefore: Int?
    var mayRenew = true
    var doubt: ClockReading?
    while true {
      if var stop = stopReason(call.booking) {
        // The reason for the stop also says that it was going badly.
        if let trouble { stop.message += "; until then: \(trouble)" }
        return .stopped(stop)
      }
      switch await send(chain, attempt, call, mayRenew: mayRenew, after: doubt) {
      case .ended(let outcome):
        if case .value = outcome, case .api(_, _, let breaker) = call.booking {
          if tries > 0 { recorder.noteRecovery() }
          breaker.note(HostBreaker.Witness(request: call.request, booking: call.booking))
        }
        return outcome
      case .refusedToken: mayRenew = false
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
        continue
      case .notBefore(let until, let why, let isServers):
        postponed += isServers ? 1 : 0
        // A server that says so after each wait is believed in the next run.
        if postponed >= backoff.triesMax {
          return .stopped(
            Stop(rule: .limit, message: "\(why), \(postponed) times", goesOnAt: until))
        }
        let since = time.elapsed()
        if isServers, until <= time.now(),
          let wait = backoff.wait(
            afterTries: postponed, elapsed: .zero, asked: .zero, random: time.random())
        {
          // What it asked for is over already, and it answers that way: our own patience holds.
          if let stop = await pause(call, wait, isAsked: false, why) { return .stopped(stop) }
        } else if let stop = await hold(call, until: until, why: why) {
          return .stopped(stop)
        }
        held += time.elapsed() - since
        // A hop that the ledger held back goes on where it was; the hops before it are paid.
        if !isServers { continue }
      case .again(let after, let cause, let message, let failure):
        tries += 1
        sameInARow = message == trouble ? sameInARow + 1 : 1
        trouble = message
        let before = pagesBefore ?? recorder.pagesStored
        pagesBefore = before
        let isAlone = after == nil ? await isDeadAlone(call, sameInARow, before) : false
        guard !isAlone, tries < (await triesMax(call)),
          let wait = backoff.wait(
            afterTries: tries, elapsed: time.elapsed() - began - held, asked: after,
            random: time.random())
        else {
          // What the server asks for holds for the next request too.
          if let after, let stop = await hold(call, until: time.now() + after, why: message) {
            return .stopped(stop)
          }
          // Too many requests are a limit, however often it was said, and no failure.
          if failure?.status == Judge.tooMany {
            return .stopped(
              Stop(rule: .limit, message: message, goesOnAt: time.now() + Judge.blindRest))
          }
          return await givenUp(
            call, cause, message, failure, at: chain.request, tries: tries,
            isAlone: isAlone || recorder.pagesStored > before)
        }
        let since = time.elapsed()
        // A wait that is over already is none that the server asks for.
        let asked = after.flatMap { $0 > .zero ? $0 : nil }
        let stop = await givingWay(call, isAsked: asked != nil) {
          await pause(call, wait, isAsked: asked != nil, message)
        }
        let waited = time.elapsed() - since
        // The turns of other lists do not count as its own time.
        held += asked != nil ? waited : max(.zero, waited - wait)
        if let stop { return .stopped(stop) }
        tell(call, message, asked: asked, waited: waited, tries: tries, cause)
      }
      chain = RedirectChain(call.request)
      attempt = call.attempt(tries + 1)
    }
  }

  /// A host that has not answered in this run may not be there at all: that is reported soon. One
  /// that was given up before is asked once.
  private func triesMax<Value>(_ call: Call<Value>) async -> Int {
    guard case .api(_, _, let breaker) = call.booking else { return call.patience.triesMax }
    if await breaker.isHalfOpen() { return 1 }
    return recorder.hasAnswered ? call.patience.triesMax : call.patience.triesAtFirst
  }

  /// Page 1 of a list fails in the same way each time where the host answers others: then the list is dead for this run. Where nothing else
  /// was read since it failed first, what was answered last is asked once more.
  private func isDeadAlone<Value>(
    _ call: Call<Value>, _ sameInARow: Int, _ pagesBefore: Int
  ) async -> Bool {
    guard call.patience.isOfFirstPage, sameInARow >= Patience.triesOfFirstPage,
      recorder.pagesStored > 0, recorder.isSound, case .api(_, _, let breaker) = call.booking
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
        // A page of prose instead of records is not an answer.
        let isRead = [false, true].contains { isFeed in
          if case .json = AnswerBody(answer, isFeed: isFeed) { true } else { false }
        }
        return .value(answer.kind == .content && isRead)
      }
    }
    let sent = await send(
      RedirectChain(question.request), question.attempt(1), question, mayRenew: false, after: nil)
    if case .ended(.value(let isWell)) = sent { return isWell }
    return false
  }

  /// Waits for another try while other lists go on, if the list has nothing else under way.
  private func givingWay<Value>(
    _ call: Call<Value>, isAsked: Bool, _ wait: () async -> Stop?
  ) async -> Stop? {
    guard !isAsked, case .api(_, _, let breaker) = call.booking, let lane = call.lane,
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
      // A page that cannot be read is one page's trouble.
      guard cause == .network || cause == .server else {
        return .givenUp(cause: cause, message: sentence, failure)
      }
      guard await isHostDown(breaker, cause, failure) else {
        // What is answered by errors may be one path of many that are well: the run's end shows it.
        if call.patience.isOfAStream {
          breaker.giveUp(call.label?.stream ?? "", sentence, isAlone: isAlone)
        }
        return .givenUp(cause: cause, message: sentence, failure)
      }
      await noting { () throws(LedgerError) in try await breaker.open(sentence) }
      return .unreachable(message: sentence)
    }
  }

  /// Nothing else needs to be requested to know it: no connection comes about, nothing has ever answered,
  /// or the one probe of a host that was given up before has failed.
  private func isHostDown(
    _ breaker: HostBreaker, _ cause: Cause, _ failure: ExchangeFailure?
  ) async -> Bool {
    if cause == .network, failure?.wasSent != true || !breaker.hasAnswered { return true }
    guard breaker.isUnheard else { return false }
    return await breaker.isHalfOpen()
  }
}
