internal import Model

extension ProofRule {
  static let counted = ProofRule(.counted) { judgement in
    judgement.walk.isTotalReached && judgement.isUnmoved
  }
}
