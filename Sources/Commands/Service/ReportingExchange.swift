internal import Base

/// Passes requests on and says of each end that it came. Every request has its longest time, so
/// one that fails is progress too; only a request that never ends is none.
struct ReportingExchange: Exchange {
  let inner: any Exchange
  let progress: @Sendable () -> Void

  var downloadExecutor: (any TaskExecutor)? { inner.downloadExecutor }
  var answerExecutor: (any TaskExecutor)? { inner.answerExecutor }

  func send(
    _ request: Base.Request, into sink: (any BodySink)?
  ) async throws(ExchangeFailure) -> Answer {
    defer { progress() }
    return try await inner.send(request, into: sink)
  }
}
