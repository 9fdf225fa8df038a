public import Base

/// What an answer's header says about limits. Every time is relative to the answer's own `Date`, so that a wrong clock
/// on either side does no harm.
public struct LimitSigns: Sendable, Equatable {
  /// `Retry-After`: seconds, an HTTP date, or (some APIs) an epoch or another date; zero if past.
  public let retryAfter: Duration?
  /// The server's own counts, in header order.
  public let quotas: [ServerQuota]

  /// Longer waits are ignored as errors.
  static let waitMax: Duration = .seconds(366 * 86_400)

  public init(_ answer: Answer) {
    self.init(answer.fields, at: answer.serverDate)
  }

  init(_ fields: HeaderFields, at serverDate: Instant) {
    retryAfter = fields.values("Retry-After").flatMap { text in
      // `7200, 7200`, `10s`, `10; reason=x`
      [text] + text.split(separator: ",").map { part in String(part.prefix { !";s".contains($0) }) }
    }.compactMap { Self.delay($0, at: serverDate) }.max()
    var quotas = RateLimitField.quotas(fields)
    for prefix in ["X-RateLimit-", "X-Rate-Limit-", "RateLimit-"] {
      let quota = ServerQuota(
        name: fields[prefix + "Resource"]?.trimmingBlanks,
        limit: Self.count(fields[prefix + "Limit"]),
        remaining: Self.count(fields[prefix + "Remaining"]),
        resetsIn: ["Reset-After", "Reset"].lazy
          .compactMap { fields[prefix + $0] }
          .compactMap { Self.delay($0, at: serverDate) }.first)
      if quota.limit != nil || quota.remaining != nil { quotas.append(quota) }
    }
    self.quotas = quotas
  }

  /// The quotas with nothing left.
  var spent: [ServerQuota] { quotas.filter { $0.remaining == 0 } }

  /// The one of them that resets last.
  public var longestSpent: ServerQuota? {
    spent.max { ($0.resetsIn ?? .zero) < ($1.resetsIn ?? .zero) }
  }

  /// The longest wait, by a quota with nothing left or `Retry-After`.
  public var wait: Duration? {
    // Resets are in whole seconds: one more is surely enough.
    let resets = spent.compactMap { $0.resetsIn.map { $0 + .seconds(1) } }
    return (resets + [retryAfter].compactMap { $0 }).max()
  }

  /// Seconds, an epoch in seconds or milliseconds, or a date (HTTP or RFC 3339), relative to the answer's date; never
  /// below zero. Nil for anything else, or if too far away.
  static func delay(_ text: String, at serverDate: Instant) -> Duration? {
    let text = text.trimmingBlanks
    let delay: Duration
    if let number = number(text) {
      // 10^9 seconds are 31 years as a wait, and September 2001 as an epoch.
      switch number {
      case ..<0: delay = .zero
      case ..<1e9: delay = .milliseconds(Int64((number * 1000).rounded(.up)))
      case ..<1e11: delay = Instant(milliseconds: Int64(number * 1000)) - serverDate
      case ..<1e15: delay = Instant(milliseconds: Int64(number)) - serverDate
      default: return nil
      }
    } else if let instant = Instant(httpDate: text) ?? Instant(rfc3339: text) {
      delay = instant - serverDate
    } else {
      return nil
    }
    return delay > waitMax ? nil : max(.zero, delay)
  }

  /// Digits with an optional sign and fraction; no exponent, no name of infinity.
  private static func number(_ text: String) -> Double? {
    let isPlain = text.utf8.allSatisfy { (48...57).contains($0) || "+-.".utf8.contains($0) }
    return isPlain && text.utf8.count <= 30 ? Double(text) : nil
  }

  /// The leading whole number (`100, 100;w=60` is 100); below zero means none left.
  static func count(_ text: String?) -> Int? {
    guard let text = text?.trimmingBlanks else { return nil }
    let sign = text.hasPrefix("-") ? 1 : 0
    let digits = text.utf8.dropFirst(sign).prefix { (48...57).contains($0) }
    guard !digits.isEmpty else { return nil }
    if sign == 1 { return 0 }
    return Int(String(decoding: digits, as: UTF8.self)) ?? Int.max
  }
}
