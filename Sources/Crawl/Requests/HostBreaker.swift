internal import Base

/// The breaker of a job's host, or of its token server. The ledger counts the host's failures in a row, over runs and
/// processes. Once it has answered here, the ledger is not read again until it fails here, so that a clean walk pays
/// once.
///
/// A stream that gets only errors says nothing of the host while others are answered; the end of the run shows whether
/// the host is down (`concludeOutage`).
final class HostBreaker: Sendable {
  private let ledger: QuotaLedger
  private let origin: Origin
  /// Consecutive failures after which a host is left alone for this run.
  static let failuresMax = 20
  private let state = Locked(State())

  private struct State {
    /// The host's last answer in this run was below 500, and the ledger holds nothing against it.
    var isKnownSound = false
    /// Streams (and the health check) that were answered in this run.
    var answered: Set<String> = []
    /// Streams given up since the last answer, and why the last one was.
    var givenUp: Set<String> = []
    var why = ""
    /// Some stream was given up in this run.
    var isDoubted = false
    /// The last request that was answered well.
    var witness: Witness?
    /// Where requests were answered well in this run: the API itself, and where redirects led.
    var sources: Set<Origin> = []
    /// Where redirects led and no connection was possible in this run, and why.
    var lost: [Origin: String] = [:]
    /// Calls that gave way to other lists since the last answer.
    var gaveWay = 0
  }

  init(_ ledger: QuotaLedger, host origin: Origin) {
    self.ledger = ledger
    self.origin = origin
  }

  private var host: String { origin.description }

  /// Whether an answer from that origin says something about this host.
  func isOf(_ other: Origin) -> Bool { other == origin }

  /// The host failed up to the limit, or was given up in an earlier run: one try shows whether it is back.
  func isHalfOpen() async -> Bool {
    if state.withLock({ $0.isKnownSound }) { return false }
    // An unreadable ledger shows at the next reservation.
    let failures = try? await ledger.failures(of: host)
    return (failures ?? 0) >= Self.failuresMax
  }

  func noteFailure(_ message: String) async throws(LedgerError) {
    state.withLock { $0.isKnownSound = false }
    try await ledger.noteFailure(of: host, message)
  }

  /// The host was given up: the next run sends one probe first.
  func open(_ message: String) async throws(LedgerError) {
    state.withLock { $0.isKnownSound = false }
    try await ledger.noteFailure(of: host, message, atLeast: Self.failuresMax)
  }

  /// - Parameter stream: whose request it was; empty: the health check's.
  func noteAnswer(to stream: String) async throws(LedgerError) {
    let isKnown = state.withLock { state in
      state.answered.insert(stream)
      state.givenUp = []
      state.gaveWay = 0
      return state.isKnownSound
    }
    if isKnown { return }
    if try await ledger.failures(of: host) != nil { try await ledger.noteSuccess(of: host) }
    state.withLock { $0.isKnownSound = true }
  }

  /// Nothing was answered in this run, and no stream was given up.
  var isUnheard: Bool { state.withLock { $0.answered.isEmpty && !$0.isDoubted } }
  var hasAnswered: Bool { state.withLock { !$0.answered.isEmpty } }

  /// Whether a failed call lets other lists go: if few have since the last answer. If all fail it is the host, and
  /// waiting for it beats failing once per list.
  func mayGiveWay() -> Bool {
    state.withLock { state in
      guard state.gaveWay < Self.waysMax else { return false }
      state.gaveWay += 1
      return true
    }
  }

  private static let waysMax = 3

  /// A request that the host answered well, to be repeated to see whether it still does.
  struct Witness: Sendable {
    var request: Request
    var booking: Booking
  }

  var witness: Witness? { state.withLock { $0.witness } }
  func note(_ witness: Witness, from source: Origin) {
    state.withLock { state in
      state.witness = witness
      state.sources.insert(source)
      state.lost[source] = nil
    }
  }

  func isRead(_ origin: Origin) -> Bool { state.withLock { $0.sources.contains(origin) } }

  func noteLost(_ origin: Origin, _ message: String) {
    state.withLock { $0.lost[origin] = message }
  }

  func whyLost(_ origin: Origin) -> String? { state.withLock { $0.lost[origin] } }

  /// A stream got nothing but errors. The others are still read.
  /// - Parameter isAlone: others were answered meanwhile, so it is not the host.
  func giveUp(_ stream: String, _ message: String, isAlone: Bool) {
    state.withLock { state in
      state.isDoubted = true
      if isAlone { return }
      state.givenUp.insert(stream)
      state.why = message
    }
  }

  /// Why the host counts as down, at the end of a run: no other stream was answered, or several were given up since the
  /// last answer. The ledger keeps it for the next run.
  func concludeOutage() async throws(LedgerError) -> String? {
    let (isDoubted, why) = state.withLock { state -> (Bool, String?) in
      let others = state.answered.subtracting(state.givenUp)
      let isDown = state.givenUp.count > 1 || !state.givenUp.isEmpty && others.isEmpty
      return (state.isDoubted, isDown ? state.why : nil)
    }
    if let why {
      try await open(why)
    } else if isDoubted {
      try await ledger.noteSuccess(of: host)
    }
    return why
  }
}
