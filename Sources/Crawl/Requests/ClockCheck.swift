public import Base

/// Compares the API's clock with ours, by the first answers of a run that have a `Date`. If ours is ahead, the run ends
/// before it stores anything; otherwise clocks change nothing.
struct ClockCheck: Sendable {
  enum Finding: Sendable {
    case goesOn
    /// The answer is from a clock behind ours, or from a cache: the same request past caches shows which.
    case askAgain(ClockReading)
    case stop(Stop)
  }

  /// Between the two requests, so that a running clock differs from a stopped one.
  static let pause = Duration.seconds(3)

  let origin: Origin
  let dates: HeardDates
  let recorder: RunRecorder
  /// Nil while nothing is decided.
  private let decision = Locked<Finding?>(nil)

  /// Our clock is wrong, and the run ends.
  var hasStopped: Bool {
    decision.withLock { if case .stop = $0 { true } else { false } }
  }

  /// - Parameters:
  ///   - answer: with times by the run's clock.
  ///   - first: the reading that caused the second request.
  func hear(_ answer: Answer, after first: ClockReading?) -> Finding {
    if let decided = decision.withLock({ $0 }) { return decided }
    guard
      let reading = ClockReading(answer, sentAt: answer.sentAt, receivedAt: answer.receivedAt)
    else { return .goesOn }
    recorder.change { $0.clockOffset = reading.offset }
    switch dates.hasAgreed ? reading.comparison.withoutZones : reading.comparison {
    case .agrees: break
    case .ahead(let span):
      warn("this machine's clock is \(Wording.span(span)) behind that of \(origin): set the clock")
    case .localTime(let span):
      let way = span > .zero ? "ahead of" : "behind"
      let size = Wording.span(span > .zero ? span : .zero - span)
      warn("\(origin) gives a time that is \(size) \(way) ours, probably its local time: ignored")
    case .behind(let span):
      guard let first else { return .askAgain(reading) }
      guard reading.hasMovedOn(since: first) else {
        // No clock stops: a cached answer, whose age our clock shows.
        dates.noteAgreement()
        break
      }
      let stop = Stop(
        rule: .clock,
        message:
          "this machine's clock is \(Wording.span(span)) ahead of that of \(origin): set the clock; "
          + "if the API's is wrong, say clock: \"ours\" in the job")
      return decide(.stop(stop))
    }
    return decide(.goesOn)
  }

  private func decide(_ made: Finding) -> Finding {
    decision.withLock { if $0 == nil { $0 = made } }
    return made
  }

  private func warn(_ text: String) {
    if decision.withLock({ $0 == nil }) { recorder.warn(text) }
  }
}

extension RunFacts {
  /// The time by which a run deletes what is too old: ours, or the API's if that is earlier. Nil: no answer could
  /// contradict ours.
  public func timeOfDeletion(for job: Job, _ now: Instant) -> Instant? {
    if job.trustsOurClock { return now }
    let hasAnswer = requests.timeline.contains { $0.status > 0 }
    return hasAnswer ? min(now, now + (clockOffset ?? .zero)) : nil
  }
}
