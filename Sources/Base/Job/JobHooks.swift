/// What happens around a job's runs: which programs print its secrets, what is notified, and what
/// is watched. Only from a person's own settings: a job file that is passed on runs nothing.
public struct JobHooks: Sendable, Equatable {
  public enum Ping: Sendable, Equatable {
    case address(WebAddress)
    case command([String])
  }

  /// Called after each run with exit code 0 or 75, for a monitor that alerts when the calls stop.
  public var ping: Ping?
  /// A program and its words, run behind each run; empty: none.
  public var after: [String]
  public var watches: [Watch]
  /// Programs with their words that print a secret, by its name.
  public var secrets: [String: [String]] = [:]

  public init(ping: Ping? = nil, after: [String] = [], watches: [Watch] = []) {
    self.ping = ping
    self.after = after
    self.watches = watches
  }

  /// How long a program may take.
  public static let timeMax = Duration.seconds(30)
}

/// A query whose new and changed rows are reported.
public struct Watch: Sendable, Equatable {
  /// Rows of the query that are compared; more are a table, and no news.
  public static let rowsMax = 10_000
  /// Rows that a run delivers (the next has the others), that its report shows, of the feed.
  public static let deliveredMax = 1_000
  public static let shownMax = 20
  public static let feedMax = 100

  public var name: String
  public var sql: String
  /// The columns that identify a row; empty: the first.
  public var key: [String]
  /// A program that gets the rows; empty: none.
  public var send: [String]
  public var timeMax: Duration

  public init(
    name: String, sql: String, key: [String] = [], send: [String] = [],
    timeMax: Duration = JobHooks.timeMax
  ) {
    self.name = name
    self.sql = sql
    self.key = key
    self.send = send
    self.timeMax = timeMax
  }
}
