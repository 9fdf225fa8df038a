internal import Base

/// What a job's `every` means: when its next run is due.
struct Schedule: Sendable, Equatable {
  let every: Duration

  init?(every: Duration?) {
    guard let every else { return nil }
    self.every = every
  }

  /// Timers drift: a run may come so much before its time.
  private var slack: Duration { min(every / 10, .seconds(600)) }

  /// - Parameter last: when the last run began that read all it could.
  func dueAt(after last: Instant?) -> Instant? { last.map { $0 + every } }

  func isDue(after last: Instant?, now: Instant) -> Bool {
    guard let last else { return true }
    return now >= last + (every - slack) || last.isAhead(of: now)
  }
}
