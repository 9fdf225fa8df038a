internal import Base

extension ProofRule {
  static let joined = ProofRule(.joined) { $0.walk.isFrontHeld($0.ending) }
}
