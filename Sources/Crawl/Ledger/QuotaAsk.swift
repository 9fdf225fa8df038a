internal import Base

/// Whose quota it is: one of an API, under one account. Quotas of one name and of different stretches are
/// different ones.
public struct QuotaKey: Hashable, Sendable {
  public var origin: String
  public var name: String
  public var account: String
  /// Of the stretch; a day has 24 hours, whatever the clocks do.
  public var length: Duration
}

/// What a request costs of one quota, and the quota's rule.
public struct QuotaAsk: Sendable, Hashable {
  /// The stretch in which at most `allow` may be spent.
  enum Stretch: Sendable, Hashable {
    case rolling(Duration)
    /// A day between two resets: half open.
    case fixed(from: Instant, to: Instant)
  }

  public var key: QuotaKey
  /// 0: nothing is spent, and only a wait that the server asked for holds the request back.
  var cost: Int
  var allow: Int
  var stretch: Stretch
  /// How many may go at once before they are spaced evenly; `allow` or more means no spacing.
  var burst: Int

  /// Of the stretch.
  public var length: Duration {
    switch stretch {
    case .rolling(let length): length
    case .fixed(let from, let to): to - from
    }
  }

  /// How long a number that the server gives without a reset holds at the most.
  func resetsIn(_ now: Instant) -> Duration {
    switch stretch {
    case .rolling(let length): length
    case .fixed(_, let to): to - now
    }
  }
}

/// Who asks: a backfill leaves a share of each quota to the timer's runs.
public enum Spender: Sendable, Equatable {
  case timer
  case backfill(reserve: Double)

  /// As the file has it.
  var name: String { self == .timer ? "timer" : "backfill" }

  /// What of an allowance this spender may use up. The reserve of a very small one is nothing: a
  /// backfill that could never ask would be none.
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
    /// The row of the use, and what of it is this one's.
    var id: Int64
    var cost: Int
    /// All that was ever set aside in the quota, this included.
    var spent: Int
  }

  var uses: [Use]
}

enum Admission: Sendable, Equatable {
  /// The request may go at this instant (now, or a little later where requests are spaced).
  case granted(Reservation, at: Instant)
  /// It may not, and nothing was set aside: ask again then.
  case notBefore(Instant, quota: String, why: String)
}
