internal import Base
internal import Walk

/// A request that a caller wants made: what it costs, how patiently it is tried, and how its answer is read.
struct Call<Value: Sendable>: Sendable {
  var request: Request
  var booking: Booking
  var patience: Patience
  /// Whose wait it is, for the progress display.
  var label: UnitLabel?
  /// `followers of octocat: page 3`, for the story of the run.
  var name: String
  /// Counts the requests of its list.
  var tally: RequestCount?
  /// Of its list.
  var lane: Lane?
  /// Its list was read before, with the job's secrets.
  var wasRead = false
  /// Makes try N, from 1: a new one, so that half a body leaves nothing behind.
  var attempt: @Sendable (_ number: Int) -> Attempt<Value>
}

/// One try of a call.
struct Attempt<Value: Sendable>: Sendable {
  /// Nil: the body is kept in memory.
  var sink: (any BodySink)?
  /// The result if the sink refused the rest of the body.
  var refused: (@Sendable (ExchangeFailure) -> Value)?
  /// Pure; called once per try at most.
  var read: @Sendable (Answer) -> Judged<Value>
}

/// What became of a call. Exactly one of these, after all its tries and waits.
enum Outcome<Value: Sendable>: Sendable {
  case value(Value)
  /// No retry changes it; never `.retry` or `.postpone`.
  case decided(Decision, ExchangeFailure?)
  /// The tries are used up, but the host answers, or is one of many.
  case givenUp(cause: Cause, message: String, ExchangeFailure?)
  /// The host does not answer: nothing more is requested of it for now.
  case unreachable(message: String)
  /// A limit, a budget or a signal; nothing is wrong with the request.
  case stopped(Stop)
  /// What must be written before a send cannot be: the ledger, or a secret that rotates.
  case broken(LedgerError)

  func flatMap<Other>(_ change: (Value) -> Outcome<Other>) -> Outcome<Other> {
    switch self {
    case .value(let value): change(value)
    case .decided(let decision, let failure): .decided(decision, failure)
    case .givenUp(let cause, let message, let failure):
      .givenUp(cause: cause, message: message, failure)
    case .unreachable(let message): .unreachable(message: message)
    case .stopped(let stop): .stopped(stop)
    case .broken(let error): .broken(error)
    }
  }
}

/// Where a call's sends are counted, and what may hold them back.
enum Booking: Sendable {
  /// A request to the job's API: it draws on quotas and counts against the API's breaker.
  case api(JobQuotas, spends: [String: Int], HostBreaker)
  /// A picture from any host: no quota, and errors count against that host only.
  case pictures(PictureHosts)

  var breaker: HostBreaker? { if case .api(_, _, let breaker) = self { breaker } else { nil } }

  /// What a send to an origin reserves in the ledger. A redirect away from the API draws on nothing.
  func asks(_ origin: Origin, at now: Instant) -> [QuotaAsk] {
    guard case .api(let quotas, let spends, _) = self, origin == quotas.job.base.origin else {
      return []
    }
    return quotas.asks(spends, at: now)
  }

  /// Where a host's wait is kept that names no quota: separate for each origin, so that a host of pictures never holds
  /// the API back.
  func gate(_ origin: Origin) -> QuotaAsk {
    if case .api(let quotas, _, _) = self, origin == quotas.job.base.origin { return quotas.gate }
    return JobQuotas.gate(origin, account: "")
  }
}
