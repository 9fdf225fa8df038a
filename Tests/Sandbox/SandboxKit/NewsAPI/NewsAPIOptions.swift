/// Sizes and limits of the imitated NewsAPI.
public struct NewsAPIOptions: Sendable {
  /// Articles of `everything` for `linux`: more than a developer may read.
  public var crowd: Int
  /// Headlines of the United States; other countries have none.
  public var headlines = 41
  public var sources = 24
  /// A developer's requests in any 12 and any 24 hours.
  public var perHalfDay = 50
  public var perDay = 100
  /// The most results of a query that a developer can read.
  public var resultsMax = 100
  /// A developer sees articles only this long after publication, and only so far back.
  public var delay = Duration.seconds(24 * 3600)
  public var reach = Duration.seconds(30 * 86_400)
  /// The same for the business plan; nil: no limit.
  public var businessResultsMax: Int?
  /// How many days back the crowd's articles are spread; nil: a month, and some of them more.
  public var crowdDays: Int?

  public init(_ size: SandboxSize) {
    crowd = size == .small ? 360 : 1200
  }
}
