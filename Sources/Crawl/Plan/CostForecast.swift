internal import Base

/// What a number of requests costs under the quotas: runs, days, time, and what would make it cheaper.
struct CostForecast: Sendable, Equatable {
  /// A quota, as one kind of request meets it.
  struct Quota: Sendable, Equatable {
    /// What the caller may spend in each stretch, and what is left of the current one.
    var share: Int
    var left: Int
    var length: Duration
    /// Nil: after a whole stretch.
    var resetsIn: Duration?
    var cost: Int
    /// Between two requests.
    var spacing: Duration = .zero
  }

  /// Still to come.
  var requests: Int
  /// Time of one request.
  var pace: Duration = .zero
  var quotas: [Quota]

  /// Days with requests; the first is today. Nil: a quota allows nothing at all.
  var days: Int? {
    var most = 1
    for quota in quotas {
      guard let further = further(quota) else { return nil }
      // A stretch shorter than a day recurs several times a day.
      let perDay = max(1, 86_400 / max(quota.length.inSeconds, 1))
      most = max(most, 1 + Int(min(Double(further) / perDay, 1e6)))
    }
    return most
  }

  /// Stretches of work between waits for a quota, including the current one; nil: never.
  var runs: Int? {
    var most = 1
    for quota in quotas {
      guard let number = further(quota) else { return nil }
      most = max(most, number + 1)
    }
    return most
  }

  /// About how long it takes; nil: it never ends.
  var time: Duration? {
    let spacing = quotas.map { $0.spacing * $0.cost }.max() ?? .zero
    var longest = max(pace, spacing) * requests
    for quota in quotas {
      guard let further = further(quota) else { return nil }
      guard further > 0 else { continue }
      longest = max(longest, (quota.resetsIn ?? quota.length) + quota.length * (further - 1))
    }
    return longest
  }

  /// How many more stretches are needed; nil: it never suffices, or there are too many to count.
  private func further(_ quota: Quota) -> Int? {
    let (need, isHuge) = requests.multipliedReportingOverflow(by: quota.cost)
    if isHuge { return nil }
    if need <= quota.left { return 0 }
    guard quota.share >= quota.cost else { return nil }
    return (need - quota.left - 1) / quota.share + 1
  }

  /// The quota that decides: the longest wait, else the longest stretch.
  private var tightest: Quota? {
    quotas.max { one, other in
      let oneKey = (further(one) ?? .max, one.length)
      let otherKey = (further(other) ?? .max, other.length)
      return oneKey < otherKey
    }
  }

  /// `57 requests are left of the hour: about 3 hours, in 4 runs`; nil if no quota matters.
  var sentence: String? {
    guard let quota = tightest, quota.length > .seconds(60) else { return nil }
    let left = quota.left / max(1, quota.cost)
    let count = Wording.count(left, "request is", "requests are")
    var text = "\(count) left of \(Wording.stretch(quota.length))"
    guard let runs, let time else {
      return text + ", and one of these costs more than there ever is"
    }
    if runs > 1 { text += ": about \(Wording.rough(time)), in \(runs) runs" }
    return text
  }
}

extension QuotaAsk {
  /// Days that a cost takes; nil: the quota allows this spender nothing.
  public func days(_ cost: Int, _ left: QuotaLedger.Left, for spender: Spender) -> Int? {
    let quota = CostForecast.Quota(
      share: spender.share(of: left.allowed), left: left.left, length: length, cost: 1)
    return CostForecast(requests: cost, quotas: [quota]).days
  }
}

extension JobQuotas {
  /// What a number of a stream's requests will meet, with the present key.
  func forecast(
    _ requests: Int, of stream: Stream, pace: Duration = .zero, in ledger: QuotaLedger,
    at now: Instant
  ) async throws(LedgerError) -> CostForecast {
    var quotas: [CostForecast.Quota] = []
    for ask in asks(stream.spends, at: now) {
      let left = try await ledger.left(in: ask, for: spender)
      quotas.append(
        quota(ask, left: left.left, resetsIn: left.resetsAt.map { max(.zero, $0 - now) }))
    }
    return CostForecast(requests: requests, pace: pace, quotas: quotas)
  }

  /// Days that a number of requests takes if nothing else uses the quotas; nil: one allows nothing.
  static func days(_ requests: Int, of stream: Stream, in job: Job) -> Int? {
    let quotas = job.quotas.compactMap { quota in
      stream.spends[quota.name].map { cost in
        CostForecast.Quota(
          share: quota.allow, left: quota.allow, length: quota.window.length, cost: cost)
      }
    }
    return CostForecast(requests: requests, quotas: quotas).days
  }

  /// A quota that resets once a day or less often.
  static func isScarce(for stream: Stream, in job: Job) -> Bool {
    job.quotas.contains { stream.spends[$0.name] != nil && $0.window.length >= .seconds(86_400) }
  }

  /// The same with an unused key; nil if a key changes nothing.
  func forecastWithKey(
    _ requests: Int, of stream: Stream, pace: Duration, at now: Instant
  ) -> CostForecast? {
    guard !hasKey, job.authentication?.isOptional == true else { return nil }
    let quotas = asks(stream.spends, at: now).map { ask in
      var ask = ask
      ask.allow = job.quotas.first { $0.name == ask.key.name }?.allow ?? ask.allow
      return quota(ask, left: spender.share(of: ask.allow))
    }
    return CostForecast(requests: requests, pace: pace, quotas: quotas)
  }

  private func quota(
    _ ask: QuotaAsk, left: Int, resetsIn: Duration? = nil
  ) -> CostForecast.Quota {
    CostForecast.Quota(
      share: spender.share(of: ask.allow), left: left, length: ask.length, resetsIn: resetsIn,
      cost: ask.cost, spacing: ask.burst < ask.allow ? ask.length / ask.allow : .zero)
  }
}
