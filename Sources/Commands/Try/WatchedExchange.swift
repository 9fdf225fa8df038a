internal import Base

/// Passes requests on and keeps the last answer to each list, to show what the API sent beside what was stored.
final class WatchedExchange: Exchange {
  private struct Asked: Hashable {
    let address: WebAddress
    let body: RequestBody?
  }

  private struct State {
    var label: UnitLabel?
    /// The list that made a request first.
    var owners: [Asked: UnitLabel] = [:]
    var answers: [UnitLabel: Answer] = [:]
    var first: Answer?
  }

  private let inner: any Exchange
  private let state = Locked(State())

  init(_ inner: any Exchange) { self.inner = inner }

  /// Units are walked one after another: the following requests are for this list.
  func note(_ event: RunEvent) {
    if case .unitStarted(let label) = event { state.withLock { $0.label = label } }
  }

  func answer(of label: UnitLabel) -> Answer? { state.withLock { $0.answers[label] } }

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
      guard let label = state.label else { return }
      let asked = Asked(address: request.address, body: request.body)
      let owner = state.owners[asked] ?? label
      state.owners[asked] = owner
      // When a list fails, the request of another is repeated past caches, to see whether the host is well.
      if owner != label, request.pastCaches.fields == request.fields { return }
      state.answers[label] = answer
    }
    return answer
  }
}
