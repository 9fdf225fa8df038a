internal import Ledger
internal import Model

/// The job's buckets as the ledger counts them, for one credential.
struct Quotas: Sendable {
  let ledger: QuotaLedger
  let rules: BucketRules
  let spender: Spender

  /// What a request of a stream asks of each bucket it spends.
  func asks(for stream: Stream, at now: Instant) -> [BucketAsk] {
    // In the order of the file: the first is what an answer's numbers without a name are about.
    job.buckets.compactMap { bucket in
      stream.spends[bucket.name].map { ask(bucket, cost: $0, at: now) }
    }
  }

  /// Where a wait is kept that the server asks of whoever asks it, for requests without a bucket.
  var gate: BucketKey {
    BucketKey(origin: job.base.origin.description, bucket: "", account: rules.account)
  }

  /// When a bucket whose spent window tells no end is asked again, by the server's own clock.
  func nextChance(of ask: BucketAsk, after answer: Answer) -> Instant {
    switch ask.stretch {
    case .rolling(let length): return answer.receivedAt + length
    case .fixed:
      let there = answer.serverDate
      guard let bucket = job.buckets.first(where: { $0.name == ask.key.bucket }),
        case .fixed(let from, let to) = rules.ask(bucket, at: there).stretch
      else { return answer.receivedAt + ask.length }
      // A reset may come through a little late: then not a whole day is waited for the next.
      let isFresh = there - from < Self.resetGrace && to - there > Self.resetGrace
      let wait = isFresh ? Self.resetGrace / 3 : to - there + .seconds(1)
      return answer.receivedAt + wait
    }
  }

  /// So long after a reset a server may still count the window before.
  static let resetGrace = Duration.seconds(15 * 60)

  var job: Job { rules.job }

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
