internal import Base
internal import TestSupport

/// Faults on the way, and what a server says when it has had enough.
extension SimulatedServer {
  /// Sometimes replaces a page.
  func fault(
    _ request: Request, _ asked: Asked, _ state: inout State
  ) -> Result<Answer, ExchangeFailure>? {
    if state.isCalm { return nil }
    if let death = scenario.death, death.contains(state.turns) {
      state.asked[asked.number].hasArrived = false
      return .failure(.simulated(.unreachable, request))
    }
    guard Int(state.random.next() % 100) < scenario.faults else { return nil }
    switch state.random.next() % 10 {
    case 0: return .failure(.simulated(.cut, request))
    case 1: return .failure(.simulated(.reset, request))
    case 2: return .success(reply(request, 500, "oops"))
    case 3: return .success(reply(request, 503, "", wait(&state, isRemembered: false)))
    case 4, 5: return .success(reply(request, 429, "{}", wait(&state, isRemembered: true)))
    case 6: return .success(reply(request, 200, "<html><body>Welcome</body></html>"))
    case 7: return .success(reply(request, 200, #"{"items":[{"id":"k1","na"#))
    case 8: return .success(reply(request, 200, #"{"error":"try again"}"#))
    default: return .success(reply(request, 200, ""))
    }
  }

  private func wait(_ state: inout State, isRemembered: Bool) -> [HeaderField] {
    let seconds = [1, 5, 30, 200][Int(state.random.next() % 4)]
    let now = time.now
    var until = now + .seconds(Int64(seconds))
    let date = CivilTime(until + .seconds(scenario.skew)).httpDate
    let isDate = state.random.next() % 3 == 0
    // A date has whole seconds.
    if isDate { until = Instant(milliseconds: until.milliseconds / 1000 * 1000) }
    if until > state.notBefore ?? Instant(milliseconds: .min) {
      state.notBefore = until
      state.isRemembered = isRemembered
    }
    if isRemembered { state.postponed += 1 }
    state.told += 1
    return [HeaderField("Retry-After", isDate ? date : "\(seconds)")]
  }
}
