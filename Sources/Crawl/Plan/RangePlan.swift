public import Base
public import Walk

/// What is asked of one list in a range of time: the holes in it, and the windows in their order.
public struct RangePlan: Sendable {
  enum Purpose: Sendable {
    /// A range that a person asked for: only what is missing.
    case backfill
    /// From the last certified end, less the overlap, to now.
    case goOn
  }

  let purpose: Purpose
  public let survey: RangeSurvey
  /// Windows before the range that an earlier run could not read, and behind which others were
  /// certified.
  let missed: [TimeWindow]
  /// Windows are cut to one answer each, which is its own proof.
  let isOfOneAnswer: Bool

  /// All that is asked.
  public var holes: [TimeWindow] { missed + survey.holes }

  /// The windows, as the run takes them from here.
  var windows: WindowFill {
    WindowFill(
      survey.stream, holes: holes, begun: survey.begun,
      order: purpose == .backfill ? .newestFirst : .oldestFirst, rate: survey.density,
      isOfOneAnswer: isOfOneAnswer)
  }

  /// What it will take; nil while nothing is known of the list's density.
  public var forecast: FillForecast? {
    let forecast = FillForecast(
      survey.stream, holes: holes, rate: survey.density, isOfOneAnswer: isOfOneAnswer)
    return holes.isEmpty || forecast.records != nil ? forecast : nil
  }
}
