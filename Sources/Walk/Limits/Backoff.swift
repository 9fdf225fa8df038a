internal import Base

/// The wait before a request is repeated: exponential with full jitter, so that clients that failed together do not
/// return together.
public enum Backoff {
  /// The longest wait before the second try; it doubles with each further try.
  private static let base = Duration.milliseconds(500)
  private static let waitMax = Duration.seconds(120)
  /// Of one request, from the first try on, without waits that the server asked for.
  private static let timeMax = Duration.seconds(15 * 60)

  /// The wait after a failed try; nil if it was the last.
  /// - Parameters:
  ///   - tries: tries so far, at least 1.
  ///   - most: tries of one request, including the first.
  ///   - elapsed: since the first try, less the server's waits.
  ///   - asked: the server's wait; never undercut, and exceeded by less than a second. One that is already over shows a
  ///     limit but not its length: then the wait is ours, and at least half of its maximum.
  ///   - random: 64 random bits.
  public static func wait(
    afterTries tries: Int, of most: Int, elapsed: Duration, asked: Duration? = nil, random: UInt64
  ) -> Duration? {
    guard tries < most, elapsed < timeMax else { return nil }
    if let asked, asked > .zero {
      return asked + .milliseconds(Int64(random % 1000))
    }
    let doublings = min(max(tries, 1) - 1, 30)
    let ceiling = max(min(base * (1 << doublings), waitMax, timeMax - elapsed).milliseconds, 0)
    let floor = asked == nil ? 0 : ceiling / 2
    return .milliseconds(floor + Int64(random % UInt64(ceiling - floor + 1)))
  }
}
