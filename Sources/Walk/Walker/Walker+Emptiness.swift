internal import Base

/// An empty answer does not prove an empty list: some APIs answer so to clients that may not see
/// it, or have asked too often. What is known from elsewhere decides.
extension Walker {
  /// From so many expected records on the parent's count is right, and an empty answer is not; fewer may
  /// all be hidden ones.
  static let certainFrom = 10
  /// Of so many expected records less than half is too few. Less than that, or more than half, is what
  /// hidden and suspended records make of any such count.
  static let countableFrom = 50

  /// Why what came cannot be the list, in a sentence; nil: it may be.
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
    // 1 also stands for a list whose empty answer was not believed yet.
    let before = memory.rowsBefore > 1 ? ", and the list held \(memory.rowsBefore) records" : ""
    return "none came\(before); that is believed from the third walk on, 40 hours later"
  }

  private var expectation: String {
    rules.expectation ?? "its parent"
  }
}
