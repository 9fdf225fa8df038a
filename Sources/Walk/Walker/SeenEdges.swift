internal import Base

/// Pages that are requested by the last record of the page before: whether they begin with it again.
struct SeenEdges: Sendable {
  private let goesByRecord: Bool
  private let isUnique: Bool
  /// A page that did not, where several records may have what names it: some of them may be lost.
  private(set) var loose: Int?

  /// It came to its end by the last record alone: all that is left, or all that the server gave.
  var endsAlone = false

  init(_ rules: WalkRules) {
    (goesByRecord, isUnique) = (rules.goesByRecord, rules.isRecordUnique)
  }

  /// What may show such a list to be whole. What an edge has lost, each walk loses.
  func proofs(distinct: Int) -> [ProofKind] {
    if loose != nil || endsAlone && distinct == 1 { return [.counted] }
    return endsAlone ? [.counted, .twice] : ProofKind.allCases
  }

  /// How many records of the page before it rightly begins with.
  mutating func note(_ page: PageSummary, behind before: WalkState.LastRead?) -> Int {
    guard goesByRecord, let before, before.ordinal == page.ordinal - 1 else { return 0 }
    if isUnique { return page.firstKey != nil && page.firstKey == before.lastKey ? 1 : 0 }
    if page.unseen == page.counts.received { loose = loose ?? page.ordinal }
    return page.leadingRepeats
  }
}
