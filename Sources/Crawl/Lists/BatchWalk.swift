internal import Base
internal import Store
internal import Walk

/// Requests a stream of single answers for all that is due in another stream: one request for each parent, or for a
/// batch. All of it is one unit; its due list is in the database, so the next run continues with the rest.
struct BatchWalk: ListWalk {
  let context: RunContext
  let stream: Stream
  let feed: ParentFeed
  let values: [String: [String]]

  /// As for a list of pages: after this many failed requests in a row the walk stops.
  static let failuresInARowMax = 3

  /// Due values read at once.
  static let portion = 5000

  /// Nil when nothing is due.
  func walk() async throws -> UnitWalk.Result? {
    guard try await !due(portion: 1).isEmpty else { return try await stillAbsent() }
    let unit = Unit(stream: stream.name)
    let opening = try await store.openUnit(
      unit, of: context.job.name, prints: prints, run: run, readsAll: context.options.isRefill,
      acceptingEmpty: context.options.acceptedEmpty)
    // The due list says what is due, not the pages of an earlier walk.
    if case .resume = opening.state { try await store.startAgain(opening.id) }
    let rules = WalkRules(stream)
    try await store.begin(rules, Handed(rules: rules.digest), of: opening.id)
    var answers = BatchAnswers(rules)
    answers.missed.wasAbsent = opening.last?.certificate.verdict == .absent
    // Where some values fit no request, all others were read.
    let isWithoutSome =
      opening.last?.certificate.cause == .outOfReach && opening.last?.standing != .otherRequest
    answers.missed.wasWhole =
      isWithoutSome || opening.lastWhole?.certificate.verdict.isWhole == true
    var open = OpenBatches(
      walk: self, id: opening.id,
      label: UnitLabel(stream: stream.name, listName: opening.listName), answers: answers,
      began: context.time.elapsed(), requestsBefore: context.tally.count)
    return try await open.askAll(wasRead: opening.wasRead)
  }

  func due(portion: Int) async throws -> [DueValue] {
    try await store.due(stream.name, of: context.job.name, run: run, portion: portion)
  }

  /// Nothing is due, but all that was requested last was absent: that is not a success.
  private func stillAbsent() async throws -> UnitWalk.Result? {
    let job = context.job.name
    let unit = Unit(stream: stream.name)
    guard let until = try await store.nextAttempt(stream.name, of: job),
      let last = try await store.preview(unit, stream, of: job, prints: prints).last,
      last.certificate.verdict == .absent
    else { return nil }
    context.recorder.story("\(stream.name): nothing was found; it is requested again at \(until).")
    return try await context.stillAbsent(stream, stream.name, last, until: until)
  }
}

/// A batch walk under way, and its result so far.
struct OpenBatches: ListWalk {
  let walk: BatchWalk
  var context: RunContext { walk.context }
  var stream: Stream { walk.stream }
  private var feed: ParentFeed { walk.feed }
  let id: UnitID
  let label: UnitLabel
  var answers: BatchAnswers
  /// Due values, read ahead; and batches that come before them.
  var due: ArraySlice<DueValue> = []
  var waiting: [[DueValue]] = []
  var failed: [[DueValue]] = []
  /// What an answer of this walk left out, and is therefore requested alone.
  var leftOut: Set<ExactText> = []
  /// Why no request could be made for values.
  var whysUnaskable: [String] = []
  var isLastRound = false
  /// A preview takes no more.
  var isPreviewed = false
  var requests = 0
  var failedInARow = 0
  var emptyInARow = 0
  private static let emptyInARowMax = 100
  var ages = AnswerAges()
  let began: Duration
  let requestsBefore: Int

  var mayAsk: Bool {
    failedInARow < BatchWalk.failuresInARowMax && !answers.isCutOff && !answers.fitsNothing
  }

  mutating func note(_ receipt: PageReceipt, asked: Int) {
    answers.note(receipt.summary)
    answers.missed.waiting += receipt.leftOut.waiting
    answers.missed.gone += receipt.leftOut.gone
    if receipt.leftOut.isOfOthers {
      answers.missed.ofOthers += 1
    } else if asked > 1, receipt.leftOut.count == asked, receipt.leftOut.waiting > 0 {
      answers.missed.emptyBatch = answers.missed.emptyBatch ?? asked
    }
  }

  mutating func askAll(wasRead: Bool) async throws -> UnitWalk.Result {
    context.recorder.event(.unitStarted(label))
    let fetcher = Fetcher(context, stream: stream, label: label, wasRead: wasRead)
    if let result = try await askAll(fetcher) { return result }
    // Failed batches are requested once more at the end; then they stay due for the next run.
    if mayAsk, !isPreviewed, !failed.isEmpty {
      answers.missed.failed = 0
      waiting = failed.reversed()
      isLastRound = true
      if let result = try await askAll(fetcher) { return result }
    }
    let claim = answers.certificate()
    guard isPreviewed, [.complete, .unproven, .limited].contains(claim.verdict) else {
      return try await conclude(claim)
    }
    var result = try await pause(Stop(rule: .budget, message: CrawlOptions.whyPreviewed))
    (result.stop, result.kinds) = (nil, [])
    return result
  }

  /// Requests until nothing is left; a result if the run must stop before.
  private mutating func askAll(_ fetcher: Fetcher) async throws -> UnitWalk.Result? {
    var inFlight = Flights()
    while true {
      try await begin(fetcher, &inFlight)
      guard let (request, fetched) = await inFlight.take() else { return nil }
      if let result = try await take(fetched, of: request, &inFlight) { return result }
    }
  }

  /// Starts as many as may be in flight.
  private mutating func begin(_ fetcher: Fetcher, _ inFlight: inout Flights) async throws {
    let most = context.options.isOneAtATime ? 1 : context.job.atOnce
    while inFlight.count < most, mayAsk, !isPreviewed,
      let batch = try await next(isIdle: inFlight.count == 0)
    {
      guard planner.takesMoreBatches(after: requests) else {
        isPreviewed = true
        return
      }
      let list = try planner.list(for: batch, stream, feed, values: walk.values)
      if let why = planner.whyUnaskable(list, stream, feed) {
        try await note(unaskable: batch, why)
        continue
      }
      requests += 1
      // The page's final number is set when it is stored, so a failed request leaves no gap.
      let step = try planner.step(answers.pages + 1 + inFlight.count, list, stream)
      inFlight.begin(
        Request(batch: batch, list: list, step: step, passesCaches: ages.hasOld),
        on: context.answerExecutor
      ) { [passesCaches = ages.hasOld] in
        await fetcher.fetch(step, nil, pastCaches: passesCaches)
      }
    }
  }

  /// - Parameter isIdle: nothing is in flight, so no due value is being requested.
  private mutating func next(isIdle: Bool) async throws -> [DueValue]? {
    if let batch = waiting.popLast() { return batch }
    if isLastRound { return nil }
    if due.isEmpty {
      guard isIdle else { return nil }
      // What was requested is no longer due, whatever came of it.
      let portion = max(1, BatchWalk.portion / feed.batch) * feed.batch
      due = Planner.single(try await walk.due(portion: portion), feed)
    }
    let batch = Planner.batch(feed, from: &due)
    return batch.isEmpty ? nil : batch
  }

  struct Request: Sendable {
    var batch: [DueValue]
    var list: Unit
    var step: Step
    var passesCaches: Bool
  }

  private typealias Flights = PagesInFlight<Request, Fetcher.Fetched>

  /// Handles the result of one request and its retries; a result if the run must stop here.
  private mutating func take(
    _ fetched: Fetcher.Fetched, of request: Request, _ inFlight: inout Flights
  ) async throws -> UnitWalk.Result? {
    let batch = request.batch
    switch fetched {
    case .page(let page, let answer):
      ages.note(answer, since: began, context)
      if ages.sign?.kind == .old, !request.passesCaches {
        // A cached answer from before the values were due.
        waiting.append(batch)
      } else {
        try await commit(page, answer, request)
      }
      failedInARow = 0
      answers.missed.absentInARow = 0
    case .notModified:
      try await note(failed: batch, "the API says 304 to an unconditional request")
    case .trouble(let trouble, _)
    where trouble.kind == .absent || trouble.kind == .refused && wereLeftOut(batch):
      try await note(absent: batch, trouble.message)
    case .trouble(let trouble, _): try await note(failed: batch, trouble.message)
    case .stopped(let stop):
      try await finish(&inFlight, behind: stop)
      return try await pause(stop)
    case .fatal(let kind, let message):
      let stop = Stop(rule: .failure, message: message, kind: kind)
      try await finish(&inFlight, behind: stop)
      (answers.missed.isRefused, answers.whyFailed) = (true, message)
      return try await conclude(answers.certificate(), stop)
    }
    return nil
  }

  /// The run stops here. Answers to requests already sent are kept if they are pages; the rest stays due.
  private mutating func finish(_ inFlight: inout Flights, behind stop: Stop) async throws {
    context.requester.flights.halt(stop)
    while let (request, fetched) = await inFlight.take() {
      guard case .page(let page, let answer) = fetched else { continue }
      ages.note(answer, since: began, context)
      try await commit(page, answer, request)
    }
  }

  private mutating func note(failed batch: [DueValue], _ message: String) async throws {
    try await store.markMissed(
      batch.map(\.value), stream.name, of: context.job.name, run: run, isAbsent: false)
    if answers.missed.failed == 0 { answers.whyFailed = message }
    answers.missed.failed += 1
    failedInARow += 1
    if !isLastRound { failed.append(batch) }
  }

  /// A batch does not show which of its values is meant: it is halved, down to single values. Only those are recorded.
  private mutating func halve(_ batch: [DueValue], _ message: String) -> Bool {
    if batch.count == 1 { return false }
    let middle = batch.count / 2
    waiting += [Array(batch[middle...]), Array(batch[..<middle])]
    context.recorder.story(
      "\(message), asked for \(batch.count) at once; I requested them in smaller batches.")
    return true
  }

  /// What answers to several have left out in two runs counts as not there only once it was requested alone. Halves
  /// cost the least where an API answers only some of the values; where nothing came, each is requested alone.
  private mutating func askAlone(_ receipt: PageReceipt, of batch: [DueValue]) {
    emptyInARow = receipt.summary.counts.received == 0 ? emptyInARow + 1 : 0
    let again = batch.filter { receipt.leftOut.again.contains(ExactText($0.value)) }
    if again.isEmpty { return }
    // Where nothing comes at all, one night asks for some of them.
    if emptyInARow > Self.emptyInARowMax {
      answers.missed.waiting += again.count
      return
    }
    leftOut.formUnion(receipt.leftOut.again)
    let size = receipt.summary.counts.received == 0 ? 1 : (again.count + 1) / 2
    let parts = stride(from: 0, to: again.count, by: size).map {
      Array(again[$0..<min($0 + size, again.count)])
    }
    waiting += parts.reversed()
    context.recorder.story(
      "\(stream.name): the answer left out \(again.count) of \(batch.count) that were requested, "
        + "as one before did; smaller batches will show which are there.")
  }

  /// Nothing was requested, so nothing is known of the value: it stays due, and each certificate counts it.
  private mutating func note(unaskable batch: [DueValue], _ why: String) async throws {
    if halve(batch, why) { return }
    try await store.markMissed(
      batch.map(\.value), stream.name, of: context.job.name, run: run, isAbsent: true,
      until: context.time.now())
    // cut: enough to see what is wrong with the values
    if !whysUnaskable.contains(why), whysUnaskable.count < 3 { whysUnaskable.append(why) }
    answers.whyUnaskable = whysUnaskable.joined(separator: "; ")
    answers.missed.unaskable += 1
  }

  /// An answer of this walk came without these.
  private func wereLeftOut(_ batch: [DueValue]) -> Bool {
    batch.allSatisfy { leftOut.contains(ExactText($0.value)) }
  }

  private mutating func note(absent batch: [DueValue], _ message: String) async throws {
    failedInARow = 0
    // The address has not moved.
    let isLeftOut = wereLeftOut(batch)
    if !isLeftOut { answers.missed.absentInARow += 1 }
    answers.whyAbsent = message
    if halve(batch, message) { return }
    let misses = try await store.markMissed(
      batch.map(\.value), stream.name, of: context.job.name, run: run, isAbsent: true)
    if isLeftOut {
      answers.missed.gone += 1
    } else {
      answers.missed.absent += 1
      answers.missed.newlyAbsent += misses.new
    }
    let when = misses.nextAttempt.map { "; it is requested again from \($0)" } ?? ""
    context.recorder.story("\(feed.column)=\(batch[0].value): \(message)\(when).")
  }

  private mutating func commit(_ page: Page, _ answer: Answer, _ request: Request) async throws {
    let batch = request.batch
    var step = request.step
    step.ordinal = answers.pages + 1
    var parameters = [ParameterValue("host", context.job.base.origin.host)]
    // With several values, the answer says which record belongs to which value.
    parameters += request.list.values.filter { batch.count == 1 || $0.name != feed.column }
    var facts = PageFacts(
      status: answer.status, parameters: parameters, asked: batch.map(\.value))
    facts.signs = [ages.sign].compactMap { $0 }
    let receipt = try await store.commit(page, step: step, facts: facts, of: id)
    context.recorder.stored(receipt)
    try await context.columns.add(page, of: stream, context)
    context.signal.pageCommitted()
    note(receipt, asked: batch.count)
    askAlone(receipt, of: batch)
    tell(receipt.leftOut, of: batch)
    context.recorder.event(
      .pageStored(label, ordinal: step.ordinal, counts: answers.counts, bytes: answer.bodyBytes))
  }

  private func tell(_ leftOut: LeftOut, of batch: [DueValue]) {
    let count = leftOut.count - leftOut.again.count
    guard count > 0 else { return }
    let when = leftOut.nextAttempt.map { "from \($0)" } ?? "by the next run"
    context.recorder.story(
      "\(stream.name): the answer left out \(count) of \(batch.count) that were requested; "
        + "they are requested again \(when).")
  }
}

/// The result of a batch walk.
extension OpenBatches {
  private func pause(_ stop: Stop) async throws -> UnitWalk.Result {
    try await conclude(
      answers.certificate(.paused, stop.rule, stop.message, goesOnAt: stop.goesOnAt), stop)
  }

  private func conclude(
    _ certificate: Certificate, _ stop: Stop? = nil
  ) async throws -> UnitWalk.Result {
    var certificate = certificate
    if certificate.verdict == .absent {
      certificate.goesOnAt = try await store.nextAttempt(stream.name, of: context.job.name)
    }
    // While the clock is wrong nothing is stored.
    let done =
      stop?.rule == .clock
      ? nil
      : try await store.certify(
        id, certificate, acceptVanishing: context.options.acceptedVanish,
        handed: answers.missed.text)
    certificate = done?.certificate ?? certificate
    var kinds = stop?.kinds ?? []
    if let done, certificate.verdict != .paused { kinds.formUnion(done.kinds) }
    var facts = context.facts(
      of: stream, label.listName, certificate, done,
      requests: context.tally.count - requestsBefore)
    context.recorder.story(certificate.description(of: label.listName))
    if done?.isNewShortfall == true, certificate.cause == .outOfReach {
      context.recorder.warn(certificate.why, about: label)
    }
    try await context.conclude(&facts)
    return UnitWalk.Result(facts: facts, kinds: kinds, stop: stop)
  }
}
