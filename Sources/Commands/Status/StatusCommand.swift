internal import Jobs
internal import Model
internal import Store

/// `trawl status [JOB]`: what is here, whether it may be trusted, and what is left to ask with.
struct StatusCommand: Sendable {
  let context: CommandContext

  func perform() async throws -> ExitStatus {
    let location = try context.locationForReading()
    let most = context.invocation.duration(.maxAge)
    let name = try jobName()
    guard let store = try await context.storeForReading(location) else {
      if let name { try refuseUnknown(name, beside: []) }
      context.console.tell(
        "there is no database in \(location.folder) yet: trawl run \(name ?? "JOB") makes it")
      return most == nil ? .complete : .found
    }
    let overviews = try await store.overview(of: name)
    if let name, overviews.isEmpty {
      try refuseUnknown(name, beside: try await store.overview(of: nil).map(\.job))
    }
    let folder = try DataFolder(existing: location.folder)
    var jobs: [JobStatus] = []
    for overview in overviews {
      jobs.append(try await status(overview, folder, location, most, store))
    }
    await store.close()
    guard !overviews.isEmpty else { return nothing(name, location, isTimed: most != nil) }
    if context.invocation.has(.json) {
      for job in jobs { context.console.printJSON(StatusJSON.document(job)) }
    } else {
      StatusText(context: context).print(jobs, in: folder)
    }
    let late = jobs.flatMap { job in job.late.map { (job.overview.job, $0) } }
    for (job, list) in late { tell(late: list, of: job) }
    return late.isEmpty ? .complete : .found
  }

  /// A job of one's own may be named by its file.
  private func jobName() throws(ExitReport) -> String? {
    guard let word = context.invocation.operands.first else { return nil }
    guard JobLibrary.isPath(word) else { return word }
    return try JobSelection.load(word, context.environment).name
  }

  /// A slip in a name is no job that has not run yet.
  private func refuseUnknown(_ name: String, beside stored: [String]) throws(ExitReport) {
    let environment = context.environment
    let library = JobLibrary(environment: { environment($0) }).names
    let known = library + stored.filter { !library.contains($0) }
    if JobLibrary.isPath(context.invocation.operands[0]) || known.contains(name) { return }
    throw ExitReport(
      .usage, "there is no job \"\(name)\"" + Suggestion.clauseOrList(for: name, in: known))
  }

  private func nothing(
    _ name: String?, _ location: DataLocation, isTimed: Bool
  ) -> ExitStatus {
    let what = name.map { "of the job \($0) " } ?? ""
    context.console.tell(
      "there is nothing \(what)in \(location.folder) yet: trawl run \(name ?? "JOB")")
    return isTimed ? .found : .complete
  }

  private func status(
    _ overview: JobOverview, _ folder: DataFolder, _ location: DataLocation, _ most: Duration?,
    _ store: RecordStore
  ) async throws -> JobStatus {
    var status = JobStatus(overview, runner: JobLock.runner(of: overview.job, in: folder))
    let now = context.time.now()
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
      try await status.chart(job, store, context.time)
    }
    if let most { status.judgeAge(most, now: now) }
    return status
  }

  private func tell(late list: ListOverview, of job: String) {
    let since = list.lastGoodEnd.map { "its last complete end was \(context.clock($0))" }
    context.console.warn(
      "\(job): \(list.listName) is late: \(since ?? "it has not been complete yet")")
  }
}
