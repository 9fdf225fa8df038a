internal import Base

/// A developer's requests in any 12 and any 24 hours, by key. No header says what is left, and no answer when it
/// resets.
struct NewsAPIQuota: Sendable {
  private let perDay: Int?
  private let perHalfDay: Int?
  private var asked: [String: [Instant]] = [:]

  private static let half = Duration.seconds(12 * 3600)

  init(_ options: NewsAPIOptions, _ plan: SandboxPlan) {
    perDay = plan == .developer ? options.perDay : nil
    perHalfDay = plan == .developer ? options.perHalfDay : nil
  }

  /// Counts one request if one is left.
  mutating func spend(_ key: String, at now: Instant) -> Bool {
    guard let perDay else { return true }
    var times = (asked[key] ?? []).filter { $0 > now - Self.half - Self.half }
    let recent = times.count { $0 > now - Self.half }
    let isAllowed = times.count < perDay && recent < perHalfDay ?? .max
    if isAllowed { times.append(now) }
    asked[key] = times
    return isAllowed
  }
}
