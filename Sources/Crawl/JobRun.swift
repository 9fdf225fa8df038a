public import Base
internal import Media
internal import Store
internal import Walk

/// One execution of a job: its streams' units in order, images beside them, and the facts of it all. It never throws:
/// errors are in the facts.
public struct JobRun: Sendable {
  let parts: RunParts
  let context: RunContext
  let lanes: Lanes
  let ending = Locked(RunEnding())
  var run: RunID { context.run }
  var planner: Planner { context.planner }

  /// Opens the run in the database. The job's tables must have been adopted.
  public init(_ parts: RunParts) async throws {
    var parts = parts
    let isAnother = try await parts.countAskers()
    self.parts = parts
    let time = parts.time.steady
    await parts.store.follow(time)
    await parts.ledger.follow(time)
    let run = try await parts.store.beginRun(
      job: parts.job.name, command: parts.options.command, arguments: parts.options.arguments)
    let quotas = try JobQuotas(
      job: parts.job, account: parts.account, hasKey: parts.credential != nil,
      reserve: parts.options.reserve)
    let facts = RunFacts(
      run: run.name, job: parts.job.name, command: parts.options.command,
      arguments: parts.options.arguments, origin: parts.job.base.origin.description,
      startedAt: time.now())
    let recorder = RunRecorder(facts, tell: parts.tell)
    if isAnother {
      recorder.warn(
        "the key has changed: lists are read again, stored rows stay; if it is of the same "
          + "account: trawl key \(parts.job.word) --same-account")
    }
    let isCompared = !parts.job.trustsOurClock
    let dates = HeardDates(
      of: parts.job.base.origin,
      hasAgreed: isCompared ? try await parts.store.hasAgreed(clockOf: parts.job.name) : false)
    let atOnce = parts.options.isOneAtATime ? 1 : parts.job.atOnce
    lanes = Lanes(atOnce)
    context = RunContext(
      job: parts.job, run: run, store: parts.store,
      planner: Planner(job: parts.job, options: parts.options, store: parts.store, time: time),
      quotas: quotas,
      breaker: HostBreaker(parts.ledger, host: parts.job.base.origin),
      credential: parts.credential,
      requester: Requester(
        exchange: parts.exchange, time: time, machine: parts.time,
        clockCheck: isCompared
          ? ClockCheck(origin: parts.job.base.origin, dates: dates, recorder: recorder) : nil,
        ledger: parts.ledger, options: parts.options, recorder: recorder,
        isSignalled: parts.isInterrupted, lapse: parts.lapse, startedElapsed: time.elapsed(),
        log: parts.store.log, faults: parts.faults, flights: Flights(atOnce: atOnce)),
      dates: dates)
  }

  public func execute() async -> RunFacts {
    let recorder = context.recorder
    for line in parts.migrations { recorder.change { $0.migrations.append(line) } }
    parts.store.log.onGrowth { recorder.warn($0) }
    recorder.event(.runStarted(run: run.name, job: parts.job.name, note: parts.note))
    var ending = RunEnding()
    do {
      let before = try await quotasNow()
      ending = await interruptibly { await work() }
      try await judgeHost(&ending)
      try await rememberQuotas(before: before)
      try await markLeavers()
      try await tellColumns()
      try await tellEqualAnswers()
      tellEmptyKeeps()
      if !context.dates.hasAgreed, let offset = recorder.snapshot().clockOffset,
        offset.isWithin(Instant.aheadMax)
      {
        try await parts.store.note(agreedClockOf: parts.job.name)
      }
      if let history = parts.job.history,
        let moment = recorder.snapshot().timeOfDeletion(for: parts.job, context.time.now())
      {
        try await parts.store.forgetChanges(of: parts.job.name, before: moment - history)
      }
      let images = recorder.snapshot().images
      if images.hasNoRoom || images.isAtLimit || images.areFilesMissing == true,
        let why = images.stoppedBecause
      {
        recorder.warn(why)
      }
      let pictures =
        ImagePass(context, parts) != nil
        ? try await parts.store.pictureStanding(of: parts.job.name) : nil
      try await parts.store.note(
        ending.troubles(
          of: parts.job, images, pictures, isOfAll: parts.options.streams.isEmpty),
        of: parts.job.name)
      // The database checks its own place with each write.
      try parts.ledger.checkPlace()
      try parts.content?.checkPlace()
    } catch {
      ending.note(error)
    }
    do {
      try await rememberSamples()
    } catch {
      ending.note(error)
    }
    let telling = await telling()
    let facts = finish(ending, telling)
    do {
      try await conclude(facts.outcome)
    } catch {
      ending.note(error)
    }
    let final = finish(ending, telling)
    recorder.event(.runConcluded(final))
    return final
  }

  /// The health check, then the walk with images beside it.
  private func work() async -> RunEnding {
    var ending = RunEnding()
    await HealthCheck(context: context).run(into: &ending)
    if ending.stop != nil { return ending }
    let failure: (any Error)?
    if context.options.isOneAtATime {
      ending = await walk()
      failure = await fetchImages()
    } else {
      // The walk never waits for images.
      async let images = fetchImages()
      ending = await walk()
      failure = await images
    }
    if let failure, !context.isInterrupted { ending.note(failure) }
    return ending
  }

  private func walk() async -> RunEnding {
    await parts.store.expectAnswers(on: context.answerExecutor)
    // Except for quotas, a page changes threads twice: from the answer thread to the store, and back with the next
    // request.
    await withTaskExecutorPreference(parts.store.taskExecutor) {
      do { try await walkAll() } catch { ending.withLock { $0.note(error) } }
    }
    context.signal.end()
    return ending.withLock { $0 }
  }

  /// The walk continues if the folder of images is broken; that is reported at the end.
  private func fetchImages() async -> (any Error)? {
    guard let pass = ImagePass(context, parts), await pass.mayBegin() else { return nil }
    if let unprepared = await pass.prepare() { return unprepared }
    return await withTaskExecutorPreference(context.requester.exchange.downloadExecutor) {
      await pass.run()
    }
  }

  /// Runs what makes requests. After a signal, requests in flight get a grace period and are then given up; nothing of
  /// them was stored.
  private func interruptibly(
    _ body: @escaping @Sendable () async -> RunEnding
  ) async -> RunEnding {
    // Both tasks are awaited or cancelled here.
    let work = Task { await body() }
    let watch = parts.asked.map { asked in
      Task {
        await asked()
        do { try await context.time.sleep(RunParts.interruptionGrace) } catch { return }
        work.cancel()
      }
    }
    defer { watch?.cancel() }
    // Cancelling this run cancels its requests.
    return await withTaskCancellationHandler {
      await work.value
    } onCancel: {
      work.cancel()
    }
  }

  /// A stream that gets only errors has failed; if nothing else was answered, the host is down. A run that pauses
  /// before any answer, after one that gave the host up, is not a success either.
  private func judgeHost(_ ending: inout RunEnding) async throws {
    if let why = try await context.breaker.concludeOutage() { return ending.note(outage: why) }
    guard ending.kinds.contains(.paused), await context.breaker.isHalfOpen() else { return }
    ending.note(
      outage: "it could not be reached the last time, and nothing was answered since: "
        + (ending.stop?.message ?? "paused"))
  }

  @inline(never)
  private func conclude(_ outcome: RunOutcome) async throws {
    parts.faults.reach(.beforeReport)
    try await parts.store.endRun(
      run, outcome: outcome.sentence, exitCode: parts.exitCode(outcome))
  }

  // MARK: the facts at the end

  private func quotasNow() async throws -> [String: QuotaLedger.Left] {
    var left: [String: QuotaLedger.Left] = [:]
    for ask in context.quotas.all(at: context.time.now()) {
      left[ask.key.name] = try await parts.ledger.left(in: ask)
    }
    return left
  }

  private func rememberQuotas(before: [String: QuotaLedger.Left]) async throws {
    let after = try await quotasNow()
    let quotas = parts.job.quotas.compactMap { quota -> QuotaFacts? in
      guard let first = before[quota.name], let last = after[quota.name] else { return nil }
      return QuotaFacts(
        name: quota.name, allowed: last.allowed, leftBefore: first.left, leftAfter: last.left,
        resetsAt: last.resetsAt)
    }
    context.recorder.change { $0.quotas = quotas }
  }

  /// Marks records that have left all their lists.
  private func markLeavers() async throws {
    try await parts.store.joinAskers(of: parts.job.name)
    // `--set` for this run alone does not change what the job requests.
    let planner = Planner(
      job: parts.job, options: CrawlOptions(), store: parts.store, time: context.time)
    let (waiting, doubted) = try await parts.store.markLeavers(
      of: parts.job.name, run: run, named: planner.named(),
      accepting: parts.options.acceptedVanish ?? 0)
    for (stream, count) in doubted.sorted(by: { $0.key < $1.key }) {
      context.recorder.warn(
        "\(stream): so many of its values are in no record any more that \(count) rows are kept for now; they count "
          + "as gone if it stays so for two days, or by: trawl run \(parts.job.word) --accept-vanish \(count)"
      )
    }
    for (table, count) in waiting.sorted(by: { $0.key < $1.key }) {
      context.recorder.story(
        "\(Wording.count(count, "record", "records")) of \(table) \(count == 1 ? "is" : "are") in no list any more, "
          + "and \(count == 1 ? "counts" : "count") as gone when each list was read whole twice since."
      )
    }
  }

  private func tellColumns() async throws {
    let found = try await context.columns.conclude(parts.store, parts.job)
    context.recorder.change { $0.columns = found }
    for finding in found { context.recorder.warn(finding.sentence) }
  }

  /// Equal answers: reported by the run that first reads them, later only by `check`; they may be right.
  private func tellEqualAnswers() async throws {
    let lists = context.recorder.snapshot().units
    let streams = parts.job.streams.filter { stream in
      lists.contains { $0.stream == stream.name && $0.certificate.counts.new > 0 }
    }
    // An ambiguous key is the lists' own verdict.
    for equal in try await parts.store.equalAnswers(of: parts.job, streams, firstIn: run)
    where equal.isSame {
      context.recorder.warn("\(equal.stream): \(equal.sentence)")
    }
  }

  /// A `keep` that leaves no record of any list is usually a mistake.
  private func tellEmptyKeeps() {
    let lists = context.recorder.snapshot().units
    for stream in parts.job.streams where stream.keep != nil {
      let counts = lists.filter { $0.stream.utf8.elementsEqual(stream.name.utf8) }
        .reduce(into: Counts()) { $0 += $1.certificate.counts }
      guard let slip = PageReader.emptyKeep(stream, counts) else { continue }
      context.recorder.warn("\(stream.name): \(slip)")
    }
  }

  private func rememberSamples() async throws {
    let samples = try await parts.store.rejects(of: parts.job.name, run: run, limit: 20)
    let count = try await parts.store.rejectCount(job: parts.job.name, run: run)
    let changes = try await changes()
    context.recorder.change { facts in
      facts.rejects = samples
      facts.rejectCount = count
      facts.changes = changes
    }
  }

  /// Only of tables with news: an hourly run without any reads no table again.
  private func changes() async throws -> [TableChanges] {
    let facts = context.recorder.snapshot()
    return try await parts.store.changes(
      of: parts.job.name, parts.job, since: facts.startedAt, run: run,
      withLists: facts.units.contains { $0.counts.received > 0 }, most: Self.changesMax,
      withMoving: false)
  }

  /// Records of each kind and table in a report.
  private static let changesMax = 25

  /// Nil if the database cannot be read.
  private func telling() async -> Telling? {
    let (store, job) = (parts.store, parts.job)
    do {
      guard let overview = try await store.overview(of: job.name).first else { return nil }
      var telling = Telling(overview, job, now: context.time.now())
      if telling.mayRest() {
        telling.note(
          due: try await DueChildren.all(of: job, store: store, time: context.time),
          since: try await store.lastWholeRun(of: job.name))
      }
      return telling
    } catch {
      return nil
    }
  }

  private func finish(_ ending: RunEnding, _ telling: Telling?) -> RunFacts {
    var facts = context.recorder.snapshot()
    facts.endedAt = context.time.now()
    facts.duration = context.time.elapsed() - context.requester.startedElapsed
    facts.outcome = ending.outcome(of: facts, telling)
    if facts.outcome.kinds.contains(.secret), let source = parts.keySource {
      facts.outcome.sentence +=
        "; the key came from \(source), which is used before a stored one: change it there"
    }
    facts.nextSteps = ending.nextSteps(for: facts, on: parts.job.word, telling)
    return facts
  }
}
