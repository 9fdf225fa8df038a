internal import Glibc
internal import Base
internal import Crawl
internal import Jobs
internal import Store

/// Gathers what the index of reports shows, in the words of `trawl status`.
struct IndexGathering: Sendable {
  let context: CommandContext
  let location: DataLocation

  private static let day = Duration.seconds(86_400)
  /// Runs of other jobs may end at the same moment: how often, and how long, each waits for its turn.
  private static let triesMax = 1_000
  private static let interval = Duration.milliseconds(20)

  /// Rewrites `reports/index.html`, unless others wrote it twice while this run waited for its turn: the second of
  /// them began to read after this run had ended.
  func write(_ store: RecordStore) async throws {
    let folder = "\(location.folder)/reports"
    let page = "\(folder)/index.html"
    var (written, times) = (FilePlace(path: page)?.written, 0)
    func look() {
      guard let now = FilePlace(path: page)?.written, now != written else { return }
      (written, times) = (now, times + 1)
    }
    var lock: FileLock?
    defer { withExtendedLifetime(lock) {} }
    // Writes even without the lock: then a run may be missing until the next one ends.
    for _ in 0..<Self.triesMax {
      do throws(FileFailure) { lock = try FileLock("\(folder)/.index.lock") } catch { break }
      look()
      if lock != nil { break }
      try await context.time.sleep(Self.interval)
    }
    if times > 1 { return }
    let text = try await index(store).text
    try ReportFolder.replace(page, with: Array(text.utf8))
  }

  private func index(_ store: RecordStore) async throws -> HTMLIndex {
    let now = context.time.now()
    var index = HTMLIndex(writtenAt: now)
    index.clock = context.clock
    index.hasPage = { [location] run in
      access("\(location.folder)/reports/\(run.job)/\(run.run.name).html", F_OK) == 0
    }
    index.jobs = try await statuses(store)
    index.changes = try await store.changeCounts(since: now - Self.day)
    for job in index.jobs.map(\.overview.job) {
      index.strips[job] = try await store.runs(job: job, limit: HTMLIndex.stripMax)
    }
    let runs = try await store.runs(limit: HTMLIndex.runsMax + 1)
    index.runs = Array(runs.prefix(HTMLIndex.runsMax))
    index.hasOlderRuns = runs.count > HTMLIndex.runsMax
    return index
  }

  private func statuses(_ store: RecordStore) async throws -> [JudgedJob] {
    let survey = JobSurvey(context: context, location: location)
    let overviews = try await store.overview()
    var jobs = try await survey.statuses(overviews, store)
    // A run that has ended, including this one, holds its lock a moment longer, but the page may stay for a day.
    for at in jobs.indices where jobs[at].overview.lastRun?.endedAt != nil { jobs[at].runner = nil }
    jobs += await survey.neverRan(
      context.environment.library.ownNames, beside: overviews.map(\.job))
    return jobs.map(JudgedJob.init).worstFirst
  }
}
