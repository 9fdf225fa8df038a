internal import Base

/// Sends no request once the lease has ended.
struct ClaimedExchange: Exchange {
  let inner: any Exchange
  let bucket: BucketSession

  func send(
    _ request: Base.Request, into sink: (any BodySink)?
  ) async throws(ExchangeFailure) -> Answer {
    await bucket.putFirst()
    guard bucket.isLive else {
      throw ExchangeFailure(
        .closed, cause: .network, sentence: "the lease on \(bucket.place.shown) has ended",
        wasSent: false)
    }
    return try await inner.send(request, into: sink)
  }

  var downloadExecutor: (any TaskExecutor)? { inner.downloadExecutor }
  var answerExecutor: (any TaskExecutor)? { inner.answerExecutor }
}
