/// When the log is synced. Where many small lists end one after the other, a sync for each would cost more than
/// all the rest: those that follow a sync closely are owed one. It comes with the first write a tenth of a second
/// later, and with the run's end. What a power cut takes before is a whole rest of the log, never a part
/// of a transaction: the lists are read again.
struct SyncPace {
  static let interval = Duration.milliseconds(100)

  private var last: Duration?
  /// Something was told that a power cut would take.
  var isOwed = false

  func isDue(at now: Duration) -> Bool { last.map { now - $0 >= Self.interval } ?? true }

  func isOverdue(at now: Duration) -> Bool { isOwed && isDue(at: now) }

  mutating func note(at now: Duration) {
    last = now
    isOwed = false
  }
}
