/// Sizes and limits of the imitated GitHub.
public struct GitHubOptions: Sendable {
  /// Users that the search knows.
  public var users: Int
  /// Followers of octocat that its list shows; suspended ones are extra.
  public var followers: Int
  public var following = 9
  /// How many of those octocat follows also follow back.
  public var mutual = 3
  public var anonymousPerHour = 60
  public var authorisedPerHour = 5000
  public var anonymousSearchesPerMinute = 10
  public var authorisedSearchesPerMinute = 30
  /// One follower of octocat leaves GitHub this long after the start, by the sandbox's clock.
  public var leaverLeavesAfter = Duration.seconds(3600)

  public init(_ size: SandboxSize) {
    (users, followers) = size == .small ? (150, 57) : (1500, 812)
  }
}
