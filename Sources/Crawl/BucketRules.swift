public import Ledger
public import Model
internal import Walk

/// What the ledger is asked about each bucket of a job, for one account.
public struct BucketRules: Sendable {
  let job: Job
  let account: String
  let hasKey: Bool
  private let clocks: [String: BucketClock]

  public init(job: Job, account: String, hasKey: Bool) throws {
    self.job = job
    self.account = account
    self.hasKey = hasKey
    var clocks: [String: BucketClock] = [:]
    for bucket in job.buckets { clocks[bucket.name] = try BucketClock(bucket.window) }
    self.clocks = clocks
  }

  /// One for each bucket, in the order of the job file.
  public func all(at now: Instant) -> [BucketAsk] { job.buckets.map { ask($0, at: now) } }

  func ask(_ bucket: Bucket, cost: Int = 1, at now: Instant) -> BucketAsk {
    let stretch: BucketAsk.Stretch
    switch bucket.window {
    case .rolling(let length): stretch = .rolling(length)
    case .daily:
      let day = clocks[bucket.name]?.window(at: now)
      stretch = day.map { .fixed(from: $0.from, to: $0.to) } ?? .rolling(.seconds(86400))
    }
    let allow = hasKey ? bucket.allow : bucket.allowWithoutKey ?? bucket.allow
    return BucketAsk(
      key: BucketKey(
        origin: job.base.origin.description, bucket: bucket.name, account: account),
      cost: cost, allow: allow, stretch: stretch, burst: bucket.burst)
  }
}
