/// One quota as the server counts it.
public struct ServerQuota: Sendable, Equatable {
  /// What the server calls it, where it does.
  public var name: String?
  public var limit: Int?
  public var remaining: Int?
  public var used: Int?
  /// From the answer's date.
  public var resetsIn: Duration?
  /// How long a window of it is.
  public var window: Duration?

  public init(
    name: String? = nil, limit: Int? = nil, remaining: Int? = nil, used: Int? = nil,
    resetsIn: Duration? = nil, window: Duration? = nil
  ) {
    self.name = name
    self.limit = limit
    self.remaining = remaining
    self.used = used
    self.resetsIn = resetsIn
    self.window = window
  }
}
