internal import Ledger
internal import Model
internal import Store
internal import Walk

/// What every part of one run shares: the job, the seams, the quotas, and where facts go.
struct RunContext: Sendable {
  let job: Job
  let options: CrawlOptions
  let exchange: any Exchange
  let time: Timekeeper
  let quotas: Quotas
  let breaker: HostBreaker
  let credential: Credential?
  let recorder: RunRecorder
  /// A first signal came: finish the page in hand, commit, and stop.
  let isInterrupted: @Sendable () -> Bool
  /// The database's own log, which a reader may let grow.
  let log: LogWatch
  let startedAt: Instant
  let startedElapsed: Duration

  var backoff: Backoff {
    var backoff = Backoff()
    backoff.triesMax = options.triesMax
    backoff.timeMax = options.triesTimeMax
    return backoff
  }

  /// Why no further request may be made in this run, if so.
  func stopReason() -> Stop? {
    if isInterrupted() { return Stop(rule: .interrupted, message: "stopped by a signal") }
    if let most = options.maxRequests, recorder.requestsSent >= most {
      return Stop(rule: .budget, message: "the \(most) requests of --max-requests are used up")
    }
    return lateness.map { Stop(rule: .budget, message: $0) }
  }

  /// Why there is no room for any further request, a picture's too.
  var lateness: String? {
    if let most = options.maxTime, time.elapsed() - startedElapsed >= most {
      return "the time of --max-time is over"
    }
    if let last = options.until, time.now() >= last { return "the time of --until has come" }
    return log.pauseReason
  }

  /// Until `--max-time` or `--until` ends the run; nil: neither does.
  var timeLeft: Duration? {
    let byTime = options.maxTime.map { $0 - (time.elapsed() - startedElapsed) }
    let byClock = options.until.map { $0 - time.now() }
    return [byTime, byClock].compactMap { $0 }.min()
  }

  /// Waits, tells why and until when, and keeps the wait for the report. False: a signal came.
  /// - Parameters:
  ///   - shownFrom: a shorter wait is not worth a word.
  ///   - isTold: whether the story has a sentence for it.
  func wait(
    until: Instant, reason: String, label: UnitLabel?, shownFrom: Duration = .seconds(1),
    isTold: Bool = true
  ) async -> Bool {
    let span = until - time.now()
    guard span > .zero else { return !isInterrupted() }
    let began = time.elapsed()
    let startedAt = time.now()
    let isShown = span >= shownFrom
    if isShown { recorder.event(.waiting(label, reason: reason, until: until)) }
    // In slices, so that a signal is heard within half a second.
    var left = span
    while left > .zero, !isInterrupted() {
      let slice = min(left, .milliseconds(500))
      do { try await time.sleep(slice) } catch { break }
      left = span - (time.elapsed() - began)
    }
    if isShown { recorder.event(.waitEnded(label)) }
    let waited = time.elapsed() - began
    if waited >= .milliseconds(1) {
      recorder.waited(WaitFacts(reason: reason, startedAt: startedAt, duration: waited))
    }
    if isShown, isTold { recorder.story("I waited \(Wording.span(waited)) for \(reason).") }
    return !isInterrupted()
  }
}

/// Why a run makes no further request, though work is left.
struct Stop: Sendable, Equatable {
  var rule: StopRule
  var message: String
  var goesOnAt: Instant?
}
