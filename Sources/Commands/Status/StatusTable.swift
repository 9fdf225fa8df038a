internal import Base
internal import Crawl
internal import Store

/// All jobs on one screen, a line for each, worst first.
struct StatusTable {
  let context: CommandContext

  func print(_ jobs: [JudgedJob]) {
    context.console.print(headline(jobs))
    // Quotas that several jobs wait for are shown once.
    let queues = jobs.quotas.filter { $0.waiting.count > 1 }
    for (quota, waiting) in queues { context.console.print("  \(text(quota, waiting))") }
    var rows = AlignedRows(rightAligned: [2])
    rows.add(["job", "state", "rows", "last run", ""].map { ConsoleText($0, .dim) })
    let queued = Set(queues.flatMap(\.waiting))
    for job in jobs { rows.add(cells(job, isQueued: queued.contains(job.overview.job))) }
    context.console.print(rows)
  }

  /// `38 up to date, 1 failed, 1 paused until 04:10 UTC`.
  private func headline(_ jobs: [JudgedJob]) -> ConsoleText {
    var line = ConsoleText()
    for standing in JobStanding.allCases {
      let some = jobs.filter { $0.standing == standing }
      guard !some.isEmpty else { continue }
      if !line.spans.isEmpty { line += ", " }
      line.append("\(Wording.number(some.count)) \(standing.rawValue)", standing.style)
      let ends = some.compactMap { $0.status.resumption(after: context.time.now()) }
      if standing == .paused, let first = ends.min() {
        line.append(" until \(context.clock(first))")
      }
    }
    return line
  }

  private func text(_ quota: QuotaLedger.Left, _ waiting: [String]) -> String {
    let origin = quota.key.origin
    let what = quota.key.name.isEmpty ? origin : "the quota \(quota.key.name) of \(origin)"
    let until = quota.resetsAt.map { " until \(context.clock($0))" } ?? ""
    return "\(Wording.count(waiting.count, "job")) wait for \(what)\(until): "
      + Wording.some(waiting, 4)
  }

  private func cells(_ job: JudgedJob, isQueued: Bool) -> [ConsoleText] {
    let (status, standing) = (job.status, job.standing)
    let needsStep = job.needsPerson && [.incomplete, .late].contains(standing)
    return [
      ConsoleText(job.overview.job, .bold), ConsoleText(standing.rawValue, standing.style),
      ConsoleText(status.isStored ? Wording.number(job.overview.rows) : ""),
      ConsoleText(age(job.overview.lastRun)),
      ConsoleText(
        standing == .paused && isQueued
          ? "for the quota above"
          : reason(status, needsStep ? .failed : standing)),
    ]
  }

  private func age(_ run: StoredRun?) -> String {
    guard let run else { return "" }
    let age = context.time.now() - (run.endedAt ?? run.beganAt)
    return age < .seconds(60) ? "just now" : "\(Wording.rough(age)) ago"
  }

  /// The reason in a few words: terminals cut the end.
  private func reason(_ job: JobStatus, _ standing: JobStanding) -> String {
    let overview = job.overview
    switch standing {
    case .broken: return job.fileProblem?.description ?? ""
    case .idle: return context.console.advice(job.needs ?? "")
    case .neverRan: return job.job?.about ?? "it has not run yet"
    case .running: return job.runner.map { $0 > 0 ? "process \($0)" : "" } ?? ""
    case .cutOff:
      return job.holder.map { "or has not ended yet: \($0) has the folder" }
        ?? "by a kill or a power cut; the next run resumes after it"
    case .late: return late(job)
    case .paused:
      let why =
        overview.lists.first { $0.verdict == "paused" }?.why ?? overview.lastRun?.outcome ?? ""
      return job.resumption(after: context.time.now()).map { "until \(context.clock($0)); \(why)" }
        ?? why
    case .failed:
      return job.nextSteps.first.map { context.console.advice($0.sentence) } ?? overview
        .lastRun?.outcome ?? "it ended without an outcome"
    case .unreachable: return overview.lastRun?.outcome ?? ""
    case .incomplete:
      return worst(job, ["void", "incomplete"]) ?? overview.lastRun?.outcome ?? ""
    case .upToDate, .outOfDate: return lists(job)
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

  /// `2 lists complete (1 of them only for a range of time), 1 unproven, 3 images still to fetch`.
  private func lists(_ job: JobStatus) -> String {
    let lists = job.overview.lists
    let order = lists.map(\.verdict).eachOnce
    var parts = order.enumerated().map { index, verdict in
      let some = lists.filter { $0.verdict == verdict }
      let ranged = some.count { $0.readFrom != nil }
      let range =
        ranged == 0
        ? "" : " (\(Wording.number(ranged)) of them only for a range of time)"
      return
        (index == 0 ? Wording.count(some.count, "list") : Wording.number(some.count))
        + " \(verdict)\(range)"
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
