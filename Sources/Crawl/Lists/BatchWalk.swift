internal import Base
internal import Store
internal import Walk

/// Asks a stream of single answers for all that is due in another stream: one request for each
/// parent, or for a batch of them. The whole is one unit; its due list lives in the database, so
/// a run that stops goes on with what is left.
struct BatchWalk: ListWalk {
  let context: RunContext
  let stream: Stream
  let feed: ParentFeed
  let values: [String: [String]]

  /// As in a list of pages: so many requests in a row that bring nothing are enough.
  static let failuresInARowMax = 3

  /// Values that are read from the due list at once.
  static let portion = 5000

  struct State {
    var id: UnitID
    var label: UnitLabel
    var answers: BatchAnswers
    /// Due values, read ahead; and batches that come before them.
    var due: ArraySlice<DueValue> = []
    var waiting: [[DueValue]] = []
    var failed: [[DueValue]] = []
    var isLastRound = false
    /// A look takes no more.
    var isPreviewed = false
    var requests = 0
    var failedInARow = 0
    let requestsBefore: Int

    var mayAsk: Bool {
      failedInARow < failuresInARowMax && !answers.isCutOff && !answers.fitsNothing
    }

    mutating func note(_ receipt: PageReceipt, asked: Int) {
      answers.note(receipt.summary)
      answers.missed.waiting += receipt.leftOut.waiting
      answers.missed.gone += receipt.leftOut.gone
      if asked > 1, receipt.leftOut.count == asked, receipt.leftOut.waiting > 0 {
        answers.missed.emptyBatch = answers.missed.emptyBatch ?? asked
      }
    }
  }

  /// Nil when nothing is due.
  func walk() async throws -> UnitWalk.Result? {
    guard try await !due(portion: 1).isEmpty else { return try await stillAbsent() }
    let unit = Unit(stream: stream.name)
    let opening = try await store.openUnit(
      unit, of: context.job.name, prints: prints, run: run,
      acceptingEmpty: context.options.acceptedEmpty)
    // What is due is known from the due list, not from pages of an earlier walk.
    if case .resume = opening.state { try await store.startAgain(opening.id) }
    let rules = WalkRules(stream)
    try await store.begin(rules, Handed(rules: rules.digest), of: opening.id)
    var answers = BatchAnswers()
    answers.missed.wasAbsent = opening.last?.certificate.verdict == .absent
    answers.missed.wasWhole = opening.lastWhole?.certificate.verdict.isWhole == true
    var state = State(
      id: opening.id, label: UnitLabel(stream: stream.name, listName: opening.listName),
      answers: answers, requestsBefore: context.tally.count)
    context.recorder.event(.unitStarted(state.label))
    let fetcher = Fetcher(
      context, stream: stream, label: state.label, wasRead: opening.wasRead)
    if let result = try await askAll(fetcher, &state) { return result }
    // What failed is asked once more at the end; then it stays due for the next run.
    if state.mayAsk, !state.failed.isEmpty {
      state.answers.missed.failed = 0
      state.waiting = state.failed.reversed()
      state.isLastRound = true
      if let result = try await askAll(fetcher, &state) { return result }
    }
    return try await finish(state)
  }

  /// Asks until nothing is left to ask; a result where the run must stop before.
  private func askAll(
    _ fetcher: Fetcher, _ state: inout State
  ) async throws -> UnitWalk.Result? {
    var inFlight = PagesInFlight<Request, Fetcher.Fetched>()
    while true {
      try await begin(fetcher, &inFlight, &state)
      guard let (request, fetched) = await inFlight.take() else { break }
      switch try await take(fetched, of: request, &inFlight, &state) {
      case .answered: break
      case .failed: if !state.isLastRound { state.failed.append(request.batch) }
      case .ended(let result): return result
      }
    }
    guard state.isPreviewed else { return nil }
    var result = try await pause(
      Stop(rule: .budget, message: "only a preview was requested"), state)
    (result.stop, result.kinds) = (nil, [])
    return result
  }

  /// As many as may be in flight.
  private func begin(
    _ fetcher: Fetcher, _ inFlight: inout PagesInFlight<Request, Fetcher.Fetched>,
    _ state: inout State
  ) async throws {
    let most = context.options.isOneAtATime ? 1 : context.job.atOnce
    while inFlight.count < most, state.mayAsk, !state.isPreviewed,
      let batch = try await next(&state, isIdle: inFlight.count == 0)
    {
      guard planner.takesMore(after: state.requests) else {
        state.isPreviewed = true
        return
      }
      let list = try planner.list(for: batch, stream, feed, values: values)
      if let why = planner.whyUnaskable(list, stream, feed) {
        try await note(absent: batch, why, &state)
        continue
      }
      state.requests += 1
      // A request that brings nothing leaves no gap in the pages: its number is its page's at the end.
      let step = try planner.step(state.answers.pages + 1 + inFlight.count, list, stream)
      inFlight.begin(
        Request(batch: batch, step: step), on: context.answerExecutor
      ) { await fetcher.fetch(step, nil) }
    }
  }

  /// - Parameter isIdle: nothing is in flight, so that what is due is what nobody has asked for.
  private func next(_ state: inout State, isIdle: Bool) async throws -> [DueValue]? {
    if let batch = state.waiting.popLast() { return batch }
    if state.isLastRound { return nil }
    if state.due.isEmpty {
      guard isIdle else { return nil }
      // What was asked is not in it any more, whatever came of it.
      state.due = try await due(portion: max(1, Self.portion / feed.batch) * feed.batch)[...]
    }
    let batch = Planner.batch(feed, from: &state.due)
    return batch.isEmpty ? nil : batch
  }

  struct Request: Sendable {
    var batch: [DueValue]
    var step: Step
  }

  private enum Asked {
    case answered, failed
    case ended(UnitWalk.Result)
  }

  /// What one request with all its tries has come to.
  private func take(
    _ fetched: Fetcher.Fetched, of request: Request,
    _ inFlight: inout PagesInFlight<Request, Fetcher.Fetched>,
    _ state: inout State
  ) async throws -> Asked {
    let batch = request.batch
    switch fetched {
    case .page(let page, let answer):
      try await commit(page, answer, request, &state)
    case .notModified:
      return try await note(
        failed: batch, "the API says 304 to an unconditional request", &state)
    case .trouble(.absent(let message), _):
      try await note(absent: batch, message, &state)
      return .answered
    case .trouble(let trouble, _):
      return try await note(failed: batch, trouble.message, &state)
    case .stopped(let stop):
      try await finish(&inFlight, behind: stop, &state)
      return .ended(try await pause(stop, state))
    case .fatal(let kind, let message):
      let stop = Stop(rule: .failure, message: message, kind: kind)
      try await finish(&inFlight, behind: stop, &state)
      (state.answers.missed.isRefused, state.answers.whyFailed) = (true, message)
      return .ended(
        try await conclude(
          state.answers.certificate(isSearch: stream.isSearch), stop.kinds, stop, state))
    }
    state.failedInARow = 0
    state.answers.missed.absentInARow = 0
    return .answered
  }

  /// The run stops here. What was sent already is kept if its answer is a page; the rest stays due.
  private func finish(
    _ inFlight: inout PagesInFlight<Request, Fetcher.Fetched>, behind stop: Stop,
    _ state: inout State
  ) async throws {
    context.requester.flights.halt(stop)
    while let (request, fetched) = await inFlight.take() {
      guard case .page(let page, let answer) = fetched else { continue }
      try await commit(page, answer, request, &state)
    }
  }

  private func note(
    failed batch: [DueValue], _ message: String, _ state: inout State
  ) async throws -> Asked {
    try await store.markMissed(
      batch.map(\.value), stream.name, of: context.job.name, run: run, isAbsent: false)
    if state.answers.missed.failed == 0 { state.answers.whyFailed = message }
    state.answers.missed.failed += 1
    state.failedInARow += 1
    return .failed
  }

  /// Of a batch that is not there it is not known which value it is about: each half is asked for
  /// itself, down to single ones. Only those are remembered.
  private func note(
    absent batch: [DueValue], _ message: String, _ state: inout State
  ) async throws {
    state.failedInARow = 0
    state.answers.missed.absentInARow += 1
    state.answers.whyAbsent = message
    if batch.count > 1 {
      let middle = batch.count / 2
      state.waiting += [Array(batch[middle...]), Array(batch[..<middle])]
      context.recorder.story(
        "\(message), asked for \(batch.count) at once; I requested them in smaller batches.")
      return
    }
    let misses = try await store.markMissed(
      batch.map(\.value), stream.name, of: context.job.name, run: run, isAbsent: true)
    state.answers.missed.absent += 1
    state.answers.missed.newlyAbsent += misses.new
    let when = misses.nextAttempt.map { "; it is requested again from \($0)" } ?? ""
    context.recorder.story("\(feed.hole)=\(batch[0].value): \(message)\(when).")
  }

  private func due(portion: Int) async throws -> [DueValue] {
    try await store.due(stream.name, of: context.job.name, run: run, portion: portion)
  }

  private func commit(
    _ page: Page, _ answer: Answer, _ request: Request, _ state: inout State
  ) async throws {
    let batch = request.batch
    var step = request.step
    step.ordinal = state.answers.pages + 1
    var parameters = [ParameterValue("host", context.job.base.origin.host)]
    if batch.count == 1 {
      parameters += [ParameterValue(feed.hole, batch[0].value)] + batch[0].carried
    }
    let facts = PageFacts(
      status: answer.status, parameters: parameters, asked: batch.map(\.value))
    let receipt = try await store.commit(page, step: step, facts: facts, of: state.id)
    context.recorder.stored(receipt)
    try await context.columns.add(page, of: stream, context)
    context.signal.pageCommitted()
    state.note(receipt, asked: batch.count)
    tell(receipt.leftOut, of: batch)
    context.recorder.event(
      .pageStored(
        state.label, ordinal: step.ordinal, counts: state.answers.counts, bytes: answer.bodyBytes))
  }

  private func tell(_ leftOut: LeftOut, of batch: [DueValue]) {
    guard leftOut.count > 0 else { return }
    let when = leftOut.nextAttempt.map { "from \($0)" } ?? "by the next run"
    context.recorder.story(
      "\(stream.name): the answer left out \(leftOut.count) of \(batch.count) that were requested; "
        + "they are requested again \(when).")
  }
}

/// What a batch of single answers comes to.
extension BatchWalk {
  private func finish(_ state: State) async throws -> UnitWalk.Result {
    try await conclude(state.answers.certificate(isSearch: stream.isSearch), [], nil, state)
  }

  /// Nothing is due, but nothing that was asked last was there: that is no success.
  private func stillAbsent() async throws -> UnitWalk.Result? {
    let job = context.job.name
    guard let until = try await store.nextAttempt(stream.name, of: job),
      let last = try await store.certificates(of: stream.name, job: job).first,
      last.certificate.verdict == .absent, last.standing != .otherRequest
    else { return nil }
    context.recorder.story("\(stream.name): nothing was found; it is requested again at \(until).")
    return try await context.stillAbsent(stream, stream.name, last, until: until)
  }

  private func pause(_ stop: Stop, _ state: State) async throws -> UnitWalk.Result {
    try await conclude(
      state.answers.certificate(.paused, stop.rule, stop.message, goesOnAt: stop.goesOnAt),
      stop.kinds, stop, state)
  }

  private func conclude(
    _ certificate: Certificate, _ kinds: Set<RunOutcome.Kind>, _ stop: Stop?, _ state: State
  ) async throws -> UnitWalk.Result {
    var certificate = certificate
    if certificate.verdict == .absent {
      certificate.goesOnAt = try await store.nextAttempt(stream.name, of: context.job.name)
    }
    // While the clock is wrong nothing is stored.
    let done =
      stop?.rule == .clock
      ? nil
      : try await store.certify(state.id, certificate, handed: state.answers.missed.text)
    certificate = done?.certificate ?? certificate
    var kinds = kinds
    if let done, certificate.verdict != .paused { kinds.formUnion(done.kinds) }
    var facts = context.facts(
      of: stream, state.label.listName, certificate, done,
      requests: context.tally.count - state.requestsBefore)
    context.recorder.story(certificate.description(of: state.label.listName))
    try await context.conclude(&facts)
    return UnitWalk.Result(facts: facts, kinds: kinds, stop: stop)
  }
}
