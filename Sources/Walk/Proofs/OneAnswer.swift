internal import Base

extension ProofRule {
  static let oneAnswer = ProofRule(.oneAnswer) { judgement in
    judgement.state.pages == 1 && judgement.state.ordinal == 1 && judgement.isUnmoved
  }
}
