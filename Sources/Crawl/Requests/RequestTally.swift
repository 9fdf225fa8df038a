internal import Base

/// The requests of one list, however many other lists are under way beside it.
final class RequestTally: Sendable {
  private let sent = Locked(0)

  var count: Int { sent.withLock { $0 } }

  func add() { sent.withLock { $0 += 1 } }
}
