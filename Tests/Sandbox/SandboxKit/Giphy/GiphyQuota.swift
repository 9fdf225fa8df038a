internal import Base

/// Calls of the last hour, by key: at most so many in any sixty minutes. No header tells of it.
struct GiphyQuota: Sendable {
  /// More keys than any test has; past it all are forgotten.
  private static let keysMax = 1_000
  static let window = Duration.seconds(3600)

  private let callsPerHour: Int
  private var calls: [String: [Instant]] = [:]
  private var refused = 0

  init(_ options: GiphyOptions) { callsPerHour = options.callsPerHour }

  /// Nil when the call may be made, which counts it; else how many were refused before.
  mutating func refusal(_ key: String, at now: Instant) -> Int? {
    if calls.count >= Self.keysMax { calls = [:] }
    var recent = (calls[key] ?? []).filter { now - $0 < Self.window }
    defer { calls[key] = recent }
    guard recent.count >= callsPerHour else {
      recent.append(now)
      return nil
    }
    refused += 1
    return refused - 1
  }
}
