/// Sizes and limits of the imitated GIPHY.
public struct GiphyOptions: Sendable {
  /// GIFs rated g; other ratings are extra. All of them trend, in some order.
  public var gifs: Int
  /// GIFs rated g that the search for "cat" finds.
  public var cats: Int
  /// Trending words.
  public var words: Int
  /// Whether the reachable part of the trending list contains an id twice.
  public var trendingRepeats: Bool
  /// `offset` + `limit` for the trending list may not exceed this.
  public var trendingMax = 499
  /// The same for a search.
  public var searchMax = 4999
  /// Calls of one key in any hour.
  public var callsPerHour = 100

  public init(_ size: SandboxSize) {
    switch size {
    case .small: (gifs, cats, words, trendingRepeats) = (130, 57, 12, true)
    case .demo: (gifs, cats, words, trendingRepeats) = (4250, 333, 30, false)
    }
  }
}
