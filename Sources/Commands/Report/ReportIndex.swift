internal import Base
internal import Report
internal import Store

/// Writes `reports/index.html` anew when a run has ended.
struct ReportIndex {
  let gathering: IndexGathering

  /// Runs of other jobs may end in the same moment: each waits so often, and so long, for its turn.
  private static let triesMax = 1_000
  private static let interval = Duration.milliseconds(20)

  func write(_ store: RecordStore) async throws {
    let folder = "\(gathering.location.folder)/reports"
    var lock: FileLock?
    defer { withExtendedLifetime(lock) {} }
    // Without its turn it writes too: then a run may be missing until the next one ends.
    for _ in 0..<Self.triesMax {
      do throws(FileFailure) { lock = try FileLock("\(folder)/.index.lock") } catch { break }
      if lock != nil { break }
      try await gathering.context.time.sleep(Self.interval)
    }
    let facts = try await gathering.facts(store)
    try ReportFolder.replace("\(folder)/index.html", with: Array(HTMLIndex(facts).text.utf8))
  }
}
