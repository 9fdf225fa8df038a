public import Base
public import Store

/// A stream requested for another's records, or by values of theirs, and the number of stored records for which it is
/// due: what the next run requests without waiting for anything new.
public struct DueChildren: Sendable {
  public let stream: String
  /// The stream of those records.
  public let parent: String
  /// 0 for a stream requested by values: every run requests it.
  public let count: Int
  /// Records for which nothing is ever requested, and why; nil: none.
  public let lack: String?

  /// A job's streams with due records or records that never are, in run order.
  public static func all(
    of job: Job, store: RecordStore, time: Timekeeper
  ) async throws -> [DueChildren] {
    try await store.know(job)
    let planner = Planner(job: job, options: CrawlOptions(), store: store, time: time)
    var all: [DueChildren] = []
    for stream in try await planner.streams() {
      let lack = try await planner.lack(of: stream)
      var count = 0
      if let feed = stream.parent { count = try await planner.countDue(stream, feed, store) }
      guard count > 0 || lack != nil, let parent = stream.parent?.stream ?? lack?.stream else {
        continue
      }
      all.append(
        DueChildren(stream: stream.name, parent: parent, count: count, lack: lack?.sentence))
    }
    return all
  }
}

extension Planner {
  /// Of lists that only a backfill begins, counts those that were begun.
  fileprivate func countDue(
    _ stream: Stream, _ feed: ParentFeed, _ store: RecordStore
  ) async throws -> Int {
    guard lists.needsWindow(stream) else {
      return try await store.countDue(
        stream.name, of: job.name, request: try await request(of: stream))
    }
    let values = try await values(of: stream)
    var count = 0
    for due in try await dueNow(stream) {
      for list in children(of: stream, feed, due, values: values) {
        if case .rests = try await course(of: list, stream) { continue }
        count += 1
        break
      }
    }
    return count
  }
}
