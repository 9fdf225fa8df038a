internal import Base

/// How long to wait before the same request is sent again: exponential with full jitter, so that
/// many clients that failed together do not come back together.
public struct Backoff: Sendable, Equatable {
  /// The longest wait before the second try; it doubles with each further one.
  var base: Duration = .milliseconds(500)
  var waitMax: Duration = .seconds(120)
  /// Tries of one request, the first included.
  public var triesMax: Int
  /// From the first try of a request on; waits that the server asked for are not counted.
  public var timeMax: Duration

  public init(triesMax: Int, timeMax: Duration) {
    self.triesMax = triesMax
    self.timeMax = timeMax
  }

  /// The wait after a failed try, or nil when it was the last.
  /// - Parameters:
  ///   - tries: that were made, at least 1.
  ///   - elapsed: since the first of them, less the waits that the server asked for.
  ///   - asked: what the server asks for; never undercut, and exceeded by less than a second. One
  ///     that is over already says that there is a limit, and not how long it lasts: then the wait is
  ///     our own, and no less than half of what it may be.
  ///   - random: 64 random bits.
  public func wait(
    afterTries tries: Int, elapsed: Duration, asked: Duration? = nil, random: UInt64
  ) -> Duration? {
    guard tries < triesMax, elapsed < timeMax else { return nil }
    if let asked, asked > .zero {
      return asked + .milliseconds(Int64(random % 1000))
    }
    let doublings = min(max(tries, 1) - 1, 30)
    let ceiling = max(min(base * (1 << doublings), waitMax, timeMax - elapsed).milliseconds, 0)
    let floor = asked == nil ? 0 : ceiling / 2
    return .milliseconds(floor + Int64(random % UInt64(ceiling - floor + 1)))
  }
}
