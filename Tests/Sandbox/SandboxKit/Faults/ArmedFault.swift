internal import Base

/// Faults that a test sets for certain requests, in addition to drawn ones: "truncate the third page of followers,
/// once".
public struct ArmedFault: Sendable, Equatable {
  public var kind: FaultKind
  /// Only requests whose target contains this text; empty: any.
  public var target: String
  /// How many matching requests are spared first.
  public var skip: Int
  /// How many matching requests are hit after those.
  public var count: Int

  public init(_ kind: FaultKind, target: String = "", skip: Int = 0, count: Int = 1) {
    self.kind = kind
    self.target = target
    self.skip = skip
    self.count = count
  }

  /// Counts the request, and returns whether it is hit.
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

/// The armed faults; the first match decides, and the others do not count that request.
final class ArmedFaults: Sendable {
  private let list = Locked<[ArmedFault]>([])

  func add(_ fault: ArmedFault) { list.withLock { $0.append(fault) } }

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
