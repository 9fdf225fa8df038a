internal import Ledger
internal import Model

/// The job's buckets as the ledger counts them, for one credential.
struct Quotas: Sendable {
  let ledger: QuotaLedger
  let rules: BucketRules
  let spender: Spender

  /// What a request of a stream asks of each bucket it spends.
  func asks(for stream: Stream, at now: Instant) -> [BucketAsk] {
    stream.spends.sorted { $0.key < $1.key }.compactMap { name, cost in
      job.buckets.first { $0.name == name }.map { ask($0, cost: cost, at: now) }
    }
  }

  private var job: Job { rules.job }

  func ask(_ bucket: Bucket, cost: Int = 1, at now: Instant) -> BucketAsk {
    rules.ask(bucket, cost: cost, at: now)
  }

  /// Every bucket and what it has left, for the report and `status`.
  func all(at now: Instant) -> [BucketAsk] { rules.all(at: now) }

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
