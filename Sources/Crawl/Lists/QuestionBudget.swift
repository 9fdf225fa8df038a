internal import Base

/// How many records one run asks for, over all of its lists: whoever is missing is a question each,
/// and a list that shows half of itself must not cost a quota.
final class QuestionBudget: Sendable {
  static let most = 20
  /// Of those who were just received, before anybody is believed to be gone.
  static let controlsMost = 3

  private let left = Locked(QuestionBudget.most)

  var remaining: Int { left.withLock { $0 } }

  func spend() { left.withLock { $0 -= 1 } }
}
