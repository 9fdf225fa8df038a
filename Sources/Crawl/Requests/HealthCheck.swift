public import Base
internal import Walk

/// The request that must succeed before any stream is read.
public struct HealthCheck: Sendable {
  let context: RunContext

  func run(into ending: inout RunEnding) async {
    guard let health = context.job.health else { return }
    let address = context.job.address(of: health)
    let judge = Judge(context.job)
    let call = Call<String?>(
      request: context.request(address), booking: context.booking(context.job.oneOfEach),
      patience: .health(context.options), name: "the health check"
    ) { number in
      Attempt { answer in
        // Limits in its answer are the API's; anything else says whether the host is healthy.
        switch judge.decide(answer, AnswerBody(answer), attempt: number) {
        case .fatal, .trouble, nil: return .value(Self.trouble(answer, health))
        case let decision?: return .decision(decision)
        }
      }
    }
    switch await context.requester.perform(call) {
    case .value(nil):
      context.recorder.story("The health check at \(health.path) answered well.")
    case .value(let trouble?):
      await fail("\(address) is not healthy: \(trouble)", &ending)
    case .givenUp(_, let message, _), .unreachable(let message): await fail(message, &ending)
    case .decided(.keyRefused(let message), _):
      ending.kinds.insert(.secret)
      ending.stop = Stop(rule: .failure, message: message)
    case .decided(let decision, _): await fail(decision.message, &ending)
    case .stopped(let stop):
      ending.kinds.insert(stop.outcome)
      ending.stop = stop
    case .broken(let error): ending.note(error)
    }
  }

  private func fail(_ problem: String, _ ending: inout RunEnding) async {
    ending.kinds.insert(.unreachable)
    await context.requester.noting { () throws(LedgerError) in
      try await context.breaker.open(problem)
    }
    ending.stop = Stop(rule: .failure, message: problem)
  }

  /// Nil if the answer says what it should, apart from quotes and blanks around it.
  public static func trouble(_ answer: Answer, _ health: Health) -> String? {
    guard answer.kind == .content else { return "it answers \(answer.status)" }
    guard let due = health.says else { return nil }
    // cut: a healthy answer is shorter
    var text = String(decoding: answer.body.prefix(1000), as: UTF8.self).trimmingBlanks
    if text.utf8.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") {
      text = String(text.dropFirst().dropLast()).trimmingBlanks
    }
    if text.utf8.elementsEqual(due.utf8) { return nil }
    // cut: a quotation only
    return "it says \"\(text.prefix(60))\" where \"\(due)\" is due"
  }
}

extension Job {
  /// The health path, under the base.
  public func address(of health: Health) -> WebAddress {
    let folder = base.path.hasSuffix("/") ? String(base.path.dropLast()) : base.path
    return WebAddress(origin: base.origin, path: folder + health.path)
  }

  /// One use of every quota.
  var oneOfEach: [String: Int] { Dictionary(uniqueKeysWithValues: quotas.map { ($0.name, 1) }) }
}
