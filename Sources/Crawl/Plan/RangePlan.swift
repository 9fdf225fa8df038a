public import Base
internal import Store
public import Walk

/// What is requested of one list in a range of time: the holes in it, and the windows in order.
public struct RangePlan: Sendable {
  let purpose: WindowFill.Purpose
  public let survey: RangeSurvey
  /// What lies before the range and was not read, while what is later was certified.
  let missed: [TimeWindow]
  /// Windows that failed, the last try first. An API may refuse them for good, so no other window waits for them.
  let failed: [TimeWindow]
  /// Windows are split to one answer each, which is its own proof.
  let isOfOneAnswer: Bool
  /// The API may compare the end of the newest window with local times.
  let hasLocalTimes: Bool

  /// All that is requested.
  public var holes: [TimeWindow] { missed + survey.holes }

  /// The windows, as the run takes them.
  var windows: WindowFill {
    WindowFill(
      survey.stream, holes: holes, begun: survey.begun, later: failed + missed.reversed(),
      purpose: purpose, rate: survey.density, isOfOneAnswer: isOfOneAnswer)
  }

  /// The stream, as a window of it is requested.
  func requested(_ stream: Stream, in window: TimeWindow) -> Stream {
    var stream = stream
    if hasLocalTimes, window.to >= survey.range.to {
      let ahead = WindowPlanner.clocks(of: stream, at: window.to).ahead
      stream.window?.secondsAhead = ahead
    }
    return stream
  }

  /// What it will take; nil while the list's density is unknown.
  public var forecast: FillForecast? {
    let forecast = FillForecast(
      survey.stream, holes: holes, rate: survey.density, isOfOneAnswer: isOfOneAnswer)
    return holes.isEmpty || forecast.records != nil ? forecast : nil
  }
}

extension Planner {
  /// A list's key in the database, by the digests that are computed once.
  func key(of list: Unit, _ stream: Stream) -> RecordStore.ListKey {
    RangeSurvey.key(stream, list, of: job, prints: prints(of: stream))
  }

  /// Of a stream of the job; asked once, however many lists it has.
  func hasLocalTimes(_ stream: Stream) async throws(StoreError) -> Bool {
    guard let form = stream.window?.form, !form.isOfDays, !form.isNumber else { return false }
    if let known = localTimes.withLock({ $0[stream.name] }) { return known }
    let found = try await store?.hasLocalTimes(stream, of: job.name) ?? false
    localTimes.withLock { $0[stream.name] = found }
    return found
  }
}
