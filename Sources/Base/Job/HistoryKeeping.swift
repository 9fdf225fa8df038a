/// How long the history of volatile columns keeps every value. Of what is older it keeps the last of each
/// day, in UTC.
public struct HistoryKeeping: Sendable, Equatable {
  public var columns: [String]
  public var full: Duration

  public init(columns: [String], full: Duration) {
    self.columns = columns
    self.full = full
  }
}

/// A history of which much would go if its job let it be thinned.
public struct ThinnableHistory: Sendable, Equatable {
  /// How old a value is before it is counted here.
  public static let age = Duration.seconds(30 * 86_400)

  /// As people read it.
  public var name: String
  public var values: Int
  /// Older than that, and not the last of their day.
  public var removable: Int
  /// What these take, about.
  public var bytes: Int

  public init(name: String, values: Int, removable: Int, bytes: Int) {
    self.name = name
    self.values = values
    self.removable = removable
    self.bytes = bytes
  }
}
