internal import Base

/// Reads what is new in a newest-first list, above the stretch that an earlier walk proved. Between two pages a record
/// may leave, or move to the front, and make another slip past. That page 1 is the same at the end excludes it only for
/// two pages.
extension Walker {
  /// How often it is read until two readings in a row agree.
  static let frontPassesMax = 3

  /// The pages above the stretch have all that was there from the first request to the last.
  func isFrontHeld(_ ending: WalkEnd) -> Bool {
    if orderProof(ending) != nil { return true }
    // Pages of different nights show no single list.
    if state.hasLongPause { return false }
    if state.pages == 1 { return true }
    guard state.repeats == 0, !state.isHollow else { return false }
    if showsOverlap { return true }
    if let front = handed.carried.frontPattern, front == state.pattern { return true }
    return state.pages == 2 && state.isFirstSame && state.unreadSigns.olderPage == nil
  }

  /// It ends at a proven stretch, and only the front denies it a proof.
  private func isFrontMissed(_ ending: WalkEnd, _ verdict: Verdict, _ cause: Shortfall?) -> Bool {
    guard ending.rule == .lastCompleteRange, memory.isRangeProven, state.pages > 1 else {
      return false
    }
    return cause == .moved
      || verdict == .unproven && !isFrontHeld(ending) && weighedSigns(ending).doubts.isEmpty
  }

  /// Another reading of what is new, to compare with this one; nil if useless.
  mutating func readFrontAgain(
    _ ending: WalkEnd, _ verdict: Verdict, _ cause: Shortfall?
  ) -> Move? {
    guard isFrontMissed(ending, verdict, cause), handed.carried.passes < Self.frontPassesMax else {
      return nil
    }
    handed.carried.frontPattern = state.pattern
    // What this reading returned is stored, and no longer new.
    handed.memory.rowsListed = memory.rowsListed.map { $0 + state.counts.new }
    return passAgain()
  }
}
