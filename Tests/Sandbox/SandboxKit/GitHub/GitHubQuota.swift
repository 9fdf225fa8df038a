internal import Base

/// The hourly and per-minute limits, counted for each account as at GitHub: a window begins with its first request and
/// ends a fixed time later.
struct GitHubQuota: Sendable {
  enum Resource: String, Sendable { case core, search }

  struct Key: Hashable, Sendable {
    /// The token; empty for all clients without one, who share the address.
    var account: String
    var resource: Resource
  }

  struct State: Sendable {
    var limit: Int
    var used: Int
    var resetsAt: Instant

    var remaining: Int { max(0, limit - used) }
  }

  private struct Window: Sendable {
    var used: Int
    var resetsAt: Instant
  }

  private let options: GitHubOptions
  private var windows: [Key: Window] = [:]

  init(_ options: GitHubOptions) { self.options = options }

  /// Counts one request if one is left; otherwise `isAllowed` is false.
  mutating func spend(_ key: Key, at now: Instant) -> (state: State, isAllowed: Bool) {
    var state = state(key, at: now)
    let isAllowed = state.remaining > 0
    if isAllowed { state.used += 1 }
    windows[key] = Window(used: state.used, resetsAt: state.resetsAt)
    return (state, isAllowed)
  }

  /// What is left, without spending.
  func state(_ key: Key, at now: Instant) -> State {
    let limit = limit(key)
    if let window = windows[key], now < window.resetsAt {
      return State(limit: limit, used: window.used, resetsAt: window.resetsAt)
    }
    let length: Int64 = key.resource == .core ? 3600 : 60
    // Whole seconds: the header has no fractions, and a client waits to the second.
    return State(limit: limit, used: 0, resetsAt: Instant(seconds: now.seconds + length))
  }

  private func limit(_ key: Key) -> Int {
    switch (key.resource, key.account.isEmpty) {
    case (.core, true): options.anonymousPerHour
    case (.core, false): options.authorisedPerHour
    case (.search, true): options.anonymousSearchesPerMinute
    case (.search, false): options.authorisedSearchesPerMinute
    }
  }
}
