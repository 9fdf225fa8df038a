internal import Ledger
internal import Model

/// How long a number of requests takes at what the quotas allow: arithmetic for forecasts.
public struct QuotaDays: Sendable {
  /// One quota: what a request costs, what is left now, and what comes back in which time.
  public struct DailyQuota: Sendable {
    var cost: Int
    var left: Int
    var share: Int
    var length: Duration

    /// - Parameters:
    ///   - share: what the spender gets in each stretch of that length.
    public init(cost: Int, left: Int, share: Int, length: Duration) {
      self.cost = cost
      self.left = left
      self.share = share
      self.length = length
    }
  }

  private let pots: [DailyQuota]

  public init(pots: [DailyQuota]) { self.pots = pots }

  /// Days on which something is asked; the first is today. Nil: a quota gives nothing at all.
  public func days(for requests: Int) -> Int? {
    var most = 1
    for pot in pots where pot.cost > 0 {
      let (need, isHuge) = requests.multipliedReportingOverflow(by: pot.cost)
      if isHuge { return nil }
      guard need > pot.left else { continue }
      guard pot.share >= pot.cost else { return nil }
      // A stretch shorter than a day comes back several times on it.
      let stretches = Double(need - pot.left) / Double(pot.share)
      let perDay = max(1, 86_400 / max(pot.length.inSeconds, 1))
      most = max(most, 1 + Int(min((stretches / perDay).rounded(.up), 1e6)))
    }
    return most
  }
}

extension JobQuotas {
  /// The quotas that a request of a stream spends, as they stand now.
  func pots(
    for stream: Stream, in ledger: QuotaLedger, at now: Instant
  ) async throws(LedgerError) -> QuotaDays {
    var pots: [QuotaDays.DailyQuota] = []
    for ask in asks(stream.spends, at: now) {
      let left = try await ledger.left(in: ask, for: spender)
      pots.append(
        QuotaDays.DailyQuota(
          cost: ask.cost, left: left.left, share: spender.share(of: left.allowed),
          length: ask.length))
    }
    return QuotaDays(pots: pots)
  }
}
