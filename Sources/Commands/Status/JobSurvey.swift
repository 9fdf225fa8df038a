internal import Base
internal import Crawl
internal import Jobs
internal import Store

/// Gathers the state of jobs for `trawl status`, the index of reports and alerts.
struct JobSurvey: Sendable {
  let context: CommandContext
  let location: DataLocation
  /// Includes coverage, what is due, and whether the file has changed.
  var isWhole = false

  /// For many jobs: opens the ledger once.
  func statuses(_ overviews: [JobOverview], _ store: RecordStore) async throws -> [JobStatus] {
    let folder = try DataFolder(existing: location.folder)
    var statuses: [JobStatus] = []
    for overview in overviews {
      var status = JobStatus(
        overview: overview, runner: JobLock.runner(of: overview.job, in: folder),
        holder: context.holder)
      try await read(&status, store)
      statuses.append(status)
    }
    await readQuotas(&statuses)
    return statuses
  }

  /// Looks up the quotas of all jobs together.
  @inline(never)
  private func readQuotas(_ statuses: inout [JobStatus]) async {
    let (ledger, now) = (location.ledger, context.time.now())
    for at in statuses.indices where statuses[at].job == nil && statuses[at].isStored {
      await statuses[at].readQuotas(ofOriginIn: ledger, now: now)
    }
    let asks = statuses.flatMap(\.asks)
    guard !asks.isEmpty else { return }
    do {
      var rest = try await LedgerReading.left(in: asks, file: ledger, now: now)[...]
      for at in statuses.indices where !statuses[at].asks.isEmpty {
        let count = statuses[at].asks.count
        // cut: what follows is of the next jobs
        statuses[at].quotas = rest.prefix(count).filter(\.isTold)
        rest = rest.dropFirst(count)
      }
    } catch {
      for at in statuses.indices where !statuses[at].asks.isEmpty {
        statuses[at].note(ledger: error)
      }
    }
  }

  /// Everything except quotas.
  @inline(never)
  private func read(_ status: inout JobStatus, _ store: RecordStore) async throws {
    let overview = status.overview
    let now = context.time.now()
    var job: Job?
    do { job = try KnownFiles.found(overview.job, overview.file, context.environment) } catch {
      status.fileProblem = error
    }
    if let job { status.compare(with: job, environment: context.environment, now: now) }
    status.telling = Telling(overview, job, now: now)
    if isWhole {
      let library = context.environment.library
      if !library.has(overview.job), let file = overview.file {
        status.isFileChanged = KnownFiles.isChanged(file, library)
      }
      status.generations = try await store.generations(of: overview.job)
      status.pictures = try await store.pictureStanding(of: overview.job)
      if let job {
        try await status.count(due: job, store, context.time)
        try await status.chart(job, store, now: now)
      }
    }
    status.late = late(status)
    // What is due is counted only for jobs that seem late: it excuses lists that rest.
    if !isWhole, let job, status.telling?.mayRest(status.late) == true {
      try await status.count(due: job, store, context.time)
      status.late = late(status)
    }
  }

  private func late(_ status: JobStatus) -> [ListOverview] {
    let (most, isJudged) = (context.invocation.duration(.maxAge), context.invocation.has(.maxAge))
    return status.telling?.old(over: most, isOnTimer: isJudged) ?? []
  }

  /// Shipped jobs and the user's that have not run here.
  func neverRan(_ words: [String], beside stored: [String]) async -> [JobStatus] {
    var jobs: [JobStatus] = []
    let known = Set(stored)
    // A name finds only the job of that name.
    for word in words where JobLibrary.isPath(word) || !known.contains(word) {
      do throws(ExitReport) {
        guard let job = try KnownFiles.job(word, context.environment.library),
          !known.contains(job.name), !jobs.contains(where: { $0.overview.job == job.name })
        else { continue }
        let overview = JobOverview(neverRan: job.name, origin: job.base.origin.description)
        var status = JobStatus(overview: overview, isStored: false)
        status.compare(with: job, environment: context.environment, now: context.time.now())
        jobs.append(status)
      } catch {
        if known.contains(word) { continue }
        let overview = JobOverview(neverRan: word, origin: "")
        jobs.append(JobStatus(overview: overview, fileProblem: error, isStored: false))
      }
    }
    await readQuotas(&jobs)
    return jobs
  }
}

extension StoredRun {
  /// Nil: it has not ended, or its row is damaged.
  var exit: ExitStatus? { ExitStatus.allCases.first { Int($0.code) == exitCode } }
}

extension JobStatus {
  /// `needs --set tag=TAG`; nil: something can be requested.
  var needs: String? {
    job.flatMap { job in
      let lists = ListPlanner(job: job, options: CrawlOptions())
      return lists.lacking.isEmpty ? nil : "needs a value: \(lists.lineForLacking)"
    }
  }

  var every: Duration? { job?.every }
  var dueAt: Instant? { every.flatMap { every in overview.lastTurn.map { $0 + every } } }

  var nextSteps: [NextStep] {
    guard runner == nil else { return [] }
    if fileProblem != nil { return nextSteps(after: nil) }
    guard let run = overview.lastRun else { return [] }
    return nextSteps(after: run.exit)
  }

  /// - Parameter exit: of the last run; nil: it was cut off.
  func nextSteps(after exit: ExitStatus?) -> [NextStep] {
    if fileProblem != nil {
      return [
        NextStep(
          "Its job file cannot be used, so that no run of it can begin; to see what is wrong",
          command: "trawl check \(overview.job)", needsPerson: true)
      ]
    }
    var kinds: Set<RunOutcome.Kind> = [exit?.kind ?? .interrupted]
    if let damage = ledgerDamage?.status.kind { kinds.insert(damage) }
    return telling?.steps(kinds) ?? []
  }

  /// When the first paused list resumes by itself.
  func resumption(after now: Instant) -> Instant? {
    overview.lists.filter { $0.verdict == "paused" }.compactMap(\.goesOnAt).filter { $0 > now }
      .min()
  }

  /// A list is less than before, or nothing is known of it.
  var isLess: Bool { telling.map { !$0.less.isEmpty || $0.isUnread } ?? false }
}
