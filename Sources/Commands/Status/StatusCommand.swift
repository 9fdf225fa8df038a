internal import Jobs
internal import Model
internal import Store

/// `trawl status [JOB...]`: all jobs on one screen, or all that is known of some.
struct StatusCommand: Sendable {
  let context: CommandContext

  private var isJSON: Bool { context.invocation.has(.json) }

  func perform() async throws -> ExitStatus {
    let location = try context.locationForReading()
    let names = try context.invocation.operands.map { try jobName($0) }
    let store = try await context.storeForReading(location)
    let stored = try await store?.overview(of: nil) ?? []
    try refuseUnknown(names, beside: stored.map(\.job))
    let wanted = stored.filter { names.isEmpty || names.contains($0.job) }
    var jobs: [JobStatus] = []
    for overview in wanted {
      guard let store else { continue }
      jobs.append(try await status(overview, location, store))
    }
    await store?.close()
    let unrun = names.filter { name in !wanted.contains { $0.job == name } }
    if store == nil {
      context.console.tell(
        "there is no database in \(location.folder) yet: trawl run \(names.first ?? "JOB") makes it"
      )
    } else {
      for name in unrun {
        context.console.tell(
          "there is nothing of the job \(name) in \(location.folder) yet: trawl run \(name)")
      }
    }
    jobs += await neverRan(beside: stored.map(\.job), names, location)
    jobs.sort {
      let (one, other) = (JobStanding(of: $0), JobStanding(of: $1))
      return one == other ? $0.overview.job < $1.overview.job : one < other
    }
    show(jobs, isDetailed: !names.isEmpty, in: location)
    let isUnread = wanted.isEmpty || !unrun.isEmpty
    let isLate = isUnread && context.invocation.duration(.maxAge) != nil
    return isLate || jobs.contains { !$0.late.isEmpty } ? .found : .complete
  }

  private func show(_ jobs: [JobStatus], isDetailed: Bool, in location: DataLocation) {
    let console = context.console
    if isJSON {
      for job in jobs { console.printJSON(StatusJSON.document(job)) }
    } else {
      if jobs.contains(where: \.isStored) {
        console.print("\("database", .bold)  \(location.folder)/trawl.db")
      }
      if isDetailed {
        for (index, job) in jobs.enumerated() {
          if index > 0 { console.print("") }
          StatusText(context: context).print(job)
        }
      } else if !jobs.isEmpty {
        StatusTable(context: context).print(jobs)
      }
      for job in jobs where !job.older.isEmpty { tell(older: job) }
    }
    for job in jobs { for list in job.late { tell(late: list, of: job.overview.job) } }
  }

  /// A job of one's own may be named by its file.
  private func jobName(_ word: String) throws(ExitReport) -> String {
    JobLibrary.isPath(word) ? try JobSelection.load(word, context.environment).name : word
  }

  private var library: JobLibrary {
    JobLibrary { [environment = context.environment] in environment($0) }
  }

  /// A slip in a name is no job that has not run yet.
  private func refuseUnknown(_ names: [String], beside stored: [String]) throws(ExitReport) {
    let found = library.names
    let known = found + stored.filter { !found.contains($0) }
    for (name, word) in zip(names, context.invocation.operands)
    where !JobLibrary.isPath(word) && !known.contains(name) {
      throw ExitReport(
        .usage, "there is no job \"\(name)\"" + Suggestion.clauseOrList(for: name, in: known))
    }
  }

  private func status(
    _ overview: JobOverview, _ location: DataLocation, _ store: RecordStore
  ) async throws -> JobStatus {
    let folder = try DataFolder(existing: location.folder)
    var status = JobStatus(overview, runner: JobLock.runner(of: overview.job, in: folder))
    let clock = try await clock(for: overview.job, store)
    let now = clock.now
    let most = context.invocation.duration(.maxAge)
    let isWhole = isJSON || !context.invocation.operands.isEmpty
    var job: Job?
    do {
      job = try JobSelection.load(overview.job, context.environment)
    } catch {
      // A job that was run from a path is not found by its name; a broken file is for `check`.
      await status.readQuotas(location.ledger, now: now)
    }
    if let job {
      await status.compare(
        with: job, environment: context.environment, ledger: location.ledger, now: now)
      if isWhole || most != nil { try await status.count(due: job, store, clock.timekeeper) }
      if isWhole { try await status.chart(job, store, now: now) }
    }
    if let most { status.judgeAge(most, now: now) }
    return status
  }

  /// Jobs that ship, or that somebody has written, and that have not run here.
  private func neverRan(
    beside stored: [String], _ names: [String], _ location: DataLocation
  ) async -> [JobStatus] {
    let words = names.isEmpty ? library.names : context.invocation.operands
    var jobs: [JobStatus] = []
    for word in words {
      // A file that is broken or gone is for `check`.
      guard let job = try? JobSelection.load(word, context.environment),
        !stored.contains(job.name), !jobs.contains(where: { $0.overview.job == job.name })
      else { continue }
      var status = JobStatus(neverRan: job)
      await status.compare(
        with: job, environment: context.environment, ledger: location.ledger,
        now: context.time.now())
      jobs.append(status)
    }
    return jobs
  }

  /// Nothing is requested, so no answer tells the time: it is what the next run of the job would begin by.
  private func clock(for job: String, _ store: RecordStore) async throws -> RunClock {
    let clock = RunClock(context.time, memory: try await store.clockMemory(of: job))
    await store.follow(clock.timekeeper)
    let shift = clock.shift
    if shift != .zero {
      let way = shift < .zero ? "ahead of" : "behind"
      let span = Wording.span(shift < .zero ? .zero - shift : shift)
      context.console.warn(
        """
        \(job): this machine's clock is \(span) \(way) what the last answers told; ages are counted by \
        those: set the clock
        """)
    }
    return clock
  }

  private func tell(late list: ListOverview, of job: String) {
    let since = list.lastGoodEnd.map { "its last complete end was \(context.clock($0))" }
    context.console.warn(
      "\(job): \(list.listName) is late: \(since ?? "it has not been complete yet")")
  }

  private func tell(older job: JobStatus) {
    let name = job.overview.job
    let lists = job.older.map(\.listName)
    let what = lists.count == 1 ? lists[0] : Wording.count(lists.count, "list")
    context.console.warn(
      "\(name): \(what): rows were filled by an older form of the job file; to read them again: trawl run \(name) --refill"
    )
  }
}
