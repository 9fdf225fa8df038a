/// What certificates cover of a list's time range when a run ends.
public struct CoverageFacts: Sendable, Equatable {
  /// A part of the range, with its verdict.
  public struct Stretch: Sendable, Equatable {
    public var window: TimeWindow
    public var verdict: Verdict
    public var cause: Shortfall?

    public init(window: TimeWindow, verdict: Verdict, cause: Shortfall? = nil) {
      self.window = window
      self.verdict = verdict
      self.cause = cause
    }
  }

  public var stream: String
  /// `q=swift language`.
  public var listName: String
  /// The range that was requested, or that the list is kept for.
  public var range: TimeWindow
  /// In order, disjoint, inside the range; what lies between them is missing.
  public var stretches: [Stretch]
  /// The most that a bar shows; the JSON report has them all.
  public static let stretchesMax = 300

  public init(stream: String, listName: String, range: TimeWindow, stretches: [Stretch]) {
    self.stream = stream
    self.listName = listName
    self.range = range
    self.stretches = stretches
  }

  /// The proven share of the range, from 0 to 1.
  public var share: Double { share(of: .complete) }

  /// The share that is older than the API answers: it was never read, and cannot be.
  public var outOfReach: Double { share(of: .limited, .outOfReach) }

  public func share(of verdict: Verdict, _ cause: Shortfall? = nil) -> Double {
    let parts = stretches.filter { $0.verdict == verdict && (cause == nil || $0.cause == cause) }
    return range.share(of: parts.map(\.window)) ?? (verdict == .complete ? 1 : 0)
  }
}

/// What was forecast for a list, to be shown beside the result.
public struct Forecast: Sendable, Equatable {
  public var requests: Int?
  public var records: Int?
  /// The numbers are based on an API's estimate.
  public var isEstimate: Bool

  public init(requests: Int? = nil, records: Int? = nil, isEstimate: Bool = false) {
    self.requests = requests
    self.records = records
    self.isEstimate = isEstimate
  }
}
