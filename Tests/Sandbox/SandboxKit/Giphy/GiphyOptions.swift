/// Sizes and limits of the imitated GIPHY.
public struct GiphyOptions: Sendable {
  /// GIFs rated g; those of the other ratings come on top. All of them trend, in some order.
  public var gifs: Int
  /// GIFs rated g that the search for "cat" finds.
  public var cats: Int
  /// Words that trend.
  public var words: Int
  /// Whether the reachable part of the trending list holds one id twice.
  public var trendingRepeats: Bool
  /// `offset` and `limit` together reach so far into the trending list, and not one further.
  public var trendingMax = 499
  /// The same for a search.
  public var searchMax = 4999
  /// Calls that one key has in any hour.
  public var callsPerHour = 100
  /// Refuses calls without a key; otherwise only a key that begins with "bad" is refused.
  public var needsKey = false

  public init(_ size: SandboxSize) {
    switch size {
    case .small: (gifs, cats, words, trendingRepeats) = (130, 57, 12, true)
    case .demo: (gifs, cats, words, trendingRepeats) = (4250, 333, 30, false)
    case .large: (gifs, cats, words, trendingRepeats) = (8000, 6000, 30, true)
    }
  }
}
