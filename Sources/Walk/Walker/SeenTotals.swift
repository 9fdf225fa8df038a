internal import Base

/// The totals that the answers of a walk had.
struct SeenTotals: Sendable {
  var first: Int?
  private(set) var last: Int?
  /// Every answer had one.
  var isEverywhere = true
  fileprivate var isVaried = false
  /// One that is said to change only where the list does was another on some page.
  fileprivate var hasOther = false
  /// Each was the number of records beside it.
  private(set) var areOfPages = true

  /// - Parameter isFirm: it is said to change only where the list does.
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

  /// Every answer has it, and all the same, whatever it is worth.
  var hasSameTotal: Bool { isTotalEverywhere && firstTotal != nil && !totals.isVaried }

  /// They say how many records each page has, and nothing of the list.
  var areTotalsOfPages: Bool { totals.areOfPages && totals.isVaried }

  /// The list had another length on some page.
  var hasOtherTotal: Bool { totals.hasOther && !areTotalsOfPages }
}
