public import Model
public import Store
internal import Walk

/// A stream that is asked for records of another, and for how many of those that are stored now it
/// is due: what the next run asks of it without waiting for anything new.
public struct DueChildren: Sendable {
  public let stream: String
  /// Where the records are.
  public let parent: String
  public let count: Int

  /// Those of a job of which anything is due, in the order of its runs.
  public static func all(
    of job: Job, store: RecordStore, time: Timekeeper
  ) async throws -> [DueChildren] {
    try await store.know(job)
    let planner = Planner(job: job, options: CrawlOptions(), store: store, time: time)
    var all: [DueChildren] = []
    for stream in try await planner.streams() {
      guard let feed = stream.parent else { continue }
      let count = try await store.countDue(
        stream.name, of: job.name, prints: Fingerprinter.fingerprints(of: stream, in: job))
      guard count > 0 else { continue }
      all.append(DueChildren(stream: stream.name, parent: feed.stream, count: count))
    }
    return all
  }
}
