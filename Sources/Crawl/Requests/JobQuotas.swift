public import Base
internal import Walk

/// A job's quotas as the ledger counts them, for one account.
public final class JobQuotas: Sendable {
  let job: Job
  let account: String
  let hasKey: Bool
  let spender: Spender
  private let clocks: [String: QuotaClock]

  public init(job: Job, account: String, hasKey: Bool, reserve: Double? = nil) throws {
    self.job = job
    self.account = account
    self.hasKey = hasKey
    spender = reserve.map { .backfill(reserve: $0) } ?? .timer
    var clocks: [String: QuotaClock] = [:]
    for quota in job.quotas { clocks[quota.name] = try QuotaClock(quota.window) }
    self.clocks = clocks
  }

  /// One for each quota, in the order of the job file.
  public func all(at now: Instant) -> [QuotaAsk] { job.quotas.map { ask($0, at: now) } }

  /// Where a wait of the API is kept that names no quota.
  public var gate: QuotaAsk { Self.gate(job.base.origin, account: account) }

  static func gate(_ origin: Origin, account: String) -> QuotaAsk {
    QuotaAsk(
      key: QuotaKey(
        origin: origin.description, name: "", account: account, length: .seconds(3600)),
      cost: 0, allow: 1, stretch: .rolling(.seconds(3600)), burst: 1)
  }

  /// What a request reserves in each quota that it draws on, by name and cost.
  func asks(_ spends: [String: Int], at now: Instant) -> [QuotaAsk] {
    // In file order: numbers without a name are about the first.
    job.quotas.compactMap { quota in
      spends[quota.name].map { ask(quota, cost: $0, at: now) }
    }
  }

  /// The ask that an answer's own numbers are about: the quota that the server names, else the first that the request
  /// draws on. Any name means a job's only quota.
  func ask(named name: String?, among asks: [QuotaAsk], at now: Instant) -> QuotaAsk? {
    guard let name else { return asks.first }
    guard
      let quota = job.quotas.first(where: {
        $0.serverName ?? $0.name == name || $0.name == name
      })
    else { return job.quotas.count == 1 ? asks.first : nil }
    return ask(quota, at: now)
  }

  private func ask(_ quota: Quota, cost: Int = 1, at now: Instant) -> QuotaAsk {
    let day = clocks[quota.name]?.day(at: now)
    let stretch: QuotaAsk.Stretch =
      day.map { .fixed(from: $0.from, to: $0.to) } ?? .rolling(quota.window.length)
    let allow = hasKey ? quota.allow : quota.allowWithoutKey ?? quota.allow
    return QuotaAsk(
      key: QuotaKey(
        origin: job.base.origin.description, name: quota.name, account: account,
        length: quota.window.length),
      cost: cost, allow: allow, stretch: stretch, burst: quota.burst)
  }

  /// When a spent quota without a known end is tried again, by the server's clock.
  func nextChance(of ask: QuotaAsk, after answer: Answer) -> Instant {
    let there = answer.serverDate
    guard let day = clocks[ask.key.name]?.day(at: there) else {
      return answer.receivedAt + ask.length
    }
    // A reset may take effect a little late: try soon instead of waiting a day for the next.
    let isFresh = there - day.from < Self.resetGrace
    return answer.receivedAt + (isFresh ? Self.resetGrace / 3 : day.to - there + .seconds(1))
  }

  /// For this long after a reset a server may still count the window before.
  private static let resetGrace = Duration.seconds(15 * 60)
}
