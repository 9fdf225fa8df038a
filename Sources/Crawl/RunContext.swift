internal import Base
internal import Store

/// What all parts of one run share: the job, its quotas, what is stored, and the network.
struct RunContext: Sendable {
  let job: Job
  let run: RunID
  let store: RecordStore
  let planner: Planner
  let signal = PageSignal()
  let quotas: JobQuotas
  let breaker: HostBreaker
  let credential: Credential?
  let requester: Requester
  /// Records requested so far, of `MissingWalk.recordsMax`.
  let questions = RequestCount()
  let columns = ColumnSurveys()
  let dates: HeardDates
  /// The requests of the list being walked.
  var tally = RequestCount()
  /// Where that list is walked beside others; nil: it never gives way.
  var lane: Lane?

  var options: CrawlOptions { requester.options }
  /// Where answers arrive and are read.
  var answerExecutor: (any TaskExecutor)? { requester.exchange.answerExecutor }
  var time: Timekeeper { requester.time }
  var ledger: QuotaLedger { requester.ledger }
  var recorder: RunRecorder { requester.recorder }
  /// After a first signal: finish the current page, commit, and stop.
  var isInterrupted: Bool { requester.isInterrupted() }

  /// A copy with its own count of requests.
  func ofOneList(in lane: Lane?) -> RunContext {
    var context = self
    (context.tally, context.lane) = (RequestCount(), lane)
    return context
  }

  /// A list has ended in this run; adds the number of its stored rows.
  func conclude(_ facts: inout UnitFacts) async throws(StoreError) {
    if let rows = try await store.rows(of: facts.name, in: job.name) { facts.rows = rows }
    recorder.event(.unitConcluded(facts))
  }

  /// The result of an absent list, or a part of one, that waits for its retry.
  func stillAbsent(
    _ stream: Stream, _ listName: String, _ last: StoredCertificate, until: Instant,
    unit: Unit? = nil, isPart: Bool = false
  ) async throws(StoreError) -> UnitWalk.Result {
    var certificate = last.certificate
    certificate.goesOnAt = until
    var facts = facts(of: stream, listName, certificate, unit: unit)
    facts.counts = Counts()
    if !isPart { try await conclude(&facts) }
    return UnitWalk.Result(facts: facts, kinds: [])
  }

  /// The facts of a list's end.
  func facts(
    of stream: Stream, _ listName: String, _ certificate: Certificate,
    _ done: CertifiedUnit? = nil, unit: Unit? = nil, requests: Int = 0
  ) -> UnitFacts {
    var facts = UnitFacts(
      stream: stream.name, table: "\(job.tablePrefix)_\(stream.table)", listName: listName,
      certificate: certificate)
    facts.parameterText = unit?.parameterText ?? ""
    facts.window = unit?.window
    facts.wasAsDeclared = done?.wasAsDeclared ?? false
    facts.isNewShortfall = done?.isNewShortfall ?? false
    facts.vanished = done?.vanished ?? 0
    facts.withheld = done?.withheld ?? 0
    facts.requests = requests
    return facts
  }

  func booking(_ spends: [String: Int]) -> Booking {
    .api(quotas, spends: spends, breaker)
  }

  /// A request to the job's API.
  func request(_ address: WebAddress) -> Request {
    Request(
      address, fields: job.fields, credential: credential,
      rule: AddressRule(
        trusted: [job.base.origin], allowsLoopback: options.allowsLoopback))
  }
}

/// The walk of one list in a run.
protocol ListWalk {
  var context: RunContext { get }
  var stream: Stream { get }
}

extension ListWalk {
  var job: Job { context.job }
  var run: RunID { context.run }
  var store: RecordStore { context.store }
  var planner: Planner { context.planner }
  var prints: Fingerprints { planner.prints(of: stream) }
}

/// Why a run makes no further request although work is left.
struct Stop: Sendable, Equatable {
  var rule: StopRule
  var message: String
  var goesOnAt: Instant?
  /// The run's outcome, if that is not a pause.
  var kind: RunOutcome.Kind?
  /// Another list caused it.
  var isOfAnother = false

  static let signal = Stop(rule: .interrupted, message: "stopped by a signal")

  /// Its part in the run's outcome, which only the list that caused it reports.
  var kinds: Set<RunOutcome.Kind> {
    isOfAnother ? [] : [outcome]
  }
  var outcome: RunOutcome.Kind { kind ?? (rule == .interrupted ? .interrupted : .paused) }
}
