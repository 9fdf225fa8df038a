/// One row of a job's error table: all its conditions must hold. A rule without a status also looks at answers of 200,
/// in which some APIs report errors.
public struct ErrorRule: Sendable, Equatable {
  public enum Action: String, Sendable, CaseIterable {
    /// The same request after a short wait.
    case retry
    /// Not before the quota resets or the given wait is over.
    case `defer`
    /// Needs a person; the run ends.
    case fatal
    /// The key is refused; the run ends until a person provides another one.
    case key
    /// This unit only: it does not exist.
    case skip
    /// The normal end of the list.
    case end
    /// The answer is a list without entries.
    case empty
    /// The unit starts over at page 1, once in a run: its page token has expired.
    case restart
    /// The unit's window is older than the API answers: a permanent gap.
    case gap
  }

  public var statuses: [ClosedRange<Int>]
  /// Any value that the path leads to must pass the test.
  public var path: JSONPath?
  public var field: String?
  /// Tests the value at `path`, the header `field`, or without both the whole body as text. It must equal this byte for
  /// byte; `*` matches any run of bytes.
  public var test: String?
  public var action: Action
  /// For `defer`: the exhausted quota. Nil: all that the request spends.
  public var quota: String?
  /// For `retry` and `defer`: the shortest wait.
  public var wait: Duration?
  /// For `end`: the walk hit the API's cap.
  public var isCap: Bool
  /// A sentence for the user.
  public var message: String?

  public init(
    statuses: [ClosedRange<Int>] = [], path: JSONPath? = nil, field: String? = nil,
    test: String? = nil, action: Action, quota: String? = nil, wait: Duration? = nil,
    isCap: Bool = false, message: String? = nil
  ) {
    self.statuses = statuses
    self.path = path
    self.field = field
    self.test = test
    self.action = action
    self.quota = quota
    self.wait = wait
    self.isCap = isCap
    self.message = message
  }
}
