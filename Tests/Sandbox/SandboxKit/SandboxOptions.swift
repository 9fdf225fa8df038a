public import Base

/// The amount of data.
public enum SandboxSize: String, Sendable, CaseIterable {
  /// A few pages of everything: for tests.
  case small
  /// What `make demo` shows.
  case demo
}

/// The plan, for APIs that sell several.
public enum SandboxPlan: Sendable {
  case developer, business
}

/// The options of a sandbox. Equal options give equal answers, byte for byte, except for the port in links.
public struct SandboxOptions: Sendable {
  /// 0: the system chooses a free one.
  public var port = 0
  public var seed: UInt64 = 1
  public var plan = SandboxPlan.developer
  /// Whether APIs that require a key do so here; otherwise only keys that begin with "bad" are refused.
  var needsKeys = false
  public var faults = FaultSpec()
  /// Records inserted or deleted at the front of a list of GitHub's for each page served from it.
  public var drift = 0
  /// The clock of `Date` fields, quotas and everything that changes with time. Pauses inside an answer (stalls, drips)
  /// use real time, since a real socket waits for them.
  public var time = Timekeeper.live
  /// The share of the records' images that are missing, HTML, truncated or empty. The truth says which.
  public var mediaTroubleShare = 0.0
  public var youTube: YouTubeOptions
  public var newsAPI: NewsAPIOptions
  public var gitHub: GitHubOptions
  public var giphy: GiphyOptions
  public var openMarket: OpenMarketOptions

  public init(size: SandboxSize = .small) {
    youTube = YouTubeOptions(size)
    newsAPI = NewsAPIOptions(size)
    gitHub = GitHubOptions(size)
    giphy = GiphyOptions(size)
    openMarket = OpenMarketOptions(size)
  }
}

extension SandboxOptions {
  /// Takes the sizes of another `SandboxSize`; nothing else changes.
  mutating func resize(_ size: SandboxSize) {
    (youTube, newsAPI, gitHub) = (YouTubeOptions(size), NewsAPIOptions(size), GitHubOptions(size))
    (giphy, openMarket) = (GiphyOptions(size), OpenMarketOptions(size))
  }
}
