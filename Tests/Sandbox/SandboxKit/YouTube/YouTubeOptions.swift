/// Sizes and limits of the imitated YouTube.
public struct YouTubeOptions: Sendable {
  /// Videos that the search for `swift language` shows and the proxy lists.
  public var found: Int
  /// Videos of the search for `music`: more than any search shows.
  public var crowd = 640
  public var channels = 4
  /// Each search costs one of these, whatever it returns.
  public var searchesPerDay = 100
  /// Each `videos:batchGetStats` costs one of these.
  public var statisticsPerDay = 10_000
  /// Each other request costs one of these.
  public var unitsPerDay = 10_000
  /// The places of a search that page tokens reach.
  public var searchReach = 500
  /// Older page tokens are refused.
  public var tokenLife = Duration.seconds(4 * 3600)

  public init(_ size: SandboxSize) {
    found = size == .small ? 57 : 212
  }
}
