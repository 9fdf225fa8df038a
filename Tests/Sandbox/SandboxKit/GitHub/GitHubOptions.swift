/// Sizes and limits of the imitated GitHub.
public struct GitHubOptions: Sendable {
  /// Users that the search knows.
  public var users: Int
  /// Followers of octocat that its list shows; suspended ones come on top.
  public var followers: Int
  public var following = 9
  /// Of those whom octocat follows, so many follow back.
  public var mutual = 3
  /// Users whose `created_at` is one and the same second: more than a search can ever list.
  public var burst: Int
  /// What an hour of its limits lasts: a shorter one lets a person see a pause end.
  public var hour = Duration.seconds(3600)
  public var anonymousPerHour = 60
  public var authorisedPerHour = 5000
  public var anonymousSearchesPerMinute = 10
  public var authorisedSearchesPerMinute = 30
  /// One follower of octocat leaves GitHub so long after the start, by the sandbox's clock.
  public var leaverLeavesAfter = Duration.seconds(3600)

  public init(_ size: SandboxSize) {
    switch size {
    case .small: (users, followers, burst) = (150, 57, 0)
    case .demo: (users, followers, burst) = (1500, 812, 0)
    case .large: (users, followers, burst) = (120_000, 20_331, 1100)
    }
  }
}
