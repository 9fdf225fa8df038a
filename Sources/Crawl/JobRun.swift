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
  let planner: UnitPlanner
  private let signal = PageSignal()

  /// Opens the run in the database. The job's tables must be adopted already.
  public init(_ parts: RunParts) async throws {
    self.parts = parts
    run = try await parts.store.beginRun(
      job: parts.job.name, command: parts.options.command, arguments: parts.options.arguments)
    let rules = try BucketRules(
      job: parts.job, account: parts.account, hasKey: parts.credential != nil)
    let facts = RunFacts(
      run: run.name, job: parts.job.name, command: parts.options.command,
      arguments: parts.options.arguments, origin: parts.job.base.origin.description,
      startedAt: parts.time.now())
    context = RunContext(
      job: parts.job, options: parts.options, exchange: parts.exchange, time: parts.time,
      quotas: Quotas(
        ledger: parts.ledger, rules: rules,
        spender: parts.options.reserve.map { .backfill(reserve: $0) } ?? .timer),
      breaker: HostBreaker(
        parts.ledger, host: parts.job.base.origin.description,
        failuresMax: parts.options.breakerMax),
      credential: parts.credential, recorder: RunRecorder(facts, tell: parts.tell),
      isInterrupted: parts.isInterrupted, startedAt: parts.time.now(),
      startedElapsed: parts.time.elapsed())
    planner = UnitPlanner(job: parts.job, options: parts.options)
  }

  public func execute() async -> RunFacts {
    let recorder = context.recorder
    for line in parts.migrations { recorder.change { $0.migrations.append(line) } }
    recorder.event(.runStarted(run: run.name, job: parts.job.name, note: parts.note))
    var ending = RunEnding()
    do {
      let before = try await quotasNow()
      await HealthCheck(context).run(into: &ending)
      if ending.stop == nil { try await walkAndFetch(&ending) }
      try await rememberQuotas(before: before)
      try await rememberSamples()
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

  /// The walk with images beside it; the walk never waits for them. When a signal comes, requests
  /// in flight get a little time and are then given up: nothing of them was stored.
  private func walkAndFetch(_ ending: inout RunEnding) async throws {
    // Each of the three tasks is awaited or cancelled below, on every path.
    let walking = Task { () -> RunEnding in
      var ending = RunEnding()
      do { try await walkAll(&ending) } catch { ending.note(error) }
      signal.end()
      return ending
    }
    let isOneAtATime = context.options.isOneAtATime
    let images = ImagePass(context, parts).map { pass in
      Task { () -> (any Error)? in
        if isOneAtATime { _ = await walking.value }
        // The walk goes on where the folder of images is broken; that is told at the end.
        if let unprepared = await pass.prepare() { return unprepared }
        return await pass.run(signal)
      }
    }
    let watch = parts.asked.map { asked in
      Task {
        await asked()
        do { try await context.time.sleep(RunParts.interruptionGrace) } catch { return }
        walking.cancel()
        images?.cancel()
      }
    }
    ending = await walking.value
    let failure = await images?.value
    if let failure, !context.isInterrupted() { ending.note(failure) }
    watch?.cancel()
  }

  // MARK: streams

  private func walkAll(_ ending: inout RunEnding) async throws {
    let lengths = try await parts.store.lastLengths(of: parts.job.name)
    for stream in planner.order(lengths: lengths) where planner.isChosen(stream) {
      if ending.stop != nil { return }
      if stream.parent != nil {
        try await walkChildren(stream, &ending)
      } else {
        let values = try await resolved(stream)
        let units = planner.lists(of: stream, values: values)
        for unit in units.prefix(context.options.unitsMax ?? units.count) {
          try await walk(unit, stream, carried: [], asked: [], &ending)
          if ending.stop != nil { return }
        }
      }
    }
  }

  @discardableResult
  private func walk(
    _ unit: Unit, _ stream: Stream, carried: [ParameterValue], asked: [String],
    _ ending: inout RunEnding
  ) async throws -> UnitFacts? {
    let result: UnitWalk.Result
    if let (range, purpose) = try await range(of: unit, stream) {
      result = try await FillWalk(
        context: context, store: parts.store, run: run, stream: stream, unit: unit, range: range,
        purpose: purpose, carried: carried, asked: asked, signal: signal
      ).walk()
    } else {
      // A stream that cannot be asked without a window rests until a backfill has begun it.
      if planner.needsWindow(stream) { return nil }
      result = try await UnitWalk(
        context: context, store: parts.store, run: run, stream: stream, unit: unit,
        prints: Fingerprinter.fingerprints(of: stream, in: parts.job),
        builder: try StepBuilder(job: parts.job, stream: stream, unit: unit), carried: carried,
        asked: asked, signal: signal
      ).walk()
    }
    context.recorder.change { $0.units.append(result.facts) }
    ending.note(result)
    return result.facts
  }

  /// The range of time to walk, where there is one: a person's, else what came since the last
  /// certified end. A list without any such end is walked whole.
  private func range(
    of unit: Unit, _ stream: Stream
  ) async throws -> (TimeWindow, FillWalk.Purpose)? {
    guard stream.window != nil else { return nil }
    if let range = context.options.window { return (range, .backfill) }
    let range = try await planner.sinceLastEnd(
      unit, stream, store: parts.store, now: context.time.now())
    return range.map { ($0, .goOn) }
  }

  /// A stream that is asked for each record of another.
  private func walkChildren(_ stream: Stream, _ ending: inout RunEnding) async throws {
    guard let feed = stream.parent else { return }
    if context.options.isRefill {
      try await parts.store.askAgain(stream.name, of: parts.job.name)
    }
    let values = try await resolved(stream)
    let prints = Fingerprinter.fingerprints(of: stream, in: parts.job)
    try await parts.store.endWaits(stream.name, of: parts.job.name, prints: prints)
    if stream.pager == .single {
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
    for due in try await parts.store.due(
      stream.name, of: parts.job.name, run: run,
      limit: context.options.unitsMax ?? Self.parentsMax)
    {
      let hole = ParameterValue(feed.hole, due.value)
      var missed: UnitFacts?
      let units = planner.lists(of: stream, values: values, extra: [hole] + due.carried)
      for (index, unit) in units.enumerated() {
        // The last of the parent's lists answers for all of them.
        let asked = index == units.count - 1 && missed == nil ? [due.value] : []
        let facts = try await walk(unit, stream, carried: due.carried, asked: asked, &ending)
        switch facts?.certificate.verdict {
        case .failed: missed = facts
        case .absent where missed == nil: missed = facts
        default: break
        }
        if ending.stop != nil { break }
      }
      if let missed {
        // One that was passed over without a request waits as long as its list does.
        try await parts.store.markMissed(
          [due.value], stream.name, of: parts.job.name, run: run,
          isAbsent: missed.certificate.verdict == .absent,
          until: missed.requests == 0 ? missed.certificate.goesOnAt : nil)
      }
      if ending.stop != nil { return }
    }
  }

  /// Parents of one stream in one run.
  private static let parentsMax = 100_000

  /// The values of a stream's holes, with `@stream` replaced by what is stored.
  private func resolved(_ stream: Stream) async throws -> [String: [String]] {
    var values: [String: [String]] = [:]
    for hole in stream.holes {
      var texts: [String] = []
      for given in planner.given[hole] ?? [] {
        switch GivenValue(given) {
        case .text(let text): texts.append(text)
        case .stored(let name, let column):
          texts += try await parts.store.storedValues(of: name, column: column, in: parts.job.name)
        }
      }
      values[hole] = texts
    }
    return values
  }

  // MARK: the facts at the end

  private func quotasNow() async throws -> [String: QuotaLedger.Left] {
    var left: [String: QuotaLedger.Left] = [:]
    for ask in context.quotas.all(at: context.time.now()) {
      left[ask.key.bucket] = try await parts.ledger.left(in: ask)
    }
    return left
  }

  private func rememberQuotas(before: [String: QuotaLedger.Left]) async throws {
    let after = try await quotasNow()
    let quotas = parts.job.buckets.compactMap { bucket -> QuotaFacts? in
      guard let first = before[bucket.name], let last = after[bucket.name] else { return nil }
      return QuotaFacts(
        bucket: bucket.name, allowed: last.allowed, leftBefore: first.left, leftAfter: last.left,
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
    context.recorder.change { facts in
      facts.rejects = samples
      facts.rejectCount = count
      facts.images.newPaths = images
    }
  }

  private func finish(_ ending: RunEnding) -> RunFacts {
    var facts = context.recorder.snapshot()
    facts.endedAt = context.time.now()
    facts.duration = context.time.elapsed() - context.startedElapsed
    facts.outcome = ending.outcome(of: facts)
    facts.nextSteps = ending.nextSteps(for: facts)
    return facts
  }
}
