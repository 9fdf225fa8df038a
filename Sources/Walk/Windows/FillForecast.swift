public import Base

/// What filling holes will take: pure arithmetic on a density.
public struct FillForecast: Sendable, Equatable {
  public var windows: Int
  public var requests: Int
  /// Nil if no density is known.
  public var records: Int?

  /// The percentage of windows, planned to come near the cap, that pass it and are requested again in parts.
  static let overflowPercent = 4.0

  /// - Parameters:
  ///   - rate: records a second; nil: unknown, so each hole counts as one request.
  ///   - isOfOneAnswer: no window is longer than one page.
  public init(_ stream: Stream, holes: [TimeWindow], rate: Double?, isOfOneAnswer: Bool) {
    guard let rate else {
      (windows, requests, records) = (holes.count, holes.count, nil)
      return
    }
    let seconds = holes.reduce(0) { $0 + max(0, ($1.to - $1.from).inSeconds) }
    let cap = WindowFill.most(stream, isOfOneAnswer: isOfOneAnswer)
    let target = cap.map { WidthLearner(cap: $0, start: .zero, least: .zero).target }
    var windows = 0.0
    var requests = 0.0
    for hole in holes {
      let held = rate * max(0, (hole.to - hole.from).inSeconds)
      var parts = 1.0
      if let target, held > target {
        parts = (held / target * (1 + Self.overflowPercent / 100)).rounded(.up)
      }
      windows += parts
      requests += parts * (isOfOneAnswer ? 1 : Self.pages(stream, records: held / parts))
    }
    // No plan needs more than a billion, and the numbers stay integers.
    self.windows = Int(min(windows, 1e9))
    self.requests = Int(min(requests.rounded(.up), 1e9))
    self.records = Int(min((rate * seconds).rounded(), 1e12))
  }

  /// Requests of one window; page 1 of a list by position is read twice.
  private static func pages(_ stream: Stream, records: Double) -> Double {
    guard let size = stream.size?.value, stream.pager != .single else { return 1 }
    if VariedSizes.suit(stream) {
      return Double(VariedSizes.requests(records: Int(min(records.rounded(), 1e6)), size: size))
    }
    let pages = max(1, (records / Double(max(size, 1))).rounded(.up))
    return stream.pager.isPositioned && pages > 1 ? pages + 1 : pages
  }
}
