internal import Base

/// Identifies a quota: of an API, under one account. Quotas of one name but different stretches differ.
public struct QuotaKey: Hashable, Sendable {
  public var origin: String
  public var name: String
  public var account: String
  /// Of the stretch; a day has 24 hours, whatever daylight saving does.
  public var length: Duration
}

/// The cost of a request in one quota, and the quota's rule.
public struct QuotaAsk: Sendable, Hashable {
  /// The stretch in which at most `allow` may be spent.
  enum Stretch: Sendable, Hashable {
    case rolling(Duration)
    /// A day between two resets, half open.
    case fixed(from: Instant, to: Instant)
  }

  public var key: QuotaKey
  /// 0: nothing is spent; only a wait that the server asked for holds the request back.
  var cost: Int
  var allow: Int
  var stretch: Stretch
  /// How many may go at once before requests are spaced evenly; `allow` or more means no spacing.
  var burst: Int

  /// Of the stretch.
  public var length: Duration {
    switch stretch {
    case .rolling(let length): length
    case .fixed(let from, let to): to - from
    }
  }

  /// How long the server's count is valid if it comes without a reset.
  func resetsIn(_ now: Instant) -> Duration {
    switch stretch {
    case .rolling(let length): length
    case .fixed(_, let to): to - now
    }
  }
}

/// Who spends: a backfill leaves a share of each quota to the timer's runs.
public enum Spender: Sendable, Equatable {
  case timer
  case backfill(reserve: Double)

  /// As stored in the file.
  var name: String { self == .timer ? "timer" : "backfill" }

  /// What this spender may use of an allowance. Of a very small one nothing is reserved, or a backfill could never
  /// begin.
  public func share(of allow: Int) -> Int {
    switch self {
    case .timer: allow
    case .backfill(let reserve): allow - Int(Double(allow) * min(max(reserve, 0), 1))
    }
  }
}

/// Costs that are set aside for one request.
struct Reservation: Sendable, Equatable {
  struct Use: Sendable, Equatable {
    var key: QuotaKey
    /// The row of the use, and this request's share of it.
    var id: Int64
    var cost: Int
    /// All that was ever set aside in the quota, including this.
    var spent: Int
  }

  var uses: [Use]
}

enum Admission: Sendable, Equatable {
  /// The request may go at this time: now, or a little later if requests are spaced.
  case granted(Reservation, at: Instant)
  /// Not yet, and nothing was reserved: ask again then.
  case notBefore(Instant, quota: String, why: String)
}
