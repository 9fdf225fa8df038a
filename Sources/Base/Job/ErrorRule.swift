/// One row of a job's error table: all conditions that are given must hold. A rule without a status
/// looks at every answer, also at one of 200: some APIs say there what went wrong.
public struct ErrorRule: Sendable, Equatable {
  public enum Action: String, Sendable, CaseIterable {
    /// The same request after a short wait.
    case retry
    /// Not before the quota resets, or the wait that is given.
    case `defer`
    /// Needs a person; the run ends.
    case fatal
    /// The key is refused; the run ends, and a person has to give another one.
    case key
    /// This unit only: it is not there.
    case skip
    /// The normal end of the list.
    case end
    /// The answer is a list without entries.
    case empty
    /// The unit begins again at page 1, once in a run: its page token has died.
    case restart
    /// The unit's window lies further back than the API answers: a gap for good.
    case gap
  }

  public var statuses: [ClosedRange<Int>]
  /// Any value that the path reaches must pass the test.
  public var path: JSONPath?
  public var field: String?
  /// Holds for the value at `path`, the header `field`, or without both the whole body as text.
  /// That must equal this byte for byte; `*` matches any run of bytes.
  public var test: String?
  public var action: Action
  /// For `defer`: the quota that is spent. Nil: those that the request spends.
  public var quota: String?
  /// For `retry` and `defer`: how long at least.
  public var wait: Duration?
  /// For `end`: the walk met the API's cap.
  public var isCap: Bool
  /// The sentence for a person.
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
