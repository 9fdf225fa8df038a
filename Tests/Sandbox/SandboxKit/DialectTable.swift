/// The imitated APIs, in the order of the help.
enum DialectTable {
  struct Entry: Sendable {
    var name: String
    /// One line for the help.
    var about: String
    /// Paths, and what they do, for the help.
    var paths: [(path: String, about: String)]
    var make: @Sendable (DialectSetting) -> any Dialect
  }

  static let all: [Entry] = [
    YouTubeDialect.entry, YouTubeProxyDialect.entry, NewsAPIDialect.entry, GitHubDialect.entry,
    GiphyDialect.entry, OpenMarketDialect.entry, OpenMarketDialect.secondEntry,
    MediaDialect.entry,
  ]
}
