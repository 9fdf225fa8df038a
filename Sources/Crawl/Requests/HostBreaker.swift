internal import Ledger
internal import Model

/// The breaker of a job's host. How often in a row the host failed stands in the ledger, over runs
/// and processes; once it has answered here the ledger is not asked again until it fails here, so
/// that a clean walk pays for it once and not twice a page.
final class HostBreaker: Sendable {
  private let ledger: QuotaLedger
  private let host: String
  private let failuresMax: Int
  /// The host's last answer in this run was a page, and the ledger holds nothing against it.
  private let isKnownSound = Locked(false)

  init(_ ledger: QuotaLedger, host: String, failuresMax: Int) {
    self.ledger = ledger
    self.host = host
    self.failuresMax = failuresMax
  }

  /// The host failed to the limit, or was given up in an earlier run: one try tells whether it is
  /// back.
  func isHalfOpen() async -> Bool {
    if isKnownSound.withLock({ $0 }) { return false }
    // A ledger that cannot be read says so at the next reservation.
    let failures = try? await ledger.failures(of: host)
    return (failures?.inARow ?? 0) >= failuresMax
  }

  func noteFailure(_ message: String) async throws(LedgerError) {
    isKnownSound.withLock { $0 = false }
    try await ledger.noteFailure(of: host, message)
  }

  /// The host was given up: the next run asks it once before it believes in it again.
  func open(_ message: String) async throws(LedgerError) {
    isKnownSound.withLock { $0 = false }
    try await ledger.noteFailure(of: host, message, atLeast: failuresMax)
  }

  func noteAnswer() async throws(LedgerError) {
    if isKnownSound.withLock({ $0 }) { return }
    if try await ledger.failures(of: host) != nil { try await ledger.noteSuccess(of: host) }
    isKnownSound.withLock { $0 = true }
  }
}
