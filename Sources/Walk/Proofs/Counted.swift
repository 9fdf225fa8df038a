internal import Base

extension ProofRule {
  static let counted = ProofRule(.counted) { judgement in
    judgement.walk.isTotalReached && judgement.isUnmoved
  }
}
