internal import Ledger
internal import Model
internal import Walk

/// The job's buckets as the ledger counts them, for one credential.
struct Quotas: Sendable {
  let ledger: QuotaLedger
  let job: Job
  let account: String
  let hasKey: Bool
  let spender: Spender
  let clocks: [String: BucketClock]

  /// What a request of a stream asks of each bucket it spends.
  func asks(for stream: Stream, at now: Instant) -> [BucketAsk] {
    stream.spends.sorted { $0.key < $1.key }.compactMap { name, cost in
      job.buckets.first { $0.name == name }.map { ask($0, cost: cost, at: now) }
    }
  }

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

  /// Every bucket and what it has left, for the report and `status`.
  func all(at now: Instant) -> [BucketAsk] { job.buckets.map { ask($0, at: now) } }

  /// The ask that an answer's own numbers are about: the bucket that the server names, else the
  /// first that the request spends.
  func ask(named name: String?, among asks: [BucketAsk], at now: Instant) -> BucketAsk? {
    guard let name else { return asks.first }
    guard
      let bucket = job.buckets.first(where: {
        $0.serverName ?? $0.name == name || $0.name == name
      })
    else { return nil }
    return ask(bucket, at: now)
  }
}
