internal import Base

extension ProofRule {
  static let anchored = ProofRule(.anchored, standsEmptyPage: false, standsPause: true) {
    $0.walk.orderProof($0.ending) == .anchored
  }

  static let orderedOverlap = ProofRule(.orderedOverlap, standsPause: true) {
    $0.walk.orderProof($0.ending) == .orderedOverlap
  }
}
