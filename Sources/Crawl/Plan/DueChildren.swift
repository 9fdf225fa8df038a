public import Base
public import Store

/// A stream that is asked for records of another, or by values that they have, and for how many of those that are
/// stored now it is due: what the next run asks of it without waiting for anything new.
public struct DueChildren: Sendable {
  public let stream: String
  /// Where the records are.
  public let parent: String
  /// None of a stream that is asked by values: it is requested in each run.
  public let count: Int
  /// For how many of them nothing is ever requested, and why; nil: for none.
  public let lack: String?

  /// Those of a job of which anything is due, or of which something never is, in the order of its runs.
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
  /// Of lists that only a backfill begins, those that one has begun.
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
