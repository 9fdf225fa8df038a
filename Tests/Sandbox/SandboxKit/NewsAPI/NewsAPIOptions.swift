/// Sizes and limits of the imitated NewsAPI.
public struct NewsAPIOptions: Sendable {
  /// Articles that `everything` has for `linux`: more than a developer may read.
  public var crowd: Int
  /// Headlines of the United States; other countries have none.
  public var headlines = 41
  public var sources = 24
  /// A developer's requests in any 12 and any 24 hours.
  public var perHalfDay = 50
  public var perDay = 100
  /// A developer reads so many results of a query.
  public var resultsMax = 100
  /// A developer sees articles so long after they were published, and so far back.
  public var delay = Duration.seconds(24 * 3600)
  public var reach = Duration.seconds(30 * 86_400)
  /// What the business plan shows of one query; nil: no end.
  public var businessResultsMax: Int?
  /// How many days the crowd's articles reach back, evenly; nil: a month, and some of them more.
  public var crowdDays: Int?
  /// Whether a request without a key is refused. Off: on this machine nobody needs one.
  public var requiresKey = false

  public init(_ size: SandboxSize) {
    switch size {
    case .small: crowd = 360
    case .demo: crowd = 1200
    case .large: crowd = 30_000
    }
  }
}
