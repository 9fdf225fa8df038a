public import Base

/// How much data there is.
public enum SandboxSize: String, Sendable, CaseIterable {
  /// A few pages of everything: for tests.
  case small
  /// What `make demo` shows.
  case demo
  /// Enough to fill an hour's limits and to meet every ceiling.
  case large
}

/// The plan of the APIs that sell several.
public enum SandboxPlan: String, Sendable, CaseIterable {
  case developer, business
}

/// What a sandbox is started with. Two with equal options answer alike, byte for byte, but for the
/// port in their links.
public struct SandboxOptions: Sendable {
  /// 0 lets the system choose a free one.
  public var port = 0
  public var seed: UInt64 = 1
  public var size: SandboxSize
  public var plan = SandboxPlan.developer
  public var faults = FaultSpec()
  /// Records inserted or deleted at the front of a list for each page that is served from it.
  public var drift = 0
  /// `Date` fields, quotas and everything that changes with time follow its `now`. Pauses inside
  /// an answer (stalls, drips) are real time, since a real socket waits for them.
  public var time = Timekeeper.live
  /// Requests that the log keeps; older ones are dropped and counted.
  public var logMax = 100_000
  /// Of the images that records point at, this share is missing, HTML, cut or empty. The truth
  /// says which.
  public var mediaTroubleShare = 0.0
  public var youTube: YouTubeOptions
  public var newsAPI: NewsAPIOptions
  public var gitHub: GitHubOptions
  public var giphy: GiphyOptions
  public var openMarket: OpenMarketOptions

  public init(size: SandboxSize = .small) {
    self.size = size
    youTube = YouTubeOptions(size)
    newsAPI = NewsAPIOptions(size)
    gitHub = GitHubOptions(size)
    giphy = GiphyOptions(size)
    openMarket = OpenMarketOptions(size)
  }
}

extension SandboxOptions {
  /// Of the APIs that answer nobody without a key.
  public var needsKeys: Bool {
    get { youTube.needsKey && newsAPI.requiresKey && giphy.needsKey }
    set {
      youTube.needsKey = newValue
      newsAPI.requiresKey = newValue
      giphy.needsKey = newValue
    }
  }

  /// Of another size; what is no question of size stays.
  func resized(_ size: SandboxSize) -> SandboxOptions {
    var other = SandboxOptions(size: size)
    other.port = port
    other.seed = seed
    other.plan = plan
    other.faults = faults
    other.drift = drift
    other.time = time
    other.logMax = logMax
    other.mediaTroubleShare = mediaTroubleShare
    other.gitHub.hour = gitHub.hour
    other.needsKeys = needsKeys
    return other
  }
}
