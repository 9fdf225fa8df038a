internal import Base

extension ProofRule {
  static let overlap = ProofRule(.overlap) { judgement in
    judgement.walk.showsOverlap && judgement.state.repeats == 0
  }
}
