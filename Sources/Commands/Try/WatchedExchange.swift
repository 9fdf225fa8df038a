internal import Base

/// Passes requests on and keeps the last answer of each stream, so that a person can be shown what
/// the API sent beside what was stored of it.
final class WatchedExchange: Exchange {
  private struct State {
    var stream: String?
    var answers: [String: Answer] = [:]
    var first: Answer?
  }

  private let inner: any Exchange
  private let state = Locked(State())

  init(_ inner: any Exchange) { self.inner = inner }

  /// Units are walked one after the other: the requests that follow are of this stream.
  func note(_ event: RunEvent) {
    if case .unitStarted(let label) = event { state.withLock { $0.stream = label.stream } }
  }

  func answer(of stream: String) -> Answer? { state.withLock { $0.answers[stream] } }

  /// Of the whole run.
  var firstAnswer: Answer? { state.withLock { $0.first } }

  func send(
    _ request: Base.Request, into sink: (any BodySink)?
  ) async throws(ExchangeFailure) -> Answer {
    let answer = try await inner.send(request, into: sink)
    // A token is never shown.
    if request.token != nil { return answer }
    state.withLock { state in
      state.first = state.first ?? answer
      if let stream = state.stream { state.answers[stream] = answer }
    }
    return answer
  }
}
