internal import Base

extension ProofRule {
  static let steady = ProofRule(.steady, standsEmptyPage: false) { judgement in
    let state = judgement.state
    return judgement.rules.trust == .steady && state.hasSameTotal && state.repeats == 0
      && judgement.isUnmoved && !state.isHollow
      && state.lastTotal.map { $0 >= state.distinct } ?? false
  }
}
