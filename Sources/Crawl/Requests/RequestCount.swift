internal import Base

/// Requests that are counted: those of a run, against `--max-requests`, those of one list, however many other
/// lists are under way beside it, or the questions about single records.
final class RequestCount: Sendable {
  private let booked = Locked(0)

  /// Sends that went out, and those that are about to.
  var count: Int { booked.withLock { $0 } }

  /// Takes one more; false: all are taken.
  @discardableResult
  func book(most: Int? = nil) -> Bool {
    booked.withLock { booked in
      if let most, booked >= most { return false }
      booked += 1
      return true
    }
  }

  /// Nothing was sent.
  func unbook() { booked.withLock { $0 -= 1 } }
}
