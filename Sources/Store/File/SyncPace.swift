/// When the log is synced. If many small lists end one after another, a sync for each would cost
/// more than everything else: after a recent sync the next one is deferred. It comes with the first
/// write at least a tenth of a second later, or at the run's end. A power cut before that takes the
/// whole unsynced rest of the log, never part of a transaction: those lists are read again.
struct SyncPace {
  static let interval = Duration.milliseconds(100)

  private var last: Duration?
  /// Something was reported that a power cut would still take.
  var isOwed = false

  func isDue(at now: Duration) -> Bool { last.map { now - $0 >= Self.interval } ?? true }

  func isOverdue(at now: Duration) -> Bool { isOwed && isDue(at: now) }

  mutating func note(at now: Duration) {
    last = now
    isOwed = false
  }
}
