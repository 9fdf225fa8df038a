/// What certificates cover of a list's range of time when a run ends.
public struct CoverageFacts: Sendable, Equatable {
  /// A part of the range with what may be claimed of it.
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
  /// What was asked for, or what the list is kept for.
  public var range: TimeWindow
  /// In order, apart from each other, inside the range; what lies between them is missing.
  public var stretches: [Stretch]
  /// A bar draws no more of them; the JSON report holds them all.
  public static let stretchesMax = 300

  public init(stream: String, listName: String, range: TimeWindow, stretches: [Stretch]) {
    self.stream = stream
    self.listName = listName
    self.range = range
    self.stretches = stretches
  }

  /// 0 to 1, of the range: what is proven.
  public var share: Double { share(of: .complete) }

  /// Further back than the API answers: it was never read, and cannot be.
  public var outOfReach: Double { share(of: .limited, .outOfReach) }

  public func share(of verdict: Verdict, _ cause: Shortfall? = nil) -> Double {
    let parts = stretches.filter { $0.verdict == verdict && (cause == nil || $0.cause == cause) }
    return range.share(of: parts.map(\.window)) ?? (verdict == .complete ? 1 : 0)
  }
}

/// What was forecast of a run or a unit, to be shown beside what came.
public struct Forecast: Sendable, Equatable {
  public var requests: Int?
  public var records: Int?
  /// The numbers come from an API's estimate.
  public var isEstimate: Bool

  public init(requests: Int? = nil, records: Int? = nil, isEstimate: Bool = false) {
    self.requests = requests
    self.records = records
    self.isEstimate = isEstimate
  }
}
