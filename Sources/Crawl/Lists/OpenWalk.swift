internal import Base
internal import Store
internal import Walk

/// A unit's walk under way, and its result so far.
struct OpenWalk: ListWalk {
  typealias Result = UnitWalk.Result

  let walk: UnitWalk
  var context: RunContext { walk.context }
  var stream: Stream { walk.stream }
  var part: WindowPart? { walk.part }
  let id: UnitID
  let label: UnitLabel
  var walker: Walker
  var counts = Counts()
  /// What earlier runs of this walk read.
  var countsBefore = Counts()
  /// What this run stored before the walk started over.
  var begunAnew = Counts()
  var forecast: Forecast?
  var requestsBefore = 0
  var warned = 0
  var restarts = 0
  var hasToldLength = false
  var pagesAsked = 0
  var began: Duration
  /// The time of the oldest record, if the list is declared newest first.
  var oldest: Instant?
  /// An earlier walk read pages of the list, requested and mapped as now.
  var wasRead = false
  /// What became of records that the walk did not return; nil: none had to be checked.
  var missing: MissingTally?
  /// When the first answer of the walk was made, by the API's clock.
  var listedUntil: Instant?
  var ages = AnswerAges()
  /// Stored pages may be requested with their validators.
  var hasValidators: Bool
  let reader: EarlyReader

  /// - Parameter stored: pages that an earlier run read.
  mutating func follow(_ stored: [PageSummary]) async throws(StoreError) -> Result {
    if part == nil { context.recorder.event(.unitStarted(label)) }
    countsBefore = walker.counts
    if let part, let page = stored.first, part.isTooWide(page.total, pages: nil) {
      return try await conclude(part.tooWide(walker, page.total))
    }
    let first = walker.begin()
    try await store.begin(walker.rules, walker.handed, of: id)
    try await followRestart()
    if !stored.isEmpty, !walker.startsAgain {
      let text = "resuming after page \(stored.map(\.ordinal).max() ?? 0)"
      context.recorder.event(.unitResumed(label, text: text))
      context.recorder.story("\(label.listName): \(text), where the last run stopped.")
    }
    return try await follow(first)
  }

  // MARK: the loop

  private mutating func follow(_ first: Walker.Move) async throws(StoreError) -> Result {
    let fetcher = Fetcher(
      context, stream: stream, label: label, unit: walk.unit, wasRead: wasRead)
    var move = first
    var ahead = PagesInFlight<Step, EarlyPage>()
    var sent: Validator?
    // The last answer came from a cache, and is too old.
    var passesCaches = false
    // The last 304 did not stand for the stored page.
    var isUnconditional = false
    while true {
      guard case .ask(let step) = move else {
        guard case .conclude(let certificate) = move else { continue }
        await ahead.discard()
        return try await conclude(certificate)
      }
      if let why = enough() { return try await rest(why) }
      pagesAsked += 1
      let next: EarlyPage
      if ahead.marks.first == step, let early = await ahead.take() {
        next = early.answer
      } else {
        await ahead.discard()
        sent = isUnconditional ? nil : try await validator(for: step)
        next = await fetch(step, sent, fetcher, reader, pastCaches: passesCaches)
      }
      isUnconditional = false
      switch next.fetched {
      case .page(let page, let answer):
        passesCaches = noteAge(answer)
        let certain =
          passesCaches ? [] : try await certainSteps(after: page, step)
        // Pages requested ahead are kept, unless this page leads elsewhere or nowhere.
        if certain.isEmpty || !zip(ahead.marks, certain).allSatisfy({ $0 == $1 }) {
          await ahead.discard()
        }
        if certain.count > ahead.count { await tellLength(page, step) }
        for next in certain.dropFirst(ahead.count) {
          ahead.begin(next, on: context.answerExecutor) { [fetcher, reader = self.reader] in
            await EarlyPage(next, nil, fetcher, reader)
          }
        }
        move = try await commit(page, early: next.rows, answer, step)
      case .notModified(let answer):
        passesCaches = noteAge(answer)
        guard let kept = try await keep(step, answer, sent, fetcher) else {
          isUnconditional = true
          pagesAsked -= 1
          continue
        }
        move = kept
      case .trouble(let trouble, let cause):
        move = try await handle(trouble, cause, step)
      case .stopped(let stop):
        await ahead.discard()
        return try await pause(stop)
      case .fatal(let kind, let message):
        await ahead.discard()
        return try await fail(kind, message, step)
      }
      try await followRestart()
      tellWarnings()
    }
  }

  func validator(for step: Step) async throws(StoreError) -> Validator? {
    guard hasValidators, step.purpose == .page else { return nil }
    return try await store.validator(for: step.address, of: id)
  }

  private mutating func commit(
    _ page: Page, early: EarlyRows?, _ answer: Answer, _ step: Step
  ) async throws(StoreError) -> Walker.Move {
    if let origin = page.nextLeadsTo {
      context.recorder.warn(
        "the next page is on another origin, \(origin): it is requested without the key",
        about: label)
    }
    noteDate(answer)
    let facts = facts(of: answer)
    if step.purpose.isLook {
      let summary = try await store.note(look: page, step: step, facts: facts, of: id)
      tellStored(step, bytes: answer.bodyBytes)
      return walker.received(summary)
    }
    let receipt = try await store.commit(page, early: early, step: step, facts: facts, of: id)
    counts += context.recorder.stored(receipt)
    context.signal.pageCommitted()
    if step.purpose == .page {
      try await context.columns.add(page, of: stream, context)
    }
    try await tellFields(page, step)
    tellRepairs(page)
    tellFound(receipt.found)
    tellEmptied(receipt.summary, page)
    tellStored(step, bytes: answer.bodyBytes)
    tellPage(receipt.summary, page)
    if let time = receipt.summary.oldest { oldest = min(time, oldest ?? time) }
    if let part, step.ordinal == 1, step.purpose == .page,
      part.isTooWide(page.total, pages: page.pageCount) || part.isMoreThanOneAnswer(page)
    {
      _ = walker.received(receipt.summary)
      // The sign of more works; windows of one answer depend on it.
      if part.isMoreThanOneAnswer(page) { try await store.note(signOfMore: true, of: id) }
      return .conclude(part.tooWide(walker, page.total))
    }
    let move = walker.received(receipt.summary)
    if case .ask = move { await tellLength(page, step) }
    return move
  }

  /// 304: the stored page is still current. Nil: it is of another answer, or lacks headers that the stored one had.
  private mutating func keep(
    _ step: Step, _ answer: Answer, _ validator: Validator?, _ fetcher: Fetcher
  ) async throws(StoreError) -> Walker.Move? {
    noteDate(answer)
    guard let validator, let head = fetcher.head(of: answer, for: validator, at: step.cursor),
      let receipt = try await store.commitNotModified(
        step: step, validator: validator, head: head, facts: facts(of: answer), of: id)
    else { return nil }
    let summary = receipt.summary
    counts += context.recorder.stored(receipt)
    tellStored(step, bytes: 0)
    context.recorder.story("\(label.listName): page \(step.ordinal) has not changed (304).")
    let move = walker.received(summary)
    if walker.hasFalse304 {
      hasValidators = false
      try await store.noteFalse304(of: id)
    }
    return move
  }

  private mutating func handle(
    _ trouble: Walker.Trouble, _ cause: Cause, _ step: Step
  ) async throws(StoreError) -> Walker.Move {
    let trouble = trouble.at(step)
    if trouble.kind == .unreadable, !step.purpose.isLook {
      context.recorder.story(
        "\(label.listName): page \(step.ordinal) could not be read: \(trouble.message).")
    }
    try await store.commit(trouble.kind, cause: cause, step: step, of: id)
    return walker.troubled(trouble, at: step)
  }

  // MARK: endings

  private mutating func conclude(_ certificate: Certificate) async throws(StoreError) -> Result {
    let found = part?.found(certificate, since: oldest) ?? .nothing
    if let part, part.isCut(found) {
      try await store.dissolve(id, density: part.density(after: found))
      context.recorder.story("\(part.name): \(certificate.why); it is split into smaller windows.")
      var result = try await result(certificate, nil, kinds: [], stop: nil)
      (result.found, result.isCut) = (found, true)
      return result
    }
    var certificate = part?.named(certificate) ?? certificate
    certificate.listedUntil = listedUntil
    // Only a walk that reached its end answers its parent: a paused walk keeps it due, and so does a list that does not
    // exist yet.
    let isAnswered =
      certificate.verdict != .failed && certificate.verdict != .absent
      && !certificate.counts.fitsNothing
    if let saysMore = walker.signOfMore {
      try await store.note(signOfMore: saysMore, of: id)
    }
    if let isShown = walker.isFirstShown { try await store.note(firstShown: isShown, of: id) }
    if let sizesHold = walker.sizesHold {
      try await store.note(sizesHold: sizesHold, of: id)
    }
    try await confirmMissing(certificate)
    let done = try await store.certify(
      id, certificate, asked: isAnswered ? walk.asked : [],
      patience: context.job.patience, open: walker.openProofs,
      acceptVanishing: context.options.acceptedVanish,
      isProving: walk.isProofDue && LastCompleteRange.readsOnlyNew(stream))
    tellGone(done, certificate)
    let claim = done.certificate
    if part == nil, claim.verdict.isWhole, walker.isFoundUnmoved {
      let text = "page 1 is as it was: the list has not moved"
      context.recorder.event(.unitResumed(label, text: text))
      context.recorder.story("\(label.listName): \(text).")
    }
    context.recorder.story(claim.description(of: part?.name ?? label.listName))
    if claim.verdict.isWhole, claim.counts.received == 0, part == nil,
      let hint = stream.emptyHint
    {
      context.recorder.warn(hint, about: label)
    }
    warnOfGap(claim)
    var result = try await result(claim, done, kinds: done.kinds, stop: nil)
    result.found = found
    if let missing, missing.isBroken {
      result.kinds.insert(.cannotWrite)
      result.stop = Stop(rule: .failure, message: missing.why)
    }
    return result
  }

  private mutating func pause(_ stop: Stop) async throws(StoreError) -> Result {
    let certificate = walker.paused(stop.rule, until: stop.goesOnAt, message: stop.message)
    // While the clock is wrong nothing is stored, and an unread window is removed.
    if stop.rule == .clock {
      try await store.dissolveUnread(id)
    } else {
      _ = try await store.certify(id, certificate)
    }
    context.recorder.story(certificate.description(of: part?.name ?? label.listName))
    return try await result(certificate, nil, kinds: stop.kinds, stop: stop)
  }

  /// Enough of this list in this run: other units continue.
  private mutating func rest(_ why: String) async throws(StoreError) -> Result {
    var result = try await pause(Stop(rule: .budget, message: why))
    result.stop = nil
    if context.options.pagesMax != nil { result.kinds = [] }
    return result
  }

  /// No retry can help: the unit fails, and the run ends.
  private mutating func fail(
    _ kind: RunOutcome.Kind, _ message: String, _ step: Step
  ) async throws(StoreError) -> Result {
    var result: Result
    switch try await handle(Walker.Trouble(.refused, message), .client, step) {
    case .conclude(let certificate): result = try await conclude(certificate)
    case .ask:
      result = try await pause(Stop(rule: .failure, message: message, kind: .failed))
    }
    result.kinds.insert(kind)
    result.stop = Stop(rule: .failure, message: message)
    return result
  }

  private func result(
    _ certificate: Certificate, _ done: CertifiedUnit?, kinds: Set<RunOutcome.Kind>, stop: Stop?
  ) async throws(StoreError) -> Result {
    var facts = context.facts(
      of: stream, label.listName, certificate, done, unit: walk.unit,
      requests: context.tally.count - requestsBefore)
    facts.counts = certificate.counts.since(countsBefore)
    facts.counts += begunAnew
    facts.forecast = forecast
    facts.missing = missing
    if part == nil { try await context.conclude(&facts) }
    return Result(facts: facts, kinds: kinds, stop: stop)
  }
}
