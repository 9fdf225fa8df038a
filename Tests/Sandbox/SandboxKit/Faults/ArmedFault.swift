internal import Base

/// Faults that a test sets for certain requests, beside those that are drawn: "the third page of
/// followers is cut, once".
public struct ArmedFault: Sendable, Equatable {
  public var kind: FaultKind
  /// Only requests whose target holds this text; empty is any.
  public var target: String
  /// Matching requests that are left whole first.
  public var skip: Int
  /// Matching requests that are hit after those.
  public var count: Int

  public init(_ kind: FaultKind, target: String = "", skip: Int = 0, count: Int = 1) {
    self.kind = kind
    self.target = target
    self.skip = skip
    self.count = count
  }

  /// Whether a request with this target is hit; counts it.
  mutating func take(_ requestTarget: String) -> Bool {
    guard count > 0, target.isEmpty || requestTarget.holds(target) else { return false }
    if skip > 0 {
      skip -= 1
      return false
    }
    count -= 1
    return true
  }
}

/// The list of them; the first that matches decides, and the others do not count that request.
final class ArmedFaults: Sendable {
  private let list = Locked<[ArmedFault]>([])

  /// More at one time than any test sets.
  private static let max = 1000

  func add(_ fault: ArmedFault) {
    list.withLock { if $0.count < Self.max { $0.append(fault) } }
  }

  func removeAll() { list.withLock { $0 = [] } }

  func take(_ target: String) -> FaultKind? {
    list.withLock { list in
      for index in list.indices where list[index].take(target) {
        let kind = list[index].kind
        if list[index].count == 0 { list.remove(at: index) }
        return kind
      }
      return nil
    }
  }
}
