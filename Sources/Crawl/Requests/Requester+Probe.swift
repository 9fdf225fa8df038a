public import Base
internal import Walk

/// The result of one request to an API.
public enum Probe: Sendable {
  /// Any answer: the endpoint exists.
  case answer(Answer)
  /// A quota is spent, or the API asked for a wait, now or earlier.
  case held(why: String, until: Instant)
  case failed(sentence: String)
}

extension Requester {
  /// Sends one request, and waits for nothing but pacing.
  /// - Throws: what is wrong on this side, such as the ledger.
  public func probe(_ request: Request, _ quotas: JobQuotas) async throws(LedgerError) -> Probe {
    let job = quotas.job
    let judge = Judge(job)
    let call = Call<Answer>(
      request: request,
      booking: .api(quotas, spends: job.oneOfEach, HostBreaker(ledger, host: job.base.origin)),
      patience: .once, name: "the check"
    ) { number in
      Attempt { answer in
        let decision = judge.decide(answer, AnswerBody(answer), attempt: number)
        if let decision, case .postpone = decision { return .decision(decision) }
        return .value(answer)
      }
    }
    switch await perform(call) {
    case .value(let answer): return .answer(answer)
    case .stopped(let stop): return .held(why: stop.message, until: stop.goesOnAt ?? time.now())
    case .givenUp(_, let message, let failure):
      return .failed(sentence: failure?.sentence ?? message)
    case .unreachable(let message): return .failed(sentence: message)
    case .decided(.keyRefused(let message), _), .decided(.fatal(let message), nil):
      return .failed(sentence: message)
    case .decided(_, let failure):
      return .failed(sentence: failure?.sentence ?? "it was not requested")
    case .broken(let error): throw error
    }
  }
}
