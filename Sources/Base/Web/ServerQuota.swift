/// One quota as the server counts it.
public struct ServerQuota: Sendable, Equatable {
  /// The server's name for it, if it has one.
  public var name: String?
  public var limit: Int?
  public var remaining: Int?
  /// Relative to the answer's date.
  public var resetsIn: Duration?
  /// The length of its window.
  public var window: Duration?

  public init(
    name: String? = nil, limit: Int? = nil, remaining: Int? = nil, resetsIn: Duration? = nil,
    window: Duration? = nil
  ) {
    self.name = name
    self.limit = limit
    self.remaining = remaining
    self.resetsIn = resetsIn
    self.window = window
  }
}
