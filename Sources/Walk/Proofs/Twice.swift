internal import Base

extension ProofRule {
  static let twice = ProofRule(.twice, standsPause: true) { judgement in
    judgement.memory.pattern != nil && judgement.memory.pattern == judgement.state.pattern
  }
}
