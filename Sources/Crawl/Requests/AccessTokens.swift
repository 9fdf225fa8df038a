internal import Base

/// The access token of one run, in memory only.
final class AccessTokens: Sendable {
  struct Held: Sendable {
    var secret: Secret
    var cameAt: Duration
    /// When the next one is requested.
    var renewedFrom: Duration?
    /// The API has accepted it at least once.
    var hasServed = false
  }

  private let held = Locked<Held?>(nil)
  /// The secret that rotates, as this run has left it.
  private let left = Locked<(keeper: any SecretKeeper, secret: Secret)?>(nil)
  /// Held by the call that requests the next one.
  let turn = Flights(atOnce: 1)

  /// If a token that worked is refused this soon, the token is not the reason.
  private static let refusedAfter = Duration.seconds(60)
  /// Before it expires: a page may take long.
  private static let marginMax = Duration.seconds(60)
  /// How often a call may lose its token to another run. An API that takes no token at all refuses those of every run.
  static let overtakenMax = 20

  func current(at now: Duration) -> Secret? {
    held.withLock { held in
      guard let held, held.renewedFrom.map({ now < $0 }) ?? true else { return nil }
      return held.secret
    }
  }

  func take(_ secret: Secret, life: Duration?, at now: Duration) {
    let from = life.map { now + $0 - min(Self.marginMax, $0 / 10) }
    held.withLock { $0 = Held(secret: secret, cameAt: now, renewedFrom: from) }
  }

  func noteService(of secret: Secret) {
    held.withLock { held in if held?.secret == secret { held?.hasServed = true } }
  }

  /// A request for a token has left the rotating secret like this.
  func note(_ secret: Secret, in keeper: any SecretKeeper) {
    left.withLock { $0 = (keeper, secret) }
  }

  /// Whether another run has spent the rotating secret since, or is doing so: its token may have ended this run's.
  func isOvertaken() -> Bool {
    guard let left = left.withLock({ $0 }) else { return false }
    do throws(SecretKeepingProblem) {
      guard let turn = try left.keeper.takeTurn() else { return true }
      return turn.wasSent || turn.secret.value != left.secret
    } catch {
      // The request for a token would fail by this, too.
      return false
    }
  }

  /// The API has refused a request with this token. True: another token is worth a try.
  /// - Parameter isCertain: the job's own rules say, too, that the key is refused.
  func refuse(_ secret: Secret, isCertain: Bool, at now: Duration) -> Bool {
    held.withLock { held in
      guard let current = held, current.secret == secret else { return true }
      let isFresh = current.hasServed && now - current.cameAt < Self.refusedAfter
      guard isCertain || !isFresh else { return false }
      held = nil
      return true
    }
  }
}
