public import Base

extension Walker {
  /// The kinds of proof that the form of its answers left open, whether or not they came about: what a list
  /// that was proven had, and may lose. Nil: one answer shows none.
  public var openProofs: Set<ProofKind>? {
    guard state.pages > 1 else { return nil }
    var open: Set<ProofKind> = []
    if state.isTotalEverywhere, state.firstTotal != nil {
      if rules.trust == .counted { open.insert(.counted) }
      if rules.trust == .steady { open.insert(.steady) }
    }
    if state.lastPage != nil || hadNoPageToLookAt, readsPositions { open.insert(.ends) }
    if state.sizes.isVaried || isBeyondVariedSizes { open.insert(.overlap) }
    if state.order?.isWhole == true { open.insert(.anchored) }
    return open
  }

  /// It ended with page 2 or before when it was read last: that it has grown since takes no proof away.
  private var hadNoPageToLookAt: Bool {
    guard case .number(let last)? = memory.lastPage, last <= rules.firstNumber + 1 else {
      return false
    }
    return !isCountedOrSteady && !rules.isSearch && rules.cap == nil && !state.sizes.isVaried
  }

  /// A list that has grown beyond such sizes has lost nothing.
  private var isBeyondVariedSizes: Bool {
    guard VariedSizes.suit(rules, from: rules.limits.variedFrom), let size = rules.sizeValue,
      rules.limits.variedPagesMax < .max
    else { return false }
    return state.pages * size > VariedSizes.reach(pages: rules.limits.variedPagesMax, size: size)
  }
}
