internal import Base

/// Passes requests on and keeps the last answer to the first list of each stream, to show what the API sent beside what
/// was stored.
final class WatchedExchange: Exchange {
  private struct State {
    var stream: String?
    var lists: [String: String] = [:]
    var answers: [String: Answer] = [:]
    var first: Answer?
  }

  private let inner: any Exchange
  private let state = Locked(State())

  init(_ inner: any Exchange) { self.inner = inner }

  /// Units are walked one after another: the following requests are for this stream.
  func note(_ event: RunEvent) {
    guard case .unitStarted(let label) = event else { return }
    state.withLock { state in
      let first = state.lists[label.stream] ?? label.listName
      state.lists[label.stream] = first
      state.stream = first == label.listName ? label.stream : nil
    }
  }

  func answer(of stream: String) -> Answer? { state.withLock { $0.answers[stream] } }

  /// Of the whole run.
  var firstAnswer: Answer? { state.withLock { $0.first } }

  func send(
    _ request: Base.Request, into sink: (any BodySink)?
  ) async throws(ExchangeFailure) -> Answer {
    let answer = try await inner.send(request, into: sink)
    // Tokens are never shown.
    if request.token != nil { return answer }
    state.withLock { state in
      state.first = state.first ?? answer
      if let stream = state.stream { state.answers[stream] = answer }
    }
    return answer
  }
}
