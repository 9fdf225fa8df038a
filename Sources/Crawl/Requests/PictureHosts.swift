internal import Base

/// What a run knows of its pictures' hosts. Unlike the API's breaker it is forgotten with the run, since pictures come
/// from anywhere; a wait that a host asks for is in the ledger too.
final class PictureHosts: Sendable {
  private struct Host {
    var failuresInARow = 0
    /// Waits that it asked for since it last sent a picture.
    var limits = 0
    /// The end of the last such wait.
    var until = Instant(milliseconds: .min)
    /// One picture is in flight to find out whether the wait was long enough.
    var isProbed = false
  }

  /// How long a host that names no time is left alone: at first, then for the run.
  private static let shortRest = Duration.seconds(15)
  private static let longRest = Duration.seconds(3600)
  /// After so many waits in a row a host is left alone for long, whatever it asks for.
  private static let limitsMax = 3

  private let failuresMax: Int
  private let hosts = Locked<[Origin: Host]>([:])

  init(failuresMax: Int) { self.failuresMax = failuresMax }

  /// After this many failures in a row a host is left alone for the rest of the run.
  func isGivenUp(_ host: Origin) -> Bool {
    hosts.withLock { ($0[host]?.failuresInARow ?? 0) >= failuresMax }
  }

  func noteFailure(_ host: Origin) {
    hosts.withLock { $0[host, default: Host()].failuresInARow += 1 }
  }

  /// Whatever the status, the host answers.
  func noteAnswer(_ host: Origin) { hosts.withLock { $0[host]?.failuresInARow = 0 } }

  /// Whether a request may go to it now: after a wait one goes, and the others wait for its answer.
  func takeTurn(_ host: Origin, at now: Instant) -> Bool {
    hosts.withLock { hosts in
      guard var known = hosts[host], known.limits > 0 else { return true }
      if known.isProbed || known.until > now { return false }
      known.isProbed = true
      hosts[host] = known
      return true
    }
  }

  /// The request ended without a wait.
  /// - Parameter isAnswered: the host sent something, so the limit is over.
  func endTurn(_ host: Origin, isAnswered: Bool) {
    hosts.withLock { hosts in
      hosts[host]?.isProbed = false
      if isAnswered { hosts[host]?.limits = 0 }
    }
  }

  /// The host says that there are too many requests. Returns until when it is left alone.
  /// - Parameters:
  ///   - sentAt: of the request: limits of requests in flight together count as one.
  ///   - asked: nil: no time is named.
  func noteLimit(_ host: Origin, sentAt: Instant, asked: Duration?, at now: Instant) -> Instant {
    hosts.withLock { hosts in
      var known = hosts[host] ?? Host()
      known.isProbed = false
      let isKnown = known.limits > 0 && sentAt < known.until
      if !isKnown { known.limits += 1 }
      let own = known.limits == 1 ? Self.shortRest : Self.longRest
      var wait = asked.flatMap { $0 > .zero ? $0 : nil } ?? own
      if known.limits >= Self.limitsMax { wait = max(wait, Self.longRest) }
      if !isKnown || asked != nil { known.until = max(now + wait, known.until) }
      hosts[host] = known
      return known.until
    }
  }
}
