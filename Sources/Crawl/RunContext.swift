internal import Base
internal import Store

/// What every part of one run shares: the job, its quotas, and the way to the network.
final class RunContext: Sendable {
  let job: Job
  let quotas: JobQuotas
  let breaker: HostBreaker
  let credential: Credential?
  let requester: Requester
  /// How many records this run may still ask for.
  let questions: QuestionBudget
  let columns: ColumnSurveys
  /// The requests of the list that is walked with it.
  let tally = RequestTally()
  /// Where that list is walked beside others; nil: it gives no way.
  let lane: Lane?

  init(
    job: Job, quotas: JobQuotas, breaker: HostBreaker, credential: Credential?,
    requester: Requester, questions: QuestionBudget = QuestionBudget(),
    columns: ColumnSurveys = ColumnSurveys(), lane: Lane? = nil
  ) {
    self.job = job
    self.quotas = quotas
    self.breaker = breaker
    self.credential = credential
    self.requester = requester
    self.questions = questions
    self.columns = columns
    self.lane = lane
  }

  var options: CrawlOptions { requester.options }
  /// Where answers come, and are read.
  var answerExecutor: (any TaskExecutor)? { requester.exchange.answerExecutor }
  var time: Timekeeper { requester.time }
  var ledger: QuotaLedger { requester.ledger }
  var recorder: RunRecorder { requester.recorder }
  /// A first signal came: finish the page in hand, commit, and stop.
  var isInterrupted: Bool { requester.isInterrupted() }

  /// With a count of requests of its own.
  func ofOneList(in lane: Lane?) -> RunContext {
    RunContext(
      job: job, quotas: quotas, breaker: breaker, credential: credential, requester: requester,
      questions: questions, columns: columns, lane: lane)
  }

  /// A list has come to its end in this run: with as many rows as are stored of it.
  func conclude(_ facts: inout UnitFacts, _ store: RecordStore) async throws(StoreError) {
    let name = ListName(stream: facts.stream, parameters: facts.parameterText)
    if let rows = try await store.rows(of: name, in: job.name) { facts.rows = rows }
    recorder.event(.unitConcluded(facts))
  }

  /// What a list has come to.
  func facts(
    of stream: Stream, _ listName: String, _ certificate: Certificate,
    _ done: CertifiedUnit? = nil, unit: Unit? = nil, requests: Int = 0
  ) -> UnitFacts {
    var facts = UnitFacts(
      stream: stream.name, table: "\(job.tablePrefix)_\(stream.table)", listName: listName,
      certificate: certificate)
    facts.parameterText = unit?.parameterText ?? ""
    facts.window = unit?.window
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

/// Why a run makes no further request, though work is left.
struct Stop: Sendable, Equatable {
  var rule: StopRule
  var message: String
  var goesOnAt: Instant?
  /// Another list of the run has met it.
  var isOfAnother = false

  /// What it adds to the run's outcome: the list that has met it says so once.
  var kinds: Set<RunOutcome.Kind> {
    if isOfAnother { return [] }
    return [rule == .interrupted ? .interrupted : .paused]
  }
}
