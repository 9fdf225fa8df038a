internal import Base

/// When a job's next run is due by its `every`.
struct Schedule: Sendable, Equatable {
  let every: Duration

  init?(every: Duration?) {
    guard let every else { return nil }
    self.every = every
  }

  /// Timers drift: a run may be this early.
  private var slack: Duration { min(every / 10, .seconds(600)) }

  /// - Parameter last: the start of the last run that read all it could.
  func dueAt(after last: Instant?) -> Instant? { last.map { $0 + every } }

  func isDue(after last: Instant?, now: Instant) -> Bool {
    guard let last else { return true }
    return now >= last + (every - slack) || last.isAhead(of: now)
  }
}
