internal import Base

/// The totals in a walk's answers.
struct SeenTotals: Sendable {
  private(set) var first: Int?
  private(set) var last: Int?
  /// Every answer had one.
  var isEverywhere = true
  fileprivate var isVaried = false
  /// A total that should change only with the list differed on some page.
  fileprivate var hasOther = false
  /// Each was the number of records beside it.
  private(set) var areOfPages = true

  /// - Parameter isFirm: the total should change only with the list.
  mutating func note(_ page: PageSummary, isFirm: Bool) {
    guard let total = page.total else {
      isEverywhere = false
      return
    }
    if total != page.counts.received { areOfPages = false }
    first = first ?? total
    if let last, last != total {
      isVaried = true
      if isFirm { hasOther = true }
    }
    last = total
  }
}

extension WalkState {
  var firstTotal: Int? { totals.first }
  var lastTotal: Int? { totals.last }
  var isTotalEverywhere: Bool { totals.isEverywhere }

  /// Every answer has it, always the same, whatever it is worth.
  var hasSameTotal: Bool { isTotalEverywhere && firstTotal != nil && !totals.isVaried }

  /// They count the records of each page, not of the list.
  var areTotalsOfPages: Bool { totals.areOfPages && totals.isVaried }

  /// The list had another length on some page.
  var hasOtherTotal: Bool { totals.hasOther && !areTotalsOfPages }
}
