internal import Base

/// Counts requests: of a run, against `--max-requests`; of one list, whatever else is in flight; or those about single
/// records.
final class RequestCount: Sendable {
  private let booked = Locked(0)

  /// Requests sent, and those about to be.
  var count: Int { booked.withLock { $0 } }

  /// Takes one more; false: none is left.
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
