internal import Base

/// Ceilings that no job declares.
extension Walker {
  /// At these APIs end a list without a word.
  private static let ceilings: Set = [500, 1_000, 10_000, 40_000]

  /// A list that ends at a round number, with its last page full, looks like one that the API cut.
  /// An empty page behind it looks alike; only a total that agrees distinguishes the two, and one
  /// that is not counted only together with such a page.
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

  /// What the API estimates is a tenth above what came, as far as its own limit lets through.
  var estimateBeyond: Int? {
    guard rules.trust == .estimate, let said = state.lastTotal else { return nil }
    let due = min(said, rules.cap?.at ?? said)
    return due > 0 && due * 10 >= state.distinct * 11 ? said : nil
  }
}
