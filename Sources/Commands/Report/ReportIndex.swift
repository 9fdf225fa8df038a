internal import Glibc
internal import Model
internal import Report
internal import Store

/// Writes `reports/index.html` anew when a run has ended: from the runs that the database knows and
/// whose pages are still there.
struct ReportIndex {
  let folder: DataFolder
  let time: Timekeeper

  /// Runs of other jobs may end in the same moment: each waits so often, and so long, for its turn.
  private static let triesMax = 100
  private static let interval = Duration.milliseconds(20)

  func write(_ store: RecordStore) async throws {
    let lock = open("\(folder.path)/reports/.index.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
    defer { if lock >= 0 { close(lock) } }
    // Without its turn it writes too: then a run may be missing until the next one ends.
    for _ in 0..<Self.triesMax where lock >= 0 {
      if flock(lock, LOCK_EX | LOCK_NB) == 0 { break }
      try await time.sleep(Self.interval)
    }
    let entries = try await store.runs(limit: HTMLIndex.entriesMax).flatMap(entries)
    try ReportFolder.replace(
      "\(folder.path)/reports/index.html", with: Array(HTMLIndex(entries).text.utf8))
  }

  /// One, or none where the page is gone or the run has not ended.
  private func entries(_ run: StoredRun) -> [HTMLIndex.Entry] {
    guard let endedAt = run.endedAt, let code = run.exitCode,
      access("\(folder.path)/reports/\(run.job)/\(run.run.name).html", F_OK) == 0
    else { return [] }
    return [
      HTMLIndex.Entry(
        job: run.job, run: run.run.name, command: run.command, startedAt: run.beganAt,
        endedAt: endedAt, outcome: run.outcome ?? "", exitCode: code)
    ]
  }
}
