internal import Base

/// Limits the calls of each key in any stretch of time. No header says what is left, and no answer when it resets.
struct RollingQuota: Sendable {
  /// Calls, and the stretch for which they are allowed.
  private let limits: [(calls: Int, stretch: Duration)]
  private var calls: [String: [Instant]] = [:]

  init(_ limits: [(calls: Int, stretch: Duration)]) { self.limits = limits }

  /// Counts one call if one is left.
  mutating func spend(_ key: String, at now: Instant) -> Bool {
    let longest = limits.map(\.stretch).max() ?? .zero
    var recent = (calls[key] ?? []).filter { now - $0 < longest }
    let isAllowed = limits.allSatisfy { limit in
      recent.count { now - $0 < limit.stretch } < limit.calls
    }
    if isAllowed { recent.append(now) }
    calls[key] = recent
    return isAllowed
  }
}
