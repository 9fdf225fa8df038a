internal import Base
internal import Jobs
internal import Store

/// `trawl status [JOB...]`: all jobs on one screen, or some in full.
struct StatusCommand: Sendable {
  let context: CommandContext

  private var isJSON: Bool { context.invocation.has(.json) }

  func perform() async throws -> ExitStatus {
    let location = try context.locationForReading()
    let names = try context.jobNames()
    if context.invocation.has(.alert) {
      guard names.count == 1 else { throw ExitReport(.usage, "--alert is about one job: name it") }
      return try await JobAlert(context: context, location: location, job: names[0]).perform()
    }
    let store = try await context.storeForReading(location)
    let stored = try await store?.overview(of: nil) ?? []
    try context.refuseUnknown(context.invocation.operands, beside: stored.map(\.job))
    let wanted = stored.filter { names.isEmpty || names.contains($0.job) }
    let survey = JobSurvey(
      context: context, location: location, isWhole: isJSON || !names.isEmpty)
    var jobs: [JobStatus] = []
    if let store { jobs = try await survey.statuses(wanted, store) }
    await store?.close()
    let files = await survey.neverRan(
      names.isEmpty ? context.environment.library.names : context.invocation.operands,
      beside: stored.map(\.job))
    jobs += files
    let unrun = names.filter { name in !wanted.contains { $0.job == name } }
    if store == nil {
      context.console.tell(
        "there is no database in \(location.folder) yet: trawl run \(names.first ?? "JOB") makes it"
      )
    } else if stored.isEmpty, names.isEmpty {
      context.console.tell("there is nothing in \(location.folder) yet: trawl run JOB")
    } else {
      for name in unrun
      where !files.contains(where: { $0.overview.job == name && $0.fileProblem != nil }) {
        context.console.tell(
          "there is nothing of the job \(name) in \(location.folder) yet: trawl run \(name)")
      }
    }
    show(jobs.map(JudgedJob.init).worstFirst, isDetailed: !names.isEmpty, in: location)
    let isUnread = wanted.isEmpty || !unrun.isEmpty
    let isJudged = context.invocation.has(.maxAge)
    return isJudged && (isUnread || jobs.contains { !$0.late.isEmpty }) ? .found : .complete
  }

  private func show(_ judged: [JudgedJob], isDetailed: Bool, in location: DataLocation) {
    let (console, jobs) = (context.console, judged.map(\.status))
    if isJSON {
      for job in judged { console.printJSON(StatusJSON.document(job, console)) }
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
        StatusTable(context: context).print(judged)
      }
      for job in jobs where !job.older.isEmpty { tell(older: job) }
    }
    for job in jobs where context.invocation.has(.maxAge) {
      for list in job.late { tell(late: list, of: job.overview.job) }
    }
  }

  private func tell(late list: ListOverview, of job: String) {
    let since = list.lastGoodEnd.map {
      "last good at \(context.clock($0))"
    }
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
