internal import Base
internal import Crawl
internal import Media
internal import Store

/// One job's run from selection to exit code: the only place that puts the real parts together.
struct RunSession: Sendable {
  var session: PlannedSession
  let location: DataLocation
  let context: CommandContext
  let progress: Progress
  let service: ServiceReporter?

  /// How it ended, and its metrics; nil if it did not start.
  struct Outcome: Sendable {
    var status: ExitStatus
    var metrics: RunMetrics?
  }

  private var selection: JobSelection { session.selection }
  private var invocation: Invocation { context.invocation }
  private var console: Console { context.console }
  private var interruption: Interruption? { context.interruption }
  private var time: Timekeeper { context.time }
  private var job: Job { selection.job }

  func run() async -> Outcome {
    do {
      return try await runThrowing()
    } catch {
      let ending =
        ExitReport(error)
        ?? ExitReport(.bug, "\(error)", "this is a bug in Trawl: please report it")
      // Another run has the job or the database: the next one will do.
      if ending.status != .paused || !invocation.has(.quiet) {
        ending.tell(on: console)
      }
      return Outcome(status: ending.status)
    }
  }

  private func runThrowing() async throws -> Outcome {
    let folder = try DataFolder(creating: location.folder)
    try SystemRuns(context: context).refuseReadOnly(folder)
    let lock = try await JobTurn(context: context).take(job.name, in: folder)
    guard let due = await DueRuns(context: context, location: location).still(selection)
    else { return Outcome(status: .complete) }
    var own = self
    own.session.selection = due
    // Until this run has renamed the job, a run under the old name would write to the same tables.
    let former = try await formerLock(in: folder)
    defer { withExtendedLifetime(former) {} }
    // Rebuilding a large table takes longer than the watchdog waits, and reports no events.
    var (outcome, trouble) = try await Workplace.use(
      folder, ledger: location.ledger, due, context, arguments: shownArguments,
      faults: context.faults, onWork: { [service] in service?.progress() }
    ) { [own] place in
      await place.store.hold(lock)
      return try await own.work(place, folder)
    }
    if let trouble {
      trouble.tell(on: console)
      outcome.status = ExitStatus.worst(of: [outcome.status, trouble.status])
    }
    return outcome
  }

  private func formerLock(in folder: DataFolder) async throws -> JobLock? {
    guard let was = job.was, JobLock.jobs(in: folder).contains(was) else { return nil }
    return try await JobTurn(context: context).take(was, in: folder)
  }

  /// Renamed twice without a run in between: the data would silently be left behind.
  private func refuseOlderName(_ store: RecordStore) async throws {
    guard let was = job.was else { return }
    let known = try await store.jobs().map(\.job)
    guard !known.contains(job.name), !known.contains(was),
      // A missing or invalid job file says nothing.
      let former = try? JobSelection.load(was, context.environment),
      let older = former.was, known.contains(older)
    else { return }
    throw ExitReport(
      .configuration,
      "the job \(job.name) says that it was called \(was), which has not run here; but \(was) says that it was"
        + " called \(older), and that has",
      "to go on with it: write was: \"\(older)\" in the file of \(job.name), or run \(was) first")
  }

  /// A recording must not be older than what later runs have stored.
  private func refuseOldAnswers(_ store: RecordStore, _ folder: DataFolder) async throws {
    guard let recording = selection.recording,
      let later = try await store.lastRun(of: job.name, after: recording.head.at)
    else { return }
    throw ExitReport(
      .usage,
      "\(job.name) has run in \(folder.path) since this recording was made (run \(later)): old answers would "
        + "take the place of newer ones; nothing was changed",
      "name another folder with --data DIR: a new one, or a copy of this one as it was before that run"
    )
  }

  private func work(_ place: Workplace, _ folder: DataFolder) async throws -> Outcome {
    let store = place.store
    try await refuseOlderName(store)
    try await refuseOldAnswers(store, folder)
    let migrations = try await store.adopt(
      job, context.environment, hasMoved: invocation.has(.moved))
    for line in migrations { console.tell("\(job.name): \(line)", .notice) }
    try await store.note(file: KnownFiles.note(job, context.environment), of: job.name)
    try await store.noteBeginning(of: job.name)
    if let was = job.was { ReportFolder.takeOver(from: was, to: job.name, in: folder) }
    if invocation.has(.retryRejects) {
      return try await retryRejects(store)
    }
    let goals = GoalKeeping(session: session, context: context)
    let goal = try await goals.begin(store)
    if case .covered = goal { return Outcome(status: .complete) }
    try await refuseIdle(store)
    let content = try ContentStore(
      dataFolder: folder.path, for: .writing, fault: context.faults, keeper: context.images)
    var facts = try await walk(place, content, migrations)
    // The outcome is reported even if the report file cannot be written.
    var statuses = facts.outcome.kinds.map { ExitStatus($0) }
    var behind: [ExitReport] = []
    try await attempt(&behind, of: facts.outcome) {
      try await Retention(
        context: context, job: job, folder: folder, store: store, content: content
      ).perform(&facts)
    }
    try await attempt(&behind, of: facts.outcome) {
      if try await store.hasForgotten(of: job.name, since: facts.startedAt) {
        facts.leaveOutSamples()
      }
    }
    try await attempt(&behind, of: facts.outcome) {
      statuses += try await watch(&facts, store, folder)
    }
    var lastSuccess: Instant?
    try await attempt(&behind, of: facts.outcome) {
      try await goals.end(goal, facts, store)
      lastSuccess = try await store.lastSuccess(of: job.name)?.endedAt
      try await store.checkPlace()
    }
    if ExitStatus.worst(of: statuses + behind.map(\.status)) == .complete {
      try await attempt(&behind, of: facts.outcome) { try await publish(folder) }
    }
    var finished = await noted(behind, facts, store)
    var path: String?
    let count = behind.count
    try await attempt(&behind, of: facts.outcome) {
      path = try ReportFolder(folder: folder, keep: invocation.count(.keep) ?? 100).write(finished)
      try await IndexGathering(context: context, location: location).write(store)
    }
    if behind.count > count { finished = await noted(behind, facts, store) }
    var shown = path
    if let bucket = context.bucket {
      // No report may claim what the bucket does not keep.
      do { try await bucket.keep() } catch {
        if let path { ReportFolder.remove(path) }
        if let ending = ExitReport(error) {
          finished.outcome.sentence = ending.description
          finished.units = []
          await tellHooks(finished, ending.status, folder, nil, place)
        }
        throw error
      }
      let isThere = await bucket.putsReports()
      shown = path.flatMap {
        isThere ? "\(bucket.place.shown)\($0.dropFirst(folder.path.utf8.count))" : nil
      }
    }
    progress.drain()
    RunSummary(context: context, facts: finished, folder: folder, report: shown).tell()
    tellKeyKept(facts)
    let status = ExitStatus.worst(of: statuses + behind.map(\.status))
    await tellHooks(finished, status, folder, path, place)
    let metrics = RunMetrics(facts: facts, exitCode: Int(status.code), lastSuccess: lastSuccess)
    return Outcome(status: status, metrics: metrics)
  }

  /// An answer to a request without a key says nothing about the key.
  private func tellKeyKept(_ facts: RunFacts) {
    let origin = job.base.origin
    guard facts.outcome.kinds.contains(.secret), selection.credential == nil,
      selection.recording == nil, origin.isLoopback
    else { return }
    console.tell(
      "\(job.name): no key was sent to \(origin), this machine itself; to send it: --send-key-to \(origin)",
      .notice)
  }

  /// `--retry-rejects`: maps rejects again by the current job file; requests nothing.
  private func retryRejects(_ store: RecordStore) async throws -> Outcome {
    let run = try await store.beginRun(
      job: job.name, command: "run", arguments: ["--retry-rejects"])
    let result = try await store.retryRejects(job: job.name, run: run)
    let fitted = Wording.count(result.fitted, "reject fits", "rejects fit")
    let left = Wording.count(result.left, "is", "are")
    let gone = result.gone == 0 ? "" : ", \(result.gone) of records that have left their lists"
    let sentence = "\(fitted) now, \(left) left\(gone); nothing was requested"
    try await store.endRun(run, outcome: sentence, exitCode: Int(ExitStatus.complete.code))
    console.tell("\(job.name): \(sentence)")
    if result.left > 0 {
      if job.streams.contains(where: { !$0.children.isEmpty }) {
        console.tell("to read nested lists again: trawl run \(job.name)")
      }
      console.tell(
        "what is left says why: SELECT path, reason, raw FROM trawl_rejects WHERE job = '\(job.name)'"
      )
    }
    return Outcome(status: .complete)
  }

  /// Writes the readers' copy, if the job wants one. Waits for another job that is writing it, which may lack what this
  /// run stored.
  private func publish(_ folder: DataFolder) async throws {
    guard let target = job.publish else { return }
    // Neither may a copy show what the bucket does not keep.
    try await context.bucket?.keep()
    let file = ReadersFile(
      context: context, folder: folder,
      path: target.hasPrefix("/") ? target : "\(folder.path)/\(target)")
    for tries in 1... {
      do {
        _ = try await file.write()
        return
      } catch let error as StoreError where error.kind == .busy && tries < Self.publishTriesMax {
        try await context.time.sleep(JobTurn.interval)
      }
    }
  }

  private static let publishTriesMax = 240

  /// Runs the watched queries after the lists. A broken one changes the exit code once, and no verdict.
  private func watch(
    _ facts: inout RunFacts, _ store: RecordStore, _ folder: DataFolder
  ) async throws -> [ExitStatus] {
    guard !invocation.has(.replay), facts.outcome.mayBeWatched else { return [] }
    let found = try await WatchRun(context: context, folder: folder, job: job, store: store)
      .perform()
    facts.watches = found.facts
    let isBroken = found.facts.contains { $0.problem != nil }
    try await store.note([.watch: isBroken], of: job.name)
    facts.take(
      isBroken ? steps(of: facts, others: [.init(.watch, since: nil)]) : [], insteadOf: .watch)
    for watch in found.facts {
      guard let problem = watch.problem else { continue }
      let warning = "the watch \(watch.name): \(problem)"
      facts.warnings.append(warning)
      // It is a new problem and changes the exit code: show why.
      if found.inNewTrouble.contains(watch.name) { context.console.warn("\(job.name): \(warning)") }
    }
    guard !found.inNewTrouble.isEmpty else { return [] }
    let worst = ExitStatus.worst(of: facts.outcome.kinds.map { ExitStatus($0) } + [.less])
    try await store.amend(run: facts.run, of: job.name, exitCode: Int(worst.code))
    return [.less]
  }

  private func tellHooks(
    _ facts: RunFacts, _ status: ExitStatus, _ folder: DataFolder, _ path: String?,
    _ place: Workplace
  ) async {
    guard !invocation.has(.replay) else { return }
    let hooks = RunHooks(
      job: job, facts: facts, status: status, folder: folder, store: place.store,
      report: path, exchange: place.seams.exchange)
    for problem in await hooks.perform() {
      console.tell("\(job.name): \(problem)", .warning)
    }
  }

  /// Refuses a run that lacks a value for all its requests, or names only streams of which nothing would be requested;
  /// if others would be, only mentions these.
  private func refuseIdle(_ store: RecordStore) async throws {
    let options = selection.options
    guard invocation.command == .run else { return }
    let lists = ListPlanner(job: job, options: options)
    if !lists.lacking.isEmpty,
      try await Plan(job: job, options: options, store: store, time: time).lists.isEmpty
    {
      let names = Set(lists.lacking.flatMap(\.self))
      throw ExitReport(
        .usage,
        lines: ["\(job.name) needs a value: \(lists.lineForLacking)"]
          + job.parameters.filter { names.contains($0.name) && !$0.about.isEmpty }
          .map { "\($0.name): \($0.about)" })
    }
    if options.streams.isEmpty, options.values.isEmpty { return }
    let idle = try await Plan.idle(job: job, options: options, store: store, time: time)
      .filter { stream, _ in
        !options.streams.isEmpty || stream.holes.contains { options.values[$0] != nil }
      }
    let lines = idle.map { "the stream \($0.stream.name) of \(job.name) is \($0.needs)" }
    guard
      options.streams.isEmpty
        || options.streams.contains(where: { name in
          !idle.contains { $0.stream.name == name }
        })
    else {
      throw ExitReport(.usage, lines: ["nothing of \(job.name) would be requested"] + lines)
    }
    for line in lines { console.tell("\(line)", .notice) }
  }

  /// What comes after the run itself: what goes wrong is reported, and the rest goes on.
  private func attempt(
    _ behind: inout [ExitReport], of ended: RunOutcome, _ body: () async throws -> Void
  ) async throws {
    do { try await body() } catch {
      guard let ending = ExitReport(error) else { throw error }
      if !ended.says(ending) { ending.tell(on: console) }
      behind.append(ending)
    }
  }

  /// Errors after a run belong to its outcome, and an unwritable file is a trouble of the job until a run has none. The
  /// lists were read: their exit code stays, and the run counts as the job's turn.
  private func noted(
    _ behind: [ExitReport], _ facts: RunFacts, _ store: RecordStore
  ) async -> RunFacts {
    var facts = facts
    let kinds = Set(behind.compactMap(\.status.kind))
    let ofFiles: Set<RunOutcome.Kind> = [.cannotWrite, .cannotCreate]
    // If the database cannot be written either, that has ended the run and is reported.
    try? await store.note([.folder: !kinds.isDisjoint(with: ofFiles)], of: job.name)
    let isOwn = !facts.outcome.kinds.isDisjoint(with: ofFiles)
    facts.take(steps(of: facts, kinds), insteadOf: isOwn ? nil : .folder)
    guard let first = behind.first else { return facts }
    facts.outcome.kinds.formUnion(kinds)
    if !facts.outcome.says(first) { facts.outcome.sentence += "; but \(first.lines[0])" }
    // As above.
    try? await store.amend(run: facts.run, of: job.name, outcome: facts.outcome.sentence)
    return facts
  }

  private func steps(
    of facts: RunFacts, _ kinds: Set<RunOutcome.Kind> = [], others: [NextSteps.Other] = []
  ) -> [NextStep] {
    NextSteps(job: job.word, command: facts.command, kinds: kinds, lists: [], others: others).all
  }

  private func walk(
    _ place: Workplace, _ content: ContentStore, _ migrations: [String]
  ) async throws -> RunFacts {
    var options = selection.options
    options.arguments = shownArguments
    let bucket = context.bucket
    var parts = RunParts(
      job: job, options: options,
      exchange: RunExchange(inner: place.seams.exchange, bucket: bucket, service: service),
      time: place.seams.time, store: place.store, ledger: place.ledger, content: content,
      credential: selection.credential, account: selection.account,
      faults: context.faults,
      isInterrupted: { [interruption] in interruption?.isAsked ?? false },
      tell: { [context, progress, service, job, time] event in
        let now = time.now()
        let show = { @Sendable in
          progress.receive(event, of: job.name, at: now)
          service?.receive(event, of: job.name, at: now)
        }
        switch event {
        case .unitConcluded, .runConcluded: context.tellDone(show)
        default: show()
        }
      },
      migrations: migrations, note: selection.note, keySource: selection.keySource,
      exitCode: { Int(ExitStatus.worst(of: $0.kinds.map { ExitStatus($0) }).code) })
    if let bucket { parts.lapse = { bucket.lapse } }
    if let interruption { parts.asked = { _ = await interruption.asked() } }
    return try await JobRun(parts).execute()
  }

  /// The command line without possible secrets: only options that have none.
  private var shownArguments: [String] {
    invocation.operands
      + invocation.settings.flatMap { setting in
        setting.values.map { "--set \(setting.name)=\($0)" }
      } + selection.options.streams.map { "--stream \($0)" }
  }
}

extension RunFacts {
  /// Adds steps found after the lists; they replace those of `trouble`, known from an earlier run.
  fileprivate mutating func take(_ steps: [NextStep], insteadOf trouble: Trouble?) {
    let others = nextSteps.filter {
      (trouble == nil || $0.trouble != trouble) && !steps.contains($0)
    }
    nextSteps =
      (steps + others).filter(\.needsPerson) + (steps + others).filter { !$0.needsPerson }
  }
}

extension RunOutcome {
  /// It has ended for the same reason.
  fileprivate func says(_ ending: ExitReport) -> Bool { sentence.holds(ending.lines[0]) }
}
