internal import Base
internal import Crawl
internal import Media
internal import Store

/// `retain`: at the end of a run forgets records that were not seen for that long.
struct Retention: Sendable {
  let context: CommandContext
  let job: Job
  let folder: DataFolder
  let store: RecordStore
  let content: ContentStore

  /// Counts and reports what was forgotten. Also finishes what an earlier command or run left of forgetting.
  func perform(_ facts: inout RunFacts) async throws {
    var failure: ExitReport?
    // What was forgotten earlier is overwritten all the same.
    do { try await forget(&facts) } catch let report as ExitReport { failure = report }
    let isUnwiped = try await store.unwipedFiles() != nil
    if let held = try await store.wipe(with: content) {
      facts.warnings.append(
        "the bytes of what was forgotten stay in the log of the database, since \(held); the next run moves it"
      )
    } else if isUnwiped {
      context.bucket?.wipe()
    }
    if let failure { throw failure }
  }

  private func forget(_ facts: inout RunFacts) async throws {
    if job.isRetaining { facts.leaveOutRaw() }
    let moment = facts.timeOfDeletion(for: job, context.time.now())
    for outlived in try await store.outlived(of: job, by: moment) {
      // Files beside the database are read only once, for all keys.
      let traces = try await store.traces(
        of: outlived.keys, in: outlived.table, isThorough: false)
      _ = try StoredTraces(folder: folder).erase(traces)
      try await context.bucket?.putErased()
      // This run's report is not written yet.
      facts.leaveOut(traces, isOfJob: true)
      var gone = 0
      let most = RecordStore.outlivedAtOnce
      for first in stride(from: 0, to: outlived.keys.count, by: most) {
        let keys = Array(outlived.keys[first..<min(first + most, outlived.keys.count)])
        gone += try await store.forget(keys, of: outlived.table, job, .retention).records
      }
      facts.forgotten += gone
      facts.story.append(
        "\(Wording.count(gone, "record")) of \(outlived.table.name) \(gone == 1 ? "was" : "were") not seen again for "
          + "\(Wording.span(outlived.retain)) (retain), and \(gone == 1 ? "is" : "are") forgotten.")
    }
  }
}
