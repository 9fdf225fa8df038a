internal import Base

/// The network of a run. In a bucket nothing is requested once the lease has ended. The service manager is notified
/// when a request ends, even by failure: each has a time limit, so that is progress.
struct RunExchange: Exchange {
  let inner: any Exchange
  let bucket: BucketSession?
  let service: ServiceReporter?

  func send(
    _ request: Base.Request, into sink: (any BodySink)?
  ) async throws(ExchangeFailure) -> Answer {
    defer { service?.progress() }
    await bucket?.putFirst()
    if let lapse = bucket?.lapse {
      throw ExchangeFailure(.closed, cause: .network, sentence: lapse, wasSent: false)
    }
    return try await inner.send(request, into: sink)
  }

  var downloadExecutor: (any TaskExecutor)? { inner.downloadExecutor }
  var answerExecutor: (any TaskExecutor)? { inner.answerExecutor }
}
