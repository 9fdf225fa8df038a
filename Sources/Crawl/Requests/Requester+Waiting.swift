internal import Base
internal import Store

/// Waits, within the run's budget and until a signal.
extension Requester {
  /// Why this run may make no further request; nil: it may.
  func stopReason(_ booking: Booking) -> Stop? {
    if let interruption { return interruption }
    if case .api = booking {
      if let halted = flights.halted { return halted }
      if let most = options.maxRequests, budget.count >= most { return budgetStop(most) }
    }
    return lateness.map { Stop(rule: .budget, message: $0) }
  }

  func budgetStop(_ most: Int) -> Stop {
    let requests = Wording.count(most, "request")
    return Stop(
      rule: .budget,
      message: "the \(requests) of --max-requests \(most == 1 ? "is" : "are") used up")
  }

  /// Why a wait has ended before its time.
  var halt: Stop { interruption ?? flights.halted ?? .signal }

  /// Why there is no time for any further request, even a picture's.
  var lateness: String? {
    if let most = options.maxTime, time.elapsed() - startedElapsed >= most {
      return options.unitsMax == nil
        ? "the time of --max-time is over" : "a look takes \(Wording.span(most)) at most"
    }
    // By this machine's clock, which a person reads.
    if let last = options.until, machine.now() >= last {
      return "the time given with --until is reached"
    }
    return log?.pauseReason
  }

  /// Time until `--max-time` or `--until`; nil: neither is set.
  var timeLeft: Duration? {
    let byTime = options.maxTime.map { $0 - (time.elapsed() - startedElapsed) }
    let byClock = options.until.map { $0 - machine.now() }
    return [byTime, byClock].compactMap { $0 }.min()
  }

  /// Waits as long as the call and the run allow; why it stops if that is not enough.
  func hold<Value>(
    _ call: Call<Value>, until: Instant, why: String, isTold: Bool = true
  ) async -> Stop? {
    let wait = until - time.now()
    if wait > call.patience.waitMax || wait > timeLeft ?? wait {
      return Stop(rule: .limit, message: why, goesOnAt: until)
    }
    return await self.wait(call, until: until, reason: "the limit: \(why)", isTold: isTold)
  }

  /// Waits before a retry.
  func pause<Value>(
    _ call: Call<Value>, _ wait: Duration, isAsked: Bool, _ message: String
  ) async -> Stop? {
    let until = time.now() + wait
    if isAsked { return await hold(call, until: until, why: message, isTold: false) }
    // Our own backoff is not a server's limit: it is short, and pauses only if no time is left.
    if let left = timeLeft, wait >= left {
      return Stop(rule: .budget, message: "no time is left for another try: \(message)")
    }
    return await self.wait(call, until: until, reason: "another try: \(message)", isTold: false)
  }

  /// Waits for the turn that the ledger gave.
  func turn(_ at: Instant) async -> Stop? {
    if let left = timeLeft, at - time.now() >= left {
      return Stop(rule: .budget, message: "no time is left for the next request's turn")
    }
    // Short pacing is not worth a line at every page.
    let goesOn = await wait(
      until: at, reason: "its turn: requests are spaced", label: nil, shownFrom: .seconds(10))
    return goesOn ? nil : halt
  }

  private func wait<Value>(
    _ call: Call<Value>, until: Instant, reason: String, isTold: Bool
  ) async -> Stop? {
    var goesOn: Bool
    if case .api = call.booking {
      goesOn = await wait(until: until, reason: reason, label: call.label, isTold: isTold)
    } else {
      goesOn = await sleep(until - time.now()) { false }
    }
    return goesOn ? nil : halt
  }

  /// Waits, shows why and until when, and records the wait for the report. False: a signal came.
  /// - Parameters:
  ///   - shownFrom: shorter waits are not shown.
  ///   - isTold: whether the story mentions it.
  private func wait(
    until: Instant, reason: String, label: UnitLabel?, shownFrom: Duration = .seconds(1),
    isTold: Bool = true
  ) async -> Bool {
    let span = until - time.now()
    guard span > .zero else { return !isInterrupted() }
    let began = time.elapsed()
    let startedAt = time.now()
    let isShown = span >= shownFrom
    if isShown { recorder.event(.waiting(label, reason: reason, until: until)) }
    let goesOn = await sleep(span) { flights.halted != nil }
    if isShown { recorder.event(.waitEnded(label)) }
    let waited = time.elapsed() - began
    var isNew = false
    if waited >= .milliseconds(1) {
      isNew = recorder.waited(WaitFacts(reason: reason, startedAt: startedAt, duration: waited))
    }
    if isShown, isTold, isNew { recorder.story("I waited \(Wording.span(waited)) for \(reason).") }
    return goesOn
  }

  /// In slices, so that a signal or another list's stop is noticed within half a second. False: one came.
  private func sleep(_ span: Duration, isHalted: () -> Bool) async -> Bool {
    let began = time.elapsed()
    var left = span
    while left > .zero, !isInterrupted(), !isHalted() {
      do { try await time.sleep(min(left, .milliseconds(500))) } catch { return false }
      left = span - (time.elapsed() - began)
    }
    return !isInterrupted() && !isHalted()
  }
}
