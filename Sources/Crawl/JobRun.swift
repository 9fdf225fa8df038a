internal import Ledger
internal import Media
public import Model
internal import Store
internal import Walk

/// One execution of a job: every stream's units in their order, images beside them, and the facts
/// of it all. It never throws: what goes wrong is in the facts.
public struct JobRun: Sendable {
  let parts: RunParts
  let context: RunContext
  let run: RunID
  let planner: Planner
  private let signal = PageSignal()

  /// Opens the run in the database. The job's tables must be adopted already.
  public init(_ parts: RunParts) async throws {
    self.parts = parts
    let clock = RunClock(
      parts.time, memory: try await parts.store.clockMemory(of: parts.job.name))
    await parts.store.follow(clock.timekeeper, latest: { clock.latest })
    await parts.ledger.follow(clock.timekeeper)
    run = try await parts.store.beginRun(
      job: parts.job.name, command: parts.options.command, arguments: parts.options.arguments)
    let quotas = try JobQuotas(
      job: parts.job, account: parts.account, hasKey: parts.credential != nil,
      reserve: parts.options.reserve)
    let facts = RunFacts(
      run: run.name, job: parts.job.name, command: parts.options.command,
      arguments: parts.options.arguments, origin: parts.job.base.origin.description,
      startedAt: clock.now)
    let recorder = RunRecorder(facts, tell: parts.tell)
    context = RunContext(
      job: parts.job, quotas: quotas,
      breaker: HostBreaker(
        parts.ledger, host: parts.job.base.origin,
        failuresMax: parts.options.breakerMax),
      credential: parts.credential,
      requester: Requester(
        parts.exchange, clock: clock,
        check: ClockCheck(
          clock: clock, store: parts.store, ledger: parts.ledger, recorder: recorder, run: run,
          origin: parts.job.base.origin),
        ledger: parts.ledger, options: parts.options, recorder: recorder, log: parts.store.log,
        faults: parts.faults, isInterrupted: parts.isInterrupted))
    planner = Planner(
      job: parts.job, options: parts.options, store: parts.store, time: clock.timekeeper,
      latest: { clock.latest })
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
      try await rememberSamples()
      // The database tells by itself, with each write.
      try await parts.ledger.checkPlace()
      try parts.content?.checkPlace()
    } catch {
      ending.note(error)
    }
    let facts = finish(ending)
    do {
      parts.faults.reach(.beforeReport)
      try await parts.store.endRun(
        run, outcome: facts.outcome.sentence, exitCode: parts.exitCode(facts.outcome))
    } catch {
      ending.note(error)
    }
    let final = finish(ending)
    recorder.event(.runConcluded(final))
    return final
  }

  /// The health check, then the walk with images beside it.
  private func work() async -> RunEnding {
    var ending = RunEnding()
    await HealthCheck(context).run(into: &ending)
    if ending.stop != nil { return ending }
    let failure: (any Error)?
    if context.options.isOneAtATime {
      ending = await walk()
      failure = await fetchImages()
    } else {
      // The walk never waits for them.
      async let images = fetchImages()
      ending = await walk()
      failure = await images
    }
    if let failure, !context.isInterrupted { ending.note(failure) }
    return ending
  }

  private func walk() async -> RunEnding {
    var ending = RunEnding()
    do { try await walkAll(&ending) } catch { ending.note(error) }
    signal.end()
    return ending
  }

  /// The walk goes on where the folder of images is broken; that is told at the end.
  private func fetchImages() async -> (any Error)? {
    guard let pass = ImagePass(context, parts) else { return nil }
    if let unprepared = await pass.prepare() { return unprepared }
    return await pass.run(signal)
  }

  /// Runs what makes requests. When a signal comes, those in flight get a little time and are then
  /// given up: nothing of them was stored.
  private func interruptibly(
    _ body: @escaping @Sendable () async -> RunEnding
  ) async -> RunEnding {
    // Both are awaited or cancelled here.
    let work = Task { await body() }
    let watch = parts.asked.map { asked in
      Task {
        await asked()
        do { try await context.time.sleep(RunParts.interruptionGrace) } catch { return }
        work.cancel()
      }
    }
    defer { watch?.cancel() }
    return await work.value
  }

  /// A stream that is answered by errors has failed; where nothing else was answered it is the host. And a
  /// run that pauses before anything was answered knows no better than the one before it, which gave the
  /// host up: that pause is no success.
  private func judgeHost(_ ending: inout RunEnding) async throws {
    if let why = try await context.breaker.concludeOutage() { return ending.note(outage: why) }
    guard ending.kinds.contains(.paused), await context.breaker.isHalfOpen() else { return }
    ending.note(
      outage: "it could not be reached the last time, and nothing was answered since: "
        + (ending.stop?.message ?? "paused"))
  }

  // MARK: streams

  private func walkAll(_ ending: inout RunEnding) async throws {
    for stream in try await planner.streams() {
      if let feed = stream.parent {
        try await walkChildren(stream, feed, &ending)
      } else {
        for list in try await planner.roots(of: stream) where ending.stop == nil {
          try await walk(list, stream, carried: [], asked: [], &ending)
        }
      }
      if ending.stop != nil { return }
    }
  }

  /// A range that was planned by a clock which proved wrong, or from coverage that was none, is planned
  /// once more.
  @discardableResult
  private func walk(
    _ unit: Unit, _ stream: Stream, carried: [ParameterValue], asked: [String],
    _ ending: inout RunEnding
  ) async throws -> UnitFacts? {
    let (turns, setbacks) = (context.clock.turns, context.clock.setbacks)
    let facts = try await walkOnce(unit, stream, carried: carried, asked: asked, &ending)
    let isOther =
      context.clock.turns != turns
      || context.clock.setbacks != setbacks && stream.window?.reach != nil
    guard facts?.window != nil, ending.stop == nil, isOther else { return facts }
    return try await walkOnce(unit, stream, carried: carried, asked: asked, &ending)
  }

  private func walkOnce(
    _ unit: Unit, _ stream: Stream, carried: [ParameterValue], asked: [String],
    _ ending: inout RunEnding
  ) async throws -> UnitFacts? {
    let result: UnitWalk.Result
    switch try await planner.course(of: unit, stream) {
    case .rests: return nil
    case .range(let plan):
      result = try await FillWalk(
        context: context, planner: planner, store: parts.store, run: run, stream: stream,
        unit: unit, plan: plan, carried: carried, asked: asked, signal: signal
      ).walk()
    case .whole:
      result = try await walkWhole(unit, stream, carried: carried, asked: asked, &ending)
    }
    context.recorder.change { $0.units.append(result.facts) }
    ending.note(result)
    return result.facts
  }

  /// Once, and a second time where that proves nothing and a proof is due.
  private func walkWhole(
    _ unit: Unit, _ stream: Stream, carried: [ParameterValue], asked: [String],
    _ ending: inout RunEnding
  ) async throws -> UnitWalk.Result {
    let walk = UnitWalk(
      context: context, planner: planner, store: parts.store, run: run, stream: stream,
      unit: unit, prints: Fingerprinter.fingerprints(of: stream, in: parts.job),
      builder: try StepBuilder(job: parts.job, stream: stream, unit: unit), carried: carried,
      asked: asked, signal: signal, isProofDue: try await planner.wantsProof(unit, stream))
    let first = try await walk.walk()
    guard walk.isProofDue, first.stop == nil, first.facts.requests > 0,
      first.facts.certificate.verdict == .unproven
    else { return first }
    context.recorder.change { $0.units.append(first.facts) }
    ending.note(first)
    context.recorder.story(
      "\(first.facts.listName): one reading proves nothing, so it is read once more.")
    return try await walk.walk()
  }

  /// A stream that is asked for each record of another.
  private func walkChildren(
    _ stream: Stream, _ feed: ParentFeed, _ ending: inout RunEnding
  ) async throws {
    if context.options.isRefill {
      try await parts.store.askAgain(stream.name, of: parts.job.name)
    }
    let values = try await planner.values(of: stream)
    let prints = Fingerprinter.fingerprints(of: stream, in: parts.job)
    try await parts.store.endWaits(stream.name, of: parts.job.name, prints: prints)
    if stream.isAskedInBatches {
      let batches = BatchWalk(
        context: context, store: parts.store, run: run, stream: stream, feed: feed,
        prints: prints, planner: planner,
        values: values, signal: signal)
      if let result = try await batches.walk() {
        context.recorder.change { $0.units.append(result.facts) }
        ending.kinds.formUnion(result.kinds)
        if let stop = result.stop { ending.stop = stop }
      }
      return
    }
    var parents = DueParents(
      stream, of: parts.job.name, run: run, isOfAll: planner.fillsAll(stream), store: parts.store)
    var count = 0
    while planner.takesMore(after: count), ending.stop == nil,
      let due = try await parents.next()
    {
      count += 1
      let lists = planner.children(of: stream, feed, due, values: values)
      try await walk(lists, of: due, stream, &ending)
    }
  }

  /// The lists of one parent.
  private func walk(
    _ lists: [Unit], of due: DueValue, _ stream: Stream, _ ending: inout RunEnding
  ) async throws {
    var missed: UnitFacts?
    var rests = false
    for (index, list) in lists.enumerated() where ending.stop == nil {
      // The last of the parent's lists answers for all of them.
      let asked = index == lists.count - 1 && missed == nil && !rests ? [due.value] : []
      let facts = try await walk(list, stream, carried: due.carried, asked: asked, &ending)
      rests = rests || facts == nil
      switch facts?.certificate.verdict {
      case .failed: missed = facts
      case .absent where missed == nil: missed = facts
      case .incomplete where missed == nil && facts?.certificate.counts.fitsNothing == true:
        missed = facts
      default: break
      }
    }
    guard let missed else {
      // It waits for a backfill, and holds up no round of the others: the next round comes to it again.
      if rests, let when = stream.parent?.when, when == .all || when == .run {
        try await parts.store.markAsked([due.value], stream.name, of: parts.job.name, run: run)
      }
      return
    }
    // One that was passed over without a request waits as long as its list does.
    try await parts.store.markMissed(
      [due.value], stream.name, of: parts.job.name, run: run,
      isAbsent: missed.certificate.verdict != .failed,
      until: missed.requests == 0 ? missed.certificate.goesOnAt : nil)
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

  /// What is shown of the records themselves.
  private func rememberSamples() async throws {
    let samples = try await parts.store.rejects(of: parts.job.name, run: run, limit: 20)
    let count = try await parts.store.rejectCount(job: parts.job.name, run: run)
    let images = try await parts.store.titled(
      context.recorder.snapshot().images.newPaths, of: parts.job.name)
    let changes = try await changes()
    context.recorder.change { facts in
      facts.rejects = samples
      facts.rejectCount = count
      facts.images.newPaths = images
      facts.changes = changes
    }
  }

  /// Of tables with news alone: an hourly run that brought nothing reads no table again.
  private func changes() async throws -> [TableChanges] {
    let facts = context.recorder.snapshot()
    var tables = Set(
      facts.units.filter { $0.counts.new + $0.counts.changed + $0.vanished > 0 }.map(\.table))
    if facts.units.contains(where: { $0.counts.received > 0 }) {
      tables.formUnion(try await parts.store.listTables(of: parts.job.name))
    }
    guard !tables.isEmpty else { return [] }
    return try await parts.store.changes(
      of: parts.job.name, parts.job, since: facts.startedAt, in: tables, most: Self.changesMax,
      withMoving: false)
  }

  /// Records of each kind and table in a report.
  private static let changesMax = 25

  private func finish(_ ending: RunEnding) -> RunFacts {
    var facts = context.recorder.snapshot()
    facts.endedAt = context.time.now()
    facts.duration = context.time.elapsed() - context.requester.startedElapsed
    facts.outcome = ending.outcome(of: facts)
    facts.nextSteps = ending.nextSteps(for: facts)
    return facts
  }
}
