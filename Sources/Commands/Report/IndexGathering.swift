internal import Glibc
internal import Base
internal import Crawl
internal import Jobs
internal import Report
internal import Store

/// Gathers what the index of reports shows, as `trawl status` would say it.
struct IndexGathering: Sendable {
  let context: CommandContext
  let location: DataLocation
  /// The job whose run has just ended in this process, which still holds its lock.
  let ended: String

  private static let day = Duration.seconds(86_400)
  private static let quotasMax = 40
  /// Runs of other jobs may end in the same moment: each waits so often, and so long, for its turn.
  private static let triesMax = 1_000
  private static let interval = Duration.milliseconds(20)

  /// Writes `reports/index.html` anew.
  func write(_ store: RecordStore) async throws {
    let folder = "\(location.folder)/reports"
    var lock: FileLock?
    defer { withExtendedLifetime(lock) {} }
    // Without its turn it writes too: then a run may be missing until the next one ends.
    for _ in 0..<Self.triesMax {
      do throws(FileFailure) { lock = try FileLock("\(folder)/.index.lock") } catch { break }
      if lock != nil { break }
      try await context.time.sleep(Self.interval)
    }
    let page = HTMLIndex(try await facts(store)).text
    try ReportFolder.replace("\(folder)/index.html", with: Array(page.utf8))
  }

  func facts(_ store: RecordStore) async throws -> IndexFacts {
    let now = context.time.now()
    let jobs = try await statuses(store)
    var facts = IndexFacts(writtenAt: now)
    let changes = try await store.changeCounts(since: now - Self.day)
    facts.changes = changes.map {
      IndexFacts.ChangeLine(
        job: $0.job, table: $0.table, new: $0.new, changed: $0.changed, gone: $0.gone)
    }
    let strips = try await store.runs(
      ofEach: jobs.map(\.overview.job), limit: IndexFacts.stripMax)
    let changed = Dictionary(grouping: changes, by: \.job)
    for job in jobs {
      let runs = strips[job.overview.job] ?? []
      facts.jobs.append(line(job, runs, changed[job.overview.job] ?? []))
      if job.needsPerson { facts.cards.append(card(job, runs)) }
    }
    facts.sums = sums(jobs)
    let quotas = quotas(jobs)
    facts.quotas = Array(quotas.prefix(Self.quotasMax))
    facts.quotasLeftOut = quotas.count - facts.quotas.count
    let runs = try await store.runs(limit: IndexFacts.runsMax + 1)
    facts.runs = runs.prefix(IndexFacts.runsMax).compactMap(line)
    facts.hasOlderRuns = runs.count > IndexFacts.runsMax
    return facts
  }

  private func statuses(_ store: RecordStore) async throws -> [JudgedJob] {
    let survey = JobSurvey(context: context, location: location)
    let overviews = try await store.overview()
    var jobs = try await survey.statuses(overviews, store)
    for at in jobs.indices where jobs[at].overview.job == ended { jobs[at].runner = nil }
    jobs += await survey.neverRan(
      context.environment.library.ownNames, beside: overviews.map(\.job))
    return jobs.map(JudgedJob.init).worstFirst
  }

  /// `38 up to date, 1 needs you, 1 waits until 04:10 UTC`.
  private func sums(_ jobs: [JudgedJob]) -> [IndexFacts.Sum] {
    var sums: [IndexFacts.Sum] = []
    let calm = jobs.filter { !$0.needsPerson }
    func add(_ standings: [JobStanding], _ one: String, _ many: String, _ tone: IndexFacts.Tone) {
      let count = calm.count { standings.contains($0.standing) }
      if count > 0 {
        sums.append(.init("\(Wording.number(count)) \(count == 1 ? one : many)", tone))
      }
    }
    add([.upToDate], "up to date", "up to date", .good)
    let needed = jobs.count - calm.count
    if needed > 0 {
      sums.append(.init("\(Wording.number(needed)) \(needed == 1 ? "needs" : "need") you", .bad))
    }
    add([.late], "is late", "are late", .wait)
    add(
      [.failed, .unreachable, .incomplete, .cutOff], "heals with its next run",
      "heal with their next runs", .wait)
    let first = calm.filter { $0.standing == .paused }
      .compactMap { $0.status.resumption(after: context.time.now()) }.min()
    let until = first.map { " until \(context.clock($0))" } ?? ""
    add([.paused], "waits\(until)", "wait\(until)", .wait)
    add([.running], "runs now", "run now", .good)
    add([.idle], "needs a value", "need a value", .none)
    add([.neverRan], "has not run yet", "have not run yet", .none)
    return sums
  }

  private func line(
    _ job: JudgedJob, _ runs: [StoredRun], _ changes: [ChangeCount]
  ) -> IndexFacts.JobLine {
    let (status, overview, standing) = (job.status, job.overview, job.standing)
    let tone: IndexFacts.Tone =
      switch standing {
      case _ where job.needsPerson: .bad
      case .upToDate, .running: .good
      case .idle, .neverRan: .none
      default: .wait
      }
    let isFine = tone == .good || tone == .none
    var line = IndexFacts.JobLine(
      name: overview.job, state: job.needsPerson ? "needs you" : standing.rawValue,
      why: isFine ? "" : status.fileProblem?.sentence ?? overview.lastRun?.outcome ?? "", tone: tone
    )
    line.rows = overview.rows
    line.change.new = changes.reduce(0) { $0 + $1.new }
    line.change.changed = changes.reduce(0) { $0 + $1.changed }
    line.gone = changes.reduce(0) { $0 + $1.gone }
    line.lastGood = overview.lists.compactMap(\.lastGoodEnd).max()
    line.every = status.schedule?.every
    line.isLate = !status.late.isEmpty
    line.strip = runs.reversed().map { Self.tone(of: $0.exitCode) }
    line.run = runs.first(where: hasPage)?.run.name
    line.next = next(status)
    return line
  }

  private func next(_ job: JobStatus) -> String {
    let now = context.time.now()
    if let at = job.resumption(after: now) { return "after \(context.clock(at))" }
    guard job.schedule != nil else { return "" }
    guard let due = job.dueAt, due > now else { return "due" }
    return context.clock(due)
  }

  private func card(_ job: JudgedJob, _ runs: [StoredRun]) -> IndexFacts.Card {
    IndexFacts.Card(
      job: job.overview.job,
      sentence: job.status.fileProblem?.sentence ?? job.overview.lastRun?.outcome
        ?? "it has no outcome",
      since: job.nextSteps.compactMap(\.since).min(), steps: job.nextSteps,
      run: runs.first(where: hasPage)?.run.name)
  }

  /// Each once, whoever shares it; those that somebody waits for come first.
  private func quotas(_ jobs: [JudgedJob]) -> [IndexFacts.QuotaLine] {
    var keys: [QuotaKey] = []
    var lines: [IndexFacts.QuotaLine] = []
    for job in jobs {
      let isWaiting = job.standing == .paused
      for quota in job.status.quotas {
        let waits = isWaiting && (quota.left.left <= 0 || quota.left.blockedWhy != nil)
        if let at = keys.firstIndex(of: quota.key) {
          if waits { lines[at].waiting.append(job.overview.job) }
          continue
        }
        let left = quota.left
        // Of one that nobody draws on there is nothing to know.
        if left.users.isEmpty, left.left >= left.allowed, left.blockedWhy == nil { continue }
        keys.append(quota.key)
        lines.append(
          IndexFacts.QuotaLine(
            facts: QuotaFacts(
              name: quota.name, allowed: left.allowed, leftBefore: left.left, leftAfter: left.left,
              resetsAt: left.left < left.allowed || left.blockedWhy != nil ? left.resetsAt : nil),
            origin: quota.key.origin, account: quota.account, why: left.blockedWhy,
            waiting: waits ? [job.overview.job] : []))
      }
    }
    let waited = lines.filter { !$0.waiting.isEmpty }
    return waited + lines.filter(\.waiting.isEmpty)
  }

  // MARK: runs

  private static func tone(of exitCode: Int?) -> IndexFacts.Tone {
    switch exitCode.flatMap({ ExitStatus(rawValue: Int32($0)) }) {
    case .complete: .good
    case .paused, .less, .unreachable: .wait
    case nil: .none
    default: .bad
    }
  }

  private func hasPage(_ run: StoredRun) -> Bool {
    access("\(location.folder)/reports/\(run.job)/\(run.run.name).html", F_OK) == 0
  }

  /// Nil where the page is gone or the run has not ended.
  private func line(_ run: StoredRun) -> IndexFacts.RunLine? {
    guard let endedAt = run.endedAt, let code = run.exitCode, hasPage(run) else { return nil }
    return IndexFacts.RunLine(
      job: run.job, run: run.run.name, command: run.command, startedAt: run.beganAt,
      endedAt: endedAt, outcome: run.outcome ?? "", exitCode: code, tone: Self.tone(of: code))
  }
}
