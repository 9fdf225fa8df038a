internal import Base

extension ProofRule {
  static let ends = ProofRule(.ends, standsEmptyPage: false) { judgement in
    let state = judgement.state
    // A page that is empty between others hides what stands there.
    return state.pages > 1 && state.repeats == 0 && !state.isHollow && state.isFirstSame
      && judgement.isLastSame && state.unreadSigns.olderPage == nil
  }
}
