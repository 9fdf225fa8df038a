internal import Base
internal import Jobs
internal import Store

/// Gathers how jobs stand, for `trawl status`, for the index of reports and for alerts.
struct JobSurvey: Sendable {
  let context: CommandContext
  let location: DataLocation
  /// `--max-age`; nil: what a job's `every` asks for.
  var most: Duration?
  /// With maps of what is covered, what is due, and whether its file has changed since.
  var isWhole = false

  func status(_ overview: JobOverview, _ store: RecordStore) async throws -> JobStatus {
    let folder = try DataFolder(existing: location.folder)
    var status = JobStatus(overview, runner: JobLock.runner(of: overview.job, in: folder))
    try await read(&status, store)
    await status.readQuotas(location.ledger, now: context.time.now())
    return status
  }

  /// Of many jobs: the ledger is opened once, and so is the kernel's table of locks.
  func statuses(_ overviews: [JobOverview], _ store: RecordStore) async throws -> [JobStatus] {
    let folder = try DataFolder(existing: location.folder)
    let runners = JobLock.runners(of: overviews.map(\.job), in: folder)
    var statuses: [JobStatus] = []
    for overview in overviews {
      var status = JobStatus(overview, runner: runners[overview.job])
      try await read(&status, store)
      statuses.append(status)
    }
    await readQuotas(&statuses)
    return statuses
  }

  @inline(never)
  private func readQuotas(_ statuses: inout [JobStatus]) async {
    let now = context.time.now()
    let tellings = await QuotaTelling.each(statuses.map(\.asks), in: location.ledger, now: now)
    for (at, telling) in tellings.enumerated() {
      if statuses[at].job == nil {
        await statuses[at].readQuotas(location.ledger, now: now)
      } else {
        statuses[at].take(telling)
      }
    }
  }

  /// All but what the ledger knows.
  @inline(never)
  private func read(
    _ status: inout JobStatus, _ store: RecordStore
  ) async throws {
    let overview = status.overview
    let now = context.time.now()
    if let since = overview.troubleSince { status.isOldTrouble = now - since >= Nights.patience }
    let job = job(of: overview, &status)
    if let job { status.compare(with: job, environment: context.environment, now: now) }
    if isWhole {
      status.generations = try await store.generations(of: overview.job)
      if let job {
        try await status.count(due: job, store, context.time)
        try await status.chart(job, store, now: now)
      }
    }
    status.lastTurn = overview.lastTurn
    status.noteSilence(at: now)
    judgeAge(&status, now)
    // Only what seems late is asked whether it rests; nothing else shows what is due.
    if !isWhole, !status.late.isEmpty, let job,
      job.streams.contains(where: { [.new, .changed].contains($0.parent?.when) })
    {
      try await status.count(due: job, store, context.time)
      judgeAge(&status, now)
    }
  }

  private func judgeAge(_ status: inout JobStatus, _ now: Instant) {
    if let most {
      status.judgeAge(most, now: now)
    } else if let schedule = status.schedule {
      status.judgeAge(schedule.lateAfter, now: now, asRequestedNow: true)
    }
  }

  /// The job's file as it is now, and whether that is what ran last.
  private func job(of overview: JobOverview, _ status: inout JobStatus) -> Job? {
    let library = context.environment.library
    if isWhole, !library.has(overview.job), let file = overview.file {
      status.isFileChanged = KnownFiles.isChanged(file, library)
    }
    let word = KnownFiles.word(for: overview.job, overview.file, context.environment)
    do {
      let found = try JobFileProblem.job(word, library)
      return found?.name == overview.job ? found : nil
    } catch {
      status.fileProblem = error
      return nil
    }
  }

  /// Jobs that ship, or that somebody has written, and that have not run here.
  func neverRan(_ words: [String], beside stored: [String]) async -> [JobStatus] {
    var jobs: [JobStatus] = []
    let known = Set(stored)
    // A name leads to no job of another name.
    for word in words where JobLibrary.isPath(word) || !known.contains(word) {
      let found: Job?
      do {
        found = try JobFileProblem.job(word, context.environment.library)
      } catch {
        if !known.contains(word) { jobs.append(JobStatus(neverRan: word, error)) }
        continue
      }
      guard let job = found else { continue }
      if known.contains(job.name) || jobs.contains(where: { $0.overview.job == job.name }) {
        continue
      }
      var status = JobStatus(neverRan: job)
      let now = context.time.now()
      status.compare(with: job, environment: context.environment, now: now)
      await status.readQuotas(location.ledger, now: now)
      jobs.append(status)
    }
    return jobs
  }
}

/// What follows from how a job stands.
extension JobStatus {
  /// Several turns passed in which nothing ran to its end, and no limit is the reason: its timer may be
  /// off.
  mutating func noteSilence(at now: Instant) {
    guard let schedule, let lastTurn, !overview.lists.contains(where: { $0.verdict == "paused" })
    else { return }
    if now - lastTurn >= max(schedule.every * 3, schedule.every + Nights.patience) {
      isOldTrouble = true
    }
  }

  var schedule: Schedule? { Schedule(every: job?.every) }
  var dueAt: Instant? { schedule?.dueAt(after: lastTurn) }

  var nextSteps: [NextStep] {
    guard runner == nil else { return [] }
    if fileProblem != nil { return nextSteps(after: nil) }
    guard let run = overview.lastRun else { return [] }
    return nextSteps(after: run.exitCode.flatMap { ExitStatus(rawValue: Int32($0)) })
  }

  /// - Parameter exit: of the last run; nil: it was cut off.
  func nextSteps(after exit: ExitStatus?) -> [NextStep] {
    if let fileProblem { return [fileProblem.step(for: overview.job)] }
    let steps = NextSteps(
      job: overview.job, kinds: [exit?.kind ?? .interrupted],
      lists: overview.lists.compactMap { list in
        Verdict(rawValue: list.verdict).map {
          NextSteps.List(
            name: list.listName, verdict: $0, cause: list.cause.flatMap(Shortfall.init(rawValue:)),
            isAsDeclared: $0.isWhole || exit != .less, resumesAt: list.goesOnAt)
        }
      },
      rejects: exit == .less || overview.lists.contains { $0.cause == Shortfall.rejects.rawValue }
        ? overview.rejects : 0
    ).all
    guard isOldTrouble, !steps.contains(where: \.needsPerson) else { return steps }
    return [
      NextStep(
        "It has not come through for two days; to see what its last run did",
        command: "trawl report \(overview.job) --explain", needsPerson: true)
    ] + steps
  }

  /// The first instant at which a paused list goes on by itself.
  func resumption(after now: Instant) -> Instant? {
    overview.lists.filter { $0.verdict == "paused" }.compactMap(\.goesOnAt).filter { $0 > now }
      .min()
  }

  var needsPerson: Bool { nextSteps.contains(where: \.needsPerson) }
}
