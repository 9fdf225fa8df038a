internal import Base

/// Ceilings that no job declares.
extension Walker {
  /// At these numbers APIs end a list without saying so.
  private static let ceilings: Set = [500, 1_000, 10_000, 40_000]

  /// A list that ends at a round number with a full last page may have been cut by the API. An empty page after it does
  /// not help; only a total that agrees does, and an uncounted total only together with such a page.
  func isAtRoundNumber(_ ending: WalkEnd) -> Bool {
    let came = state.distinct
    guard rules.cap == nil, ending.rule != .lastCompleteRange, Self.ceilings.contains(came),
      let size = rules.sizeValue ?? state.lastWithRecords?.received, size > 1, came % size == 0,
      state.longest >= min(size, came)
    else { return false }
    if isCounted, state.lastTotal == came { return false }
    guard ending.rule == .emptyPage else { return true }
    if let trust = rules.trust, trust != .worthless, state.firstTotal == came {
      return false
    }
    return !state.unreadSigns.full.contains { sign in
      (sign.kind == .length || sign.kind == .count) && sign.number == came
    }
  }

  /// The API's estimate, if it exceeds what came by a tenth or more, up to the API's own limit.
  var estimateBeyond: Int? {
    guard rules.trust == .estimate, let said = state.lastTotal else { return nil }
    let due = min(said, rules.cap?.at ?? said)
    return due > 0 && due * 10 >= state.distinct * 11 ? said : nil
  }
}
