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
  let planner: Planner
  let values: [String: [String]]
  let signal: PageSignal

  /// As in a list of pages: so many requests in a row that bring nothing are enough.
  static let failuresInARowMax = 3

  /// So many in a row that are not there: the address of all of them may have moved.
  static let absencesInARowMax = 100

  /// So many answers of which every record was rejected, and none that fitted: the job reads another
  /// API than this one.
  static let rejectedInARowMax = 3

  /// Values that are read from the due list at once.
  static let portion = 5000

  private struct State {
    var id: UnitID
    var label: UnitLabel
    /// What the last walk claimed.
    var last: Verdict?
    var wasComplete: Bool
    /// Due values, read ahead; and batches that come before them.
    var due: ArraySlice<DueValue> = []
    var waiting: [[DueValue]] = []
    var failed: [[DueValue]] = []
    var isLastRound = false
    var requests = 0
    var counts = Counts()
    var pages = 0
    var distinct = 0
    var hasAnswer = false
    var absent = 0
    var newlyAbsent = 0
    var whyAbsent = ""
    var absentInARow = 0
    var unreadable: [String] = []
    /// What an answer said of more than it held.
    var unread: String?
    var failedInARow = 0
    var leftOut = LeftOut()
    /// How many values the first request asked for whose answer had none of them.
    var emptyBatch: Int?
    /// Answers of which every record was rejected, and why the first was.
    var rejectedPages = 0
    var rejectReason: String?
    /// A key that two records of one answer have.
    var ambiguousKey: String?
    var samples = UnitSamples()
    let requestsBefore: Int
    let began: Duration

    var mayAsk: Bool {
      failedInARow < failuresInARowMax && absentInARow < absencesInARowMax && !fitsNothing
    }

    var fitsNothing: Bool {
      rejectedPages >= rejectedInARowMax && counts.fitsNothing
    }

    mutating func note(_ receipt: PageReceipt, asked: Int) {
      let page = receipt.summary.counts
      counts += page
      pages += 1
      distinct += receipt.summary.unseen
      if page.fitsNothing { rejectedPages += 1 }
      rejectReason = rejectReason ?? receipt.summary.rejectReason
      leftOut += receipt.leftOut
      let clashes = receipt.summary.keyClashes
      if clashes.onPage > 0 { ambiguousKey = ambiguousKey ?? clashes.example }
      if asked > 1, receipt.leftOut.count == asked, receipt.leftOut.waiting > 0 {
        emptyBatch = emptyBatch ?? asked
      }
      samples.add(receipt)
    }
  }

  /// Nil when nothing is due.
  func walk() async throws -> UnitWalk.Result? {
    guard try await !due(portion: 1).isEmpty else { return try await stillAbsent() }
    let unit = Unit(stream: stream.name)
    let opening = try await store.openUnit(unit, of: context.job.name, prints: prints, run: run)
    // What is due is known from the due list, not from pages of an earlier walk.
    if case .resume = opening.state { try await store.startAgain(opening.id) }
    var state = State(
      id: opening.id, label: UnitLabel(stream: stream.name, listName: opening.listName),
      last: opening.last?.certificate.verdict,
      wasComplete: opening.lastWhole?.certificate.verdict.isWhole == true,
      requestsBefore: context.recorder.requestsSent, began: context.time.elapsed())
    context.recorder.event(.unitStarted(state.label))
    let fetcher = Fetcher(
      context, stream: stream, label: state.label, wasRead: opening.lastWhole?.standing == .valid)
    if let result = try await askAll(fetcher, &state) { return result }
    // What failed is asked once more at the end; then it stays due for the next run.
    if state.mayAsk, !state.failed.isEmpty {
      state.unreadable = []
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
    while state.mayAsk, let batch = try await next(&state) {
      guard planner.takesMore(after: state.requests) else {
        var result = try await pause(
          Stop(rule: .budget, message: "only a preview was requested"), [], state)
        result.stop = nil
        return result
      }
      state.requests += 1
      switch try await ask(batch, fetcher, &state) {
      case .answered: break
      case .failed: if !state.isLastRound { state.failed.append(batch) }
      case .ended(let result): return result
      }
    }
    return nil
  }

  private func next(_ state: inout State) async throws -> [DueValue]? {
    if let batch = state.waiting.popLast() { return batch }
    if state.isLastRound { return nil }
    if state.due.isEmpty {
      // What was asked is not in it any more, whatever came of it.
      state.due = try await due(portion: max(1, Self.portion / feed.batch) * feed.batch)[...]
    }
    let batch = Planner.batch(feed, from: &state.due)
    return batch.isEmpty ? nil : batch
  }

  private enum Asked {
    case answered, failed
    case ended(UnitWalk.Result)
  }

  /// One request with all its tries.
  private func ask(
    _ batch: [DueValue], _ fetcher: Fetcher, _ state: inout State
  ) async throws -> Asked {
    // A request that brings nothing leaves no gap in the pages.
    let step = try planner.step(state.pages + 1, for: batch, stream, feed, values: values)
    switch await fetcher.fetch(step, nil) {
    case .page(let page, let answer):
      try await commit(page, answer, step, batch, &state)
    case .notModified:
      return try await note(
        failed: batch, "the API says 304 to an unconditional request", &state)
    case .trouble(.absent(let message), _):
      try await note(absent: batch, message, &state)
      return .answered
    case .trouble(let trouble, _):
      return try await note(failed: batch, Self.message(trouble), &state)
    case .stopped(let stop):
      let kind: RunOutcome.Kind = stop.rule == .interrupted ? .interrupted : .paused
      return .ended(try await pause(stop, [kind], state))
    case .unreachable(let message):
      return .ended(try await pause(Stop(rule: .failure, message: message), [.unreachable], state))
    case .fatal(let kind, let message):
      return .ended(
        try await conclude(
          .failed, .failure, message, [kind], Stop(rule: .failure, message: message), state))
    }
    state.failedInARow = 0
    state.absentInARow = 0
    state.hasAnswer = true
    return .answered
  }

  private func note(
    failed batch: [DueValue], _ message: String, _ state: inout State
  ) async throws -> Asked {
    try await store.markMissed(
      batch.map(\.value), stream.name, of: context.job.name, run: run, isAbsent: false)
    state.unreadable.append(message)
    state.failedInARow += 1
    return .failed
  }

  /// Of a batch that is not there it is not known which value it is about: each half is asked for
  /// itself, down to single ones. Only those are remembered.
  private func note(
    absent batch: [DueValue], _ message: String, _ state: inout State
  ) async throws {
    state.failedInARow = 0
    state.absentInARow += 1
    state.whyAbsent = message
    if batch.count > 1 {
      let middle = batch.count / 2
      state.waiting += [Array(batch[middle...]), Array(batch[..<middle])]
      context.recorder.story(
        "\(message), asked for \(batch.count) at once; I requested them in smaller batches.")
      return
    }
    let misses = try await store.markMissed(
      batch.map(\.value), stream.name, of: context.job.name, run: run, isAbsent: true)
    state.absent += 1
    state.newlyAbsent += misses.new
    let when = misses.nextAttempt.map { "; it is requested again from \($0)" } ?? ""
    context.recorder.story("\(feed.hole)=\(batch[0].value): \(message)\(when).")
  }

  private func due(portion: Int) async throws -> [DueValue] {
    try await store.due(stream.name, of: context.job.name, run: run, portion: portion)
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
    state.note(receipt, asked: batch.count)
    tell(receipt.leftOut, of: batch)
    let received = receipt.summary.counts.received
    if let sign = receipt.summary.signs.first(where: { $0.speaksAgainst(oneAnswerOf: received) }) {
      state.unread = state.unread ?? "an answer has \"\(sign.place)\": \(sign.value)"
    }
    context.recorder.event(
      .pageStored(
        state.label, ordinal: step.ordinal, counts: state.counts, bytes: answer.bodyBytes))
  }

  private func tell(_ leftOut: LeftOut, of batch: [DueValue]) {
    guard leftOut.count > 0 else { return }
    let when = leftOut.nextAttempt.map { "from \($0)" } ?? "by the next run"
    context.recorder.story(
      "\(stream.name): the answer left out \(leftOut.count) of \(batch.count) that were requested; "
        + "they are requested again \(when).")
  }

  private static func message(_ trouble: Walker.Trouble) -> String {
    switch trouble {
    case .absent(let message), .ended(_, let message), .unreadable(let message),
      .refused(let message), .nothing(let message), .restart(let message), .gap(let message):
      message
    }
  }

  // MARK: endings

  private func finish(_ state: State) async throws -> UnitWalk.Result {
    if let first = state.unreadable.first {
      let count = state.unreadable.count
      let why = "\(Wording.count(count, "request")) returned nothing: \(first)"
      return try await conclude(.failed, .failure, why, [.failed], nil, state)
    }
    let isCutOff = state.absentInARow >= Self.absencesInARowMax
    let others = isCutOff ? "; the others are left for a later run" : ""
    // Those that were missing before and still are say nothing new of a list that was complete.
    let isOldNews = state.newlyAbsent == 0 && state.wasComplete && state.last != .absent
    if state.absentInARow > 0, !state.hasAnswer, isCutOff || !isOldNews {
      let what = state.absent == 1 ? "the one that was" : "all \(state.absent) that were"
      let why = "\(what) asked for: \(state.whyAbsent)\(others)"
      return try await conclude(.absent, .gone, why, [], nil, state)
    }
    if isCutOff {
      let why = "\(state.absentInARow) requests in a row: \(state.whyAbsent)\(others)"
      return try await conclude(.failed, .failure, why, [.failed], nil, state)
    }
    if state.fitsNothing {
      let why =
        "every record of \(Wording.count(state.rejectedPages, "answer")) was rejected"
        + "\(Self.clause(state.rejectReason)); \(Walker.cureOfRejects)"
      return try await conclude(.failed, .failure, why, [.failed], nil, state)
    }
    let gone = state.absent + state.leftOut.gone
    if state.counts.received == 0, state.leftOut.gone > 0, state.leftOut.waiting == 0,
      !state.wasComplete || state.last == .absent
    {
      let why = "the answers left out all \(gone) that were requested, more than once"
      return try await conclude(.absent, .gone, why, [], nil, state)
    }
    var why = Wording.count(state.pages, "request")
    if gone > 0, state.counts.received == 0, state.leftOut.waiting == 0 {
      why = "only what had not been found was requested again"
    }
    let doubt = doubt(state)
    why += doubt.map { "; \($0.why)" } ?? ", nothing left to fetch"
    if gone > 0 { why += "; \(Wording.count(gone, "is", "are")) not there" }
    let verdict = doubt.map { $0.cause == nil ? Verdict.unproven : .incomplete } ?? .complete
    return try await conclude(verdict, .singleAnswer, why, [], nil, state, cause: doubt?.cause)
  }

  /// What speaks against the answers, or (without a cause) keeps them from being proven.
  private func doubt(_ state: State) -> (cause: Shortfall?, why: String)? {
    if state.counts.rejected > 0 {
      let records = Wording.count(state.counts.rejected, "record was", "records were")
      return (.rejects, "\(records) rejected\(Self.clause(state.rejectReason))")
    }
    if let key = state.ambiguousKey {
      return (.ambiguousKey, "records of one answer have the same key (\(key)) and other values")
    }
    if let unread = state.unread { return (.unread, unread) }
    guard state.leftOut.waiting > 0 else { return nil }
    let left =
      "\(Wording.count(state.leftOut.waiting, "value")) that did not come will be requested again"
    return state.emptyBatch.map { (.empty, "nothing came for \($0) values at once; \(left)") }
      ?? (nil, left)
  }

  private static func clause(_ reason: String?) -> String { reason.map { " (\($0))" } ?? "" }

  /// Nothing is due, but nothing that was asked last was there: that is no success.
  private func stillAbsent() async throws -> UnitWalk.Result? {
    let job = context.job.name
    guard let until = try await store.nextAttempt(stream.name, of: job),
      let last = try await store.certificates(of: stream.name, job: job).first,
      last.certificate.verdict == .absent, last.standing != .otherRequest
    else { return nil }
    context.recorder.story("\(stream.name): nothing was found; it is requested again at \(until).")
    var certificate = last.certificate
    certificate.goesOnAt = until
    var facts = UnitFacts(
      stream: stream.name, table: "\(context.job.tablePrefix)_\(stream.table)",
      listName: stream.name, parameterText: "", window: nil, certificate: certificate,
      isAsDeclared: false, isNewShortfall: false, requests: 0, duration: .zero)
    facts.counts = Counts()
    context.recorder.event(.unitConcluded(facts))
    return UnitWalk.Result(facts: facts, kinds: [], stop: nil)
  }

  private func pause(
    _ stop: Stop, _ kinds: Set<RunOutcome.Kind>, _ state: State
  ) async throws -> UnitWalk.Result {
    try await conclude(.paused, stop.rule, stop.message, kinds, stop, state)
  }

  private func conclude(
    _ verdict: Verdict, _ rule: StopRule, _ why: String, _ kinds: Set<RunOutcome.Kind>,
    _ stop: Stop?, _ state: State, cause: Shortfall? = nil
  ) async throws -> UnitWalk.Result {
    var goesOnAt = stop?.goesOnAt
    if verdict == .absent {
      goesOnAt = try await store.nextAttempt(stream.name, of: context.job.name)
    }
    let certificate = Certificate(
      verdict: verdict, cause: cause, rule: rule, why: why, pages: state.pages,
      counts: state.counts,
      distinctKeys: state.distinct, goesOnAt: goesOnAt,
      // Each answer is whole by itself: what was asked for is in it, or was missed and is due.
      proofs: verdict == .complete ? [.oneAnswer] : [])
    let done = try await store.certify(state.id, certificate)
    var kinds = kinds
    if done.isNewShortfall, ![.paused, .failed].contains(verdict) {
      kinds.insert(.lessThanDeclared)
    }
    var facts = UnitFacts(
      stream: stream.name, table: "\(context.job.tablePrefix)_\(stream.table)",
      listName: state.label.listName, parameterText: "", window: nil,
      certificate: done.certificate,
      isAsDeclared: done.certificate.isAsDeclared, isNewShortfall: done.isNewShortfall,
      requests: context.recorder.requestsSent - state.requestsBefore,
      duration: context.time.elapsed() - state.began)
    state.samples.put(into: &facts, done)
    context.recorder.story(done.certificate.description(of: state.label.listName))
    context.recorder.event(.unitConcluded(facts))
    return UnitWalk.Result(facts: facts, kinds: kinds, stop: stop)
  }
}
