internal import Base

/// Limits the calls of each key in any sixty minutes. No header reports them.
struct GiphyQuota: Sendable {
  static let window = Duration.seconds(3600)

  private let callsPerHour: Int
  private var calls: [String: [Instant]] = [:]
  private var refused = 0

  init(_ options: GiphyOptions) { callsPerHour = options.callsPerHour }

  /// Nil if the call is allowed, which counts it; else the number of earlier refusals.
  mutating func refusal(_ key: String, at now: Instant) -> Int? {
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
