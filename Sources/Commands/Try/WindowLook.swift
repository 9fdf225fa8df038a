internal import Base
internal import Crawl
internal import Store
internal import Walk

/// Whether the API understands how the job requests a time: that of the newest record of page 1 is requested, and its
/// answer must not be empty. Later runs would read nothing, and believe it.
struct WindowLook {
  /// Of the run that read page 1, and stored it.
  let parts: RunParts
  let now: Instant

  /// Page 1 has covered that time, which a run would not request again.
  init(
    _ parts: RunParts, now: Instant, _ job: Job, _ store: RecordStore, _ environment: Environment
  ) async throws {
    self.parts = parts
    self.now = now
    _ = try await store.reset(.coverage, of: job.name)
    _ = try await store.adopt(job, environment)
  }

  /// Nil: nothing speaks against it, or there is no time to ask for.
  func slip(_ look: Look) async throws -> String? {
    guard let rule = look.stream.window, let column = rule.column else { return nil }
    let planner = WindowPlanner(rule)
    // A record may be listed a while after its time, and the API may exclude either end.
    let times = look.sample?.times(in: column).filter { $0 < now - rule.delay - planner.step }
    guard let newest = times?.max() else { return nil }
    let range = TimeWindow(from: newest - planner.step, to: newest + planner.step)
    guard planner.reachable(range, now: now).askable == range else { return nil }
    var parts = parts
    parts.options.streams = [look.stream.name]
    parts.options.window = range
    let certificates = await (try JobRun(parts)).execute().units.map(\.certificate)
    let isEmpty = certificates.allSatisfy {
      $0.pages > 0 && $0.counts.received == 0 && $0.verdict != .failed
    }
    guard !certificates.isEmpty, isEmpty else { return nil }
    return "window: page 1 has a record with \(column) \(newest), and a request from \(range.from) "
      + "to \(range.to) brings none: look at form, from and to"
  }
}

extension StoredSample {
  fileprivate func times(in column: String) -> [Instant] {
    guard let at = columns.firstIndex(of: column) else { return [] }
    return rows.compactMap { $0[at].flatMap { Instant(rfc3339: $0) } }
  }
}
