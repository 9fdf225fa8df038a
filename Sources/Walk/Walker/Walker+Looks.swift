internal import Base

/// What a walk knows of the list's end, and what it must still look at.
extension Walker {
  /// A counted total was the same in every answer, and equals the distinct keys. In a single answer it may count a
  /// record twice: nothing can have come between.
  var isTotalReached: Bool { isCounted && state.hasSameTotal && !isShortOfTotal }

  /// The counted total differs from the number of records.
  var isShortOfTotal: Bool {
    guard isCounted, !state.areTotalsOfPages, let total = state.lastTotal else { return false }
    return total != (state.ordinal == 1 ? state.counts.received : state.distinct)
  }

  // MARK: looks

  /// The last page, if known from page 1 or from the previous walk, and if looking at it now can become a proof: three
  /// or more pages by position, without a better total.
  func lastPageToLookAt(_ page: PageSummary, _ outcome: Outcome) -> Cursor? {
    guard page.ordinal == 1, case .next(let next) = outcome, state.lastPage == nil,
      !isFirm, !rules.isSearch, handed.range == nil, readsPositions,
      !reachesCap(page)
    else { return nil }
    guard !rules.pagesOverlap, !next.isSized, let last = page.last ?? memory.lastPage, last != next,
      last != page.cursor
    else { return nil }
    return last
  }

  /// The server says that a page is as stored, but the look at it found other records.
  mutating func noteFalse304(_ page: PageSummary) {
    guard let look = state.lastPage, look.contradicts(page) else { return }
    hasFalse304 = true
    state.move(
      "page \(page.ordinal), requested whole, held other records than those for which the server "
        + "says 304: its validators are wrong (write `conditional: false`)")
  }

  /// By page 1's total the list ends at the API's limit, or there is no total.
  private func reachesCap(_ page: PageSummary) -> Bool {
    guard let cap = rules.cap else { return false }
    return page.total.map { $0 >= cap.doubt } ?? true
  }

  var readsPositions: Bool { isPositioned || state.addresses.isCounting }

  /// Pages are, or may be, by position: then no order shows the walk's place.
  var mayReadPositions: Bool { readsPositions || state.places.isCounting }
}
