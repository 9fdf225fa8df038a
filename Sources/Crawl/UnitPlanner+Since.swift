internal import Model
internal import Store
internal import Walk

extension UnitPlanner {
  /// What a run without a range asks of a list that was certified before: from the last certified
  /// end, less the job's overlap, to now, however long ago that was. Nil: the list is walked whole.
  func sinceLastEnd(
    _ unit: Unit, _ stream: Stream, store: RecordStore?, now: Instant
  ) async throws(StoreError) -> TimeWindow? {
    guard let rule = stream.window, let store, !options.isRefill, options.pagesMax == nil else {
      return nil
    }
    let covered = try await store.coverage(
      of: stream.name, job: job.name, parameters: unit.parameterText,
      prints: Fingerprinter.fingerprints(of: stream, in: job))
    guard let last = covered.last?.to else { return nil }
    return WindowPlanner(rule).incremental(after: last, now: now, first: .zero)
  }
}
