/// What happens around a job's runs: programs that print its secrets, notifications, watched queries. Only from the
/// user's own settings: a job file from elsewhere runs nothing.
public struct JobHooks: Sendable, Equatable {
  public enum Ping: Sendable, Equatable {
    case address(WebAddress)
    case command([String])
  }

  /// Called after each run with exit code 0 or 75, for a monitor that alerts when calls stop.
  public var ping: Ping?
  /// A program and its arguments, run after each run; empty: none.
  public var after: [String]
  public var watches: [Watch]
  /// Programs and their arguments that print a secret, by its name.
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
  /// The most rows of the query that are compared; the rest is not watched.
  public static let rowsMax = 10_000
  /// The most rows that a run delivers (the next one has the rest), its report shows, and the feed has.
  public static let deliveredMax = 1_000
  public static let shownMax = 20
  public static let feedMax = 100

  public var name: String
  public var sql: String
  /// The columns that identify a row; empty: the first column.
  public var key: [String] = []
  /// A program that receives the rows; empty: none.
  public var send: [String]
  public var timeMax = JobHooks.timeMax

  public init(name: String, sql: String, send: [String] = []) {
    self.name = name
    self.sql = sql
    self.send = send
  }
}
