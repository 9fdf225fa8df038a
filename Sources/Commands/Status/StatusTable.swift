internal import Base
internal import Store

/// All jobs on one screen: a line for each, worst first.
struct StatusTable {
  let context: CommandContext

  func print(_ jobs: [JobStatus]) {
    let queues = QuotaQueue.all(of: jobs)
    context.console.print(headline(jobs))
    for queue in queues { context.console.print("  \(text(queue))") }
    var rows = AlignedRows(rightAligned: [2])
    rows.add(["job", "state", "rows", "last run", ""].map { ConsoleText($0, .dim) })
    for job in jobs { rows.add(cells(job, queues)) }
    context.console.print(rows)
  }

  /// `38 up to date, 1 failed, 1 paused until 04:10 UTC`.
  private func headline(_ jobs: [JobStatus]) -> ConsoleText {
    var line = ConsoleText()
    for standing in JobStanding.allCases {
      let some = jobs.filter { JobStanding(of: $0) == standing }
      guard !some.isEmpty else { continue }
      if !line.spans.isEmpty { line += ", " }
      line.append("\(Wording.number(some.count)) \(standing.rawValue)", standing.style)
      let ends = some.compactMap { $0.resumption(after: context.time.now()) }
      if standing == .paused, let first = ends.min() {
        line.append(" until \(context.clock(first))")
      }
    }
    return line
  }

  private func text(_ queue: QuotaQueue) -> String {
    let what = queue.quota.isEmpty ? queue.origin : "the quota \(queue.quota) of \(queue.origin)"
    let until = queue.until.map { " until \(context.clock($0))" } ?? ""
    return "\(Wording.count(queue.jobs.count, "job")) wait for \(what)\(until): "
      + Wording.some(queue.jobs, 4)
  }

  private func cells(_ job: JobStatus, _ queues: [QuotaQueue]) -> [ConsoleText] {
    let standing = JobStanding(of: job)
    return [
      ConsoleText(job.overview.job, .bold), ConsoleText(standing.rawValue, standing.style),
      ConsoleText(job.isStored ? Wording.number(job.overview.rows) : ""),
      ConsoleText(age(job.overview.lastRun)), ConsoleText(reason(job, standing, queues)),
    ]
  }

  private func age(_ run: StoredRun?) -> String {
    guard let run else { return "" }
    let age = context.time.now() - (run.endedAt ?? run.beganAt)
    return age < .seconds(60) ? "just now" : "\(Wording.rough(age)) ago"
  }

  /// What to know of it, in a few words: the terminal cuts the end.
  private func reason(_ job: JobStatus, _ standing: JobStanding, _ queues: [QuotaQueue]) -> String {
    let overview = job.overview
    switch standing {
    case .broken: return job.fileProblem?.sentence ?? ""
    case .idle: return job.needs ?? ""
    case .neverRan: return job.job?.about ?? "it has not run yet"
    case .running: return job.runner.map { $0 > 0 ? "process \($0)" : "" } ?? ""
    case .cutOff: return "by a kill or a power cut; the next run resumes after it"
    case .late: return late(job)
    case .paused:
      if queues.contains(where: { $0.jobs.contains(overview.job) }) { return "for the quota above" }
      let why =
        overview.lists.first { $0.verdict == "paused" }?.why ?? overview.lastRun?.outcome ?? ""
      return job.resumption(after: context.time.now()).map { "until \(context.clock($0)); \(why)" }
        ?? why
    case .failed:
      return job.nextSteps.first?.inFolder(context.invocation.text(.data)).sentence ?? overview
        .lastRun?.outcome ?? "it came to no outcome"
    case .unreachable: return overview.lastRun?.outcome ?? ""
    case .incomplete:
      return worst(job, ["void", "incomplete"]) ?? overview.lastRun?.outcome ?? ""
    case .upToDate: return lists(job)
    }
  }

  private func worst(_ job: JobStatus, _ verdicts: [String]) -> String? {
    let found = verdicts.lazy.compactMap { verdict in
      job.overview.lists.first { $0.verdict == verdict }
    }.first
    return found.map { "\($0.listName): \($0.why)" }
  }

  private func late(_ job: JobStatus) -> String {
    guard let list = job.late.first else { return "" }
    let since = list.lastGoodEnd.map { "since \(context.clock($0))" } ?? "never complete yet"
    return "\(list.listName): \(since)"
  }

  /// `2 lists complete, 1 unproven; 3 images still to fetch`.
  private func lists(_ job: JobStatus) -> String {
    let lists = job.overview.lists
    var order: [String] = []
    for list in lists where !order.contains(list.verdict) { order.append(list.verdict) }
    var parts = order.enumerated().map { index, verdict in
      let count = lists.count { $0.verdict == verdict }
      return index == 0
        ? "\(Wording.count(count, "list")) \(verdict)" : "\(Wording.number(count)) \(verdict)"
    }
    if job.overview.imagesPending > 0 {
      parts.append("\(Wording.count(job.overview.imagesPending, "image")) still to fetch")
    }
    if job.overview.openGoals > 0 {
      parts.append(Wording.count(job.overview.openGoals, "open goal"))
    }
    return parts.isEmpty ? "no list has been read yet" : parts.joined(separator: ", ")
  }
}
