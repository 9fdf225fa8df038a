public import Base
internal import Walk

/// What one question to an API comes to.
public enum Probe: Sendable {
  /// Any answer: the endpoint is there.
  case answer(Answer)
  /// A quota is spent, or the API asks for a wait: now or since an earlier request.
  case held(why: String, until: Instant)
  case failed(sentence: String)
}

extension Requester {
  /// Asks once, and waits for nothing but a pace.
  /// - Throws: what is wrong on this side, as with the ledger.
  public func probe(_ request: Request, _ quotas: JobQuotas) async throws(LedgerError) -> Probe {
    let job = quotas.job
    let judge = Judge(job)
    let call = Call<Answer>(
      request: request,
      booking: .api(
        quotas, spends: job.oneOfEach,
        HostBreaker(ledger, host: job.base.origin, failuresMax: options.breakerMax)),
      patience: .once, name: "the check"
    ) { number in
      Attempt { answer in
        if case .postpone(let until, let quota, let message)? = judge.decide(
          answer, AnswerBody(answer), attempt: number)
        {
          return .decision(.postpone(until: until, quota: quota, message: message))
        }
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
