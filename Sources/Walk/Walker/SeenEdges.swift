internal import Base

/// Pages that are requested by the previous page's last record: whether they begin with it.
struct SeenEdges: Sendable {
  private let goesByRecord: Bool
  private let isUnique: Bool
  /// A page that did not, although several records may share that value: some may be lost.
  private(set) var loose: Int?

  /// The walk ended with the last record alone: all that is left, or all that the server gave.
  var endsAlone = false

  init(_ rules: WalkRules) {
    (goesByRecord, isUnique) = (rules.goesByRecord, rules.isRecordUnique)
  }

  /// Which proofs such a list can have. What is lost at an edge, every walk loses.
  func proofs(distinct: Int) -> [ProofKind] {
    if loose != nil || endsAlone && distinct == 1 { return [.counted] }
    return endsAlone ? [.counted, .twice] : ProofKind.allCases
  }

  /// How many records of the previous page it should begin with.
  mutating func note(_ page: PageSummary, behind before: ReadPage?) -> Int {
    guard goesByRecord, let before, before.ordinal == page.ordinal - 1 else { return 0 }
    if isUnique { return page.firstKey != nil && page.firstKey == before.page.lastKey ? 1 : 0 }
    if page.unseen == page.counts.received { loose = loose ?? page.ordinal }
    return page.leadingRepeats
  }
}
