internal import Model

/// Hosts of pictures that failed in a row: so often, and a host is left alone for the rest of the
/// run. Unlike the API's breaker it forgets with the run, since pictures come from anywhere.
final class HostFailures: Sendable {
  private let failuresMax: Int
  private let inARow = Locked<[Origin: Int]>([:])

  init(failuresMax: Int) { self.failuresMax = failuresMax }

  func isGivenUp(_ host: Origin) -> Bool {
    inARow.withLock { $0[host, default: 0] >= failuresMax }
  }

  func noteFailure(_ host: Origin) { inARow.withLock { $0[host, default: 0] += 1 } }

  func noteAnswer(_ host: Origin) { inARow.withLock { $0[host] = nil } }
}
