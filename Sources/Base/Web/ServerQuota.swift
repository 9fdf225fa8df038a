/// One quota as the server counts it.
public struct ServerQuota: Sendable, Equatable {
  /// The server's name for it, if it has one.
  public var name: String?
  public var limit: Int?
  public var remaining: Int?
  public var used: Int?
  /// Relative to the answer's date.
  public var resetsIn: Duration?
  /// The length of its window.
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
