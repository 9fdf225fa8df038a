internal import Base

/// An empty answer does not prove an empty list: some APIs answer like that to clients without access, or after too
/// many requests. Other knowledge decides.
extension Walker {
  /// From this many expected records on, the parent's count is right and the empty answer wrong; fewer may all be
  /// hidden.
  static let certainFrom = 10
  /// From this many expected records on, less than half is too few. Otherwise hidden and suspended records may explain
  /// the difference.
  static let countableFrom = 50

  /// Why the result cannot be the list, in a sentence; nil: it may be.
  func emptiness(_ ending: WalkEnd) -> String? {
    if ending.rule == .lastCompleteRange { return nil }
    if state.counts.received == 0 { return emptiness }
    guard let expected = memory.expected, expected >= Self.countableFrom,
      state.distinct < expected - state.distinct
    else { return nil }
    return "\(expectation) says \(Wording.number(expected)), and only "
      + "\(Wording.number(state.distinct)) came"
  }

  private var emptiness: String? {
    if let expected = memory.expected {
      if expected == 0 || expected < Self.certainFrom && memory.isEmptyForLong { return nil }
      return "\(expectation) says \(Wording.number(expected)), and none came"
    }
    // The API counts none: nothing is missing.
    if isFirm, state.lastTotal == 0 { return nil }
    guard memory.rowsBefore > 0, !memory.isEmptyForLong else { return nil }
    // 1 also means a list whose empty answer was not believed yet.
    let before = memory.rowsBefore > 1 ? ", and the list held \(memory.rowsBefore) records" : ""
    return "none came\(before); that is believed from the third walk on, 40 hours later"
  }

  private var expectation: String {
    rules.expectation ?? "its parent"
  }
}
