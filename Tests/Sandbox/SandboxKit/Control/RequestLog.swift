public import Base

/// One request in the log, without header values and query secrets.
public struct LoggedRequest: Sendable, Equatable {
  /// From 1, in the order of arrival.
  public var number: Int
  public var at: Instant
  public var method: String
  /// Path and query; values of secret parameters are `***`.
  public var target: String
  /// `github`, `media`; `_sandbox` for the sandbox's own paths.
  public var api: String
  public var headerNames: [String]
  /// The status that was sent, or would have been.
  public var status: Int
  /// `answered`, `refused`, or the kind of the fault that hit it.
  public var outcome: String
}

/// The last requests, bounded.
final class RequestLog: Sendable {
  private struct Ring: Sendable {
    var entries: [LoggedRequest] = []
    var oldest = 0
  }

  private let ring = Locked(Ring())
  /// Older ones are dropped.
  private static let max = 100_000

  func append(_ entry: LoggedRequest) {
    ring.withLock { ring in
      if ring.entries.count < Self.max {
        ring.entries.append(entry)
      } else {
        ring.entries[ring.oldest] = entry
        ring.oldest = (ring.oldest + 1) % Self.max
      }
    }
  }

  func reset() { ring.withLock { $0 = Ring() } }

  /// The requests after number `since`, in the order of their answers.
  func requests(api: String?, since: Int) -> [LoggedRequest] {
    let entries = ring.withLock { Array($0.entries[$0.oldest...] + $0.entries[..<$0.oldest]) }
    return entries.filter { $0.number > since && (api == nil || $0.api == api) }
  }

  /// Query parameters in which APIs take a credential.
  private static let secretNames: Set<String> = [
    "key", "apikey", "api_key", "access_token", "token", "client_secret", "secret",
  ]

  static func withoutSecrets(_ target: String) -> String {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return target }
    let pairs = parts[1].split(separator: "&", omittingEmptySubsequences: false).map { pair in
      let name = pair.prefix { $0 != "=" }
      let decoded = String(decoding: PercentEncoding.decoded(name), as: UTF8.self).lowercased()
      return secretNames.contains(decoded) ? "\(name)=***" : String(pair)
    }
    return "\(parts[0])?\(pairs.joined(separator: "&"))"
  }
}
