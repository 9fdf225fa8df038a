internal import Base
internal import Walk

/// One request that a caller wants made: what is asked, what it draws on, how patiently, and what its
/// answer is read as.
struct Call<Value: Sendable>: Sendable {
  var request: Request
  var booking: Booking
  var patience: Patience
  /// Whose wait it is, for the progress display.
  var label: UnitLabel?
  /// `followers of octocat: page 3`, for the story of the run.
  var name: String
  /// Counts the requests of the list that it is made for.
  var tally: RequestCount?
  /// Of the list that it is made for.
  var lane: Lane?
  /// Made anew for each try, from 1, so that a body which came half leaves nothing behind.
  var attempt: @Sendable (_ number: Int) -> Attempt<Value>
}

/// One try of a call.
struct Attempt<Value: Sendable>: Sendable {
  /// Nil: the body is kept in memory.
  var sink: (any BodySink)?
  /// What it comes to where the sink refused the rest of the body.
  var refused: (@Sendable () -> Value)?
  /// Pure: it may be called once per try.
  var read: @Sendable (Answer) -> Reading<Value>
}

/// What a caller makes of an answer.
enum Reading<Value: Sendable>: Sendable {
  case value(Value)
  /// The error table's word, or the defaults'.
  case decision(Decision)
}

/// What became of a call. Exactly one of these, after all its tries and waits.
enum Outcome<Value: Sendable>: Sendable {
  case value(Value)
  /// No further try changes it; never `.retry` or `.postpone`.
  case decided(Decision, ExchangeFailure?)
  /// The tries are used up; the host is there, or it is one of many.
  case givenUp(cause: Cause, message: String, ExchangeFailure?)
  /// The host does not answer: nothing more is asked of it for now.
  case unreachable(message: String)
  /// A limit, a budget or a signal; nothing is wrong with the request.
  case stopped(Stop)
  /// The ledger cannot be kept, so nothing may be sent.
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

/// Where a call's sends are counted, and who may hold them back.
enum Booking: Sendable {
  /// A request to the job's API: it draws on quotas and counts against the API's breaker.
  case api(JobQuotas, spends: [String: Int], HostBreaker)
  /// A picture from any host: no quota, and whatever goes wrong is that host's alone.
  case pictures(PictureHosts)

  /// What a send to an origin asks of the ledger. A redirect that leaves the API draws on nothing.
  func asks(_ origin: Origin, at now: Instant) -> [QuotaAsk] {
    guard case .api(let quotas, let spends, _) = self, origin == quotas.job.base.origin else {
      return []
    }
    return quotas.asks(spends, at: now)
  }

  /// Where a wait is kept that a host asks for, without a quota's name: for each origin its own, so
  /// that a host of pictures never holds the API back.
  func gate(_ origin: Origin) -> QuotaAsk {
    if case .api(let quotas, _, _) = self, origin == quotas.job.base.origin { return quotas.gate }
    return JobQuotas.gate(origin, account: "")
  }
}
