internal import Model
internal import Store
internal import Walk

/// Asks a stream of single answers for all that is due in another stream: one request for each
/// parent, or for a batch of them. The whole is one unit; its due list lives in the database, so
/// a run that stops goes on with what is left.
struct BatchWalk {
  let context: RunContext
  let store: RecordStore
  let run: RunID
  let stream: Stream
  let feed: ParentFeed
  let prints: Fingerprints
  let planner: UnitPlanner
  let values: [String: [String]]
  let signal: PageSignal

  /// Requests of one unit; the rest is due in the next run.
  static let requestsMax = 1_000_000

  /// As in a list of pages: so many requests in a row that bring nothing are enough.
  static let failuresInARowMax = 3

  private struct State {
    var id: UnitID
    var label: UnitLabel
    var counts = Counts()
    var pages = 0
    var distinct = 0
    var absent = 0
    var unreadable: [String] = []
    var failedInARow = 0
    var samples = UnitSamples()
    let requestsBefore: Int
    let began: Duration
  }

  /// Nil when nothing is due.
  func walk() async throws -> UnitWalk.Result? {
    guard try await !due(limit: 1).isEmpty else { return nil }
    let unit = Unit(stream: stream.name)
    let opening = try await store.openUnit(unit, of: context.job.name, prints: prints, run: run)
    // What is due is known from the due list, not from pages of an earlier walk.
    if case .resume = opening.state { try await store.startAgain(opening.id) }
    var state = State(
      id: opening.id, label: UnitLabel(stream: stream.name, foundBy: opening.foundBy),
      requestsBefore: context.recorder.requestsSent, began: context.time.elapsed())
    context.recorder.event(.unitStarted(state.label))
    let fetcher = Fetcher(context, stream: stream, label: state.label)
    var failed: [[DueValue]] = []
    var failedValues: Set<String> = []
    var ordinal = 0
    while ordinal < context.options.unitsMax ?? Self.requestsMax,
      state.failedInARow < Self.failuresInARowMax
    {
      let batch = Array(
        try await due(limit: feed.batch + failedValues.count)
          .filter { !failedValues.contains($0.value) }.prefix(feed.batch))
      if batch.isEmpty { break }
      ordinal += 1
      switch try await ask(batch, ordinal, fetcher, &state) {
      case .answered: break
      case .failed:
        failed.append(batch)
        failedValues.formUnion(batch.map(\.value))
      case .ended(let result): return result
      }
    }
    // What failed is asked once more at the end; then it stays due for the next run.
    if state.failedInARow < Self.failuresInARowMax {
      state.unreadable = []
      for batch in failed where state.failedInARow < Self.failuresInARowMax {
        ordinal += 1
        if case .ended(let result) = try await ask(batch, ordinal, fetcher, &state) {
          return result
        }
      }
    }
    return try await finish(state)
  }

  private enum Asked {
    case answered, failed
    case ended(UnitWalk.Result)
  }

  /// One request with all its tries.
  private func ask(
    _ batch: [DueValue], _ ordinal: Int, _ fetcher: Fetcher, _ state: inout State
  ) async throws -> Asked {
    let step = try step(ordinal, batch)
    switch await fetcher.fetch(step, nil) {
    case .page(let page, let answer):
      try await commit(page, answer, step, batch, &state)
    case .notModified:
      try await store.markAsked(batch.map(\.value), stream.name, of: context.job.name, run: run)
    case .trouble(.absent(let say), _):
      state.absent += batch.count
      context.recorder.story("\(say); it is not asked again until it is due.")
      try await store.markAsked(batch.map(\.value), stream.name, of: context.job.name, run: run)
    case .trouble(let trouble, _):
      state.unreadable.append(Self.say(trouble))
      state.failedInARow += 1
      return .failed
    case .stopped(let stop):
      let kind: RunOutcome.Kind = stop.rule == .interrupted ? .interrupted : .paused
      return .ended(try await pause(stop, [kind], state))
    case .unreachable(let say):
      return .ended(try await pause(Stop(rule: .failure, say: say), [.unreachable], state))
    case .fatal(_, let say):
      return .ended(
        try await conclude(
          .failed, .failure, say, [.failed], Stop(rule: .failure, say: say), state))
    }
    state.failedInARow = 0
    return .answered
  }

  private func due(limit: Int) async throws -> [DueValue] {
    try await store.due(stream.name, of: context.job.name, run: run, limit: limit)
  }

  private func step(_ ordinal: Int, _ batch: [DueValue]) throws -> Step {
    let joined = batch.map(\.value).joined(separator: ",")
    let extra = [ParameterValue(feed.hole, joined)] + (batch.count == 1 ? batch[0].carried : [])
    guard let planned = try planner.units(of: stream, values: values, extra: extra).first else {
      throw StoreError(
        .job, "job \(context.job.name)",
        "the stream \(stream.name) has a hole that neither its parent nor --set fills")
    }
    return try planned.builder.step(.page, ordinal: ordinal, at: planned.builder.first)
  }

  private func commit(
    _ page: Page, _ answer: Answer, _ step: Step, _ batch: [DueValue], _ state: inout State
  ) async throws {
    var parameters = [ParameterValue("host", context.job.base.origin.host)]
    if batch.count == 1 {
      parameters += [ParameterValue(feed.hole, batch[0].value)] + batch[0].carried
    }
    let facts = PageFacts(
      status: answer.status, parameters: parameters, asked: batch.map(\.value))
    let receipt = try await store.commit(page, step: step, facts: facts, of: state.id)
    context.recorder.found(receipt.images)
    signal.pageCommitted()
    state.counts += receipt.summary.counts
    state.pages += 1
    state.distinct += receipt.summary.unseen
    state.samples.add(receipt)
    context.recorder.event(
      .pageStored(
        state.label, ordinal: step.ordinal, counts: state.counts, bytes: answer.bodyBytes))
  }

  private static func say(_ trouble: Walker.Trouble) -> String {
    switch trouble {
    case .absent(let say), .ended(_, let say), .unreadable(let say), .refused(let say),
      .restart(let say), .gap(let say):
      say
    }
  }

  // MARK: endings

  private func finish(_ state: State) async throws -> UnitWalk.Result {
    if let first = state.unreadable.first {
      let why = "\(state.unreadable.count) requests brought nothing: \(first)"
      return try await conclude(.failed, .failure, why, [.failed], nil, state)
    }
    var why = state.pages == 1 ? "one request" : "\(state.pages) requests"
    why += ", nothing is due any more"
    if state.absent > 0 { why += "; \(state.absent) are not there" }
    return try await conclude(.complete, .singleAnswer, why, [], nil, state)
  }

  private func pause(
    _ stop: Stop, _ kinds: Set<RunOutcome.Kind>, _ state: State
  ) async throws -> UnitWalk.Result {
    try await conclude(.paused, stop.rule, stop.say, kinds, stop, state)
  }

  private func conclude(
    _ verdict: Verdict, _ rule: StopRule, _ why: String, _ kinds: Set<RunOutcome.Kind>,
    _ stop: Stop?, _ state: State
  ) async throws -> UnitWalk.Result {
    let certificate = Certificate(
      verdict: verdict, rule: rule, why: why, pages: state.pages, counts: state.counts,
      distinctKeys: state.distinct, goesOnAt: stop?.goesOnAt)
    let done = try await store.certify(state.id, certificate)
    var facts = UnitFacts(
      stream: stream.name, table: "\(context.job.tablePrefix)_\(stream.table)",
      foundBy: state.label.foundBy, parameterText: "", window: nil, certificate: certificate,
      isAsDeclared: certificate.isAsDeclared, isNewlyLess: done.isNewlyLess,
      requests: context.recorder.requestsSent - state.requestsBefore,
      duration: context.time.elapsed() - state.began)
    state.samples.put(into: &facts, done)
    context.recorder.story(certificate.told(of: state.label.foundBy))
    context.recorder.event(.unitConcluded(facts))
    return UnitWalk.Result(facts: facts, kinds: kinds, stop: stop)
  }
}
