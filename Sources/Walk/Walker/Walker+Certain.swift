public import Base

extension Walker {
  /// The step that will follow a page whatever its records turn out to be, so that it can be in flight while the page
  /// is written; nil if that is uncertain. It is exactly the step that `received` returns for the page.
  func certainNext(after page: Page, step: Step) -> Step? {
    guard case .walking = phase, step.purpose == .page, handed.range == nil, !stepsBack,
      state.rejected.run + 1 < rejectedRunMax
    else { return nil }
    let next = isPositioned ? certainPosition(page, step) : certainChain(page)
    guard let next else { return nil }
    guard !state.wasAsked(rules.request(at: next)) else { return nil }
    // An address that cannot be built is not requested.
    return try? steps.step(.page, ordinal: step.ordinal + 1, at: next)
  }

  /// The steps that will certainly follow a page, at most `most`. More than one is certain only if a counted total
  /// exceeds all that they can reach. Answers out of order weaken no proof: the total is constant while the list is;
  /// and if it changed, a page answered before the change follows one answered after it, so that a key comes twice.
  /// Overlapping pages show only by their edges that nothing moved, and newest-first lists end where they are known:
  /// for both it is one step.
  public func certainNext(after page: Page, step: Step, most: Int) -> [Step] {
    guard let first = certainNext(after: page, step: step) else { return [] }
    var steps = [first]
    let size = max(page.records.count, rules.size(at: step.cursor) ?? 0)
    guard most > 1, isPositioned, isCounted, !rules.isNewestFirst, !rules.pagesOverlap,
      !isShort(page.records.count, step.cursor), let total = page.total ?? state.lastTotal
    else { return steps }
    var reach = max(state.covered + state.assumed, state.distinct) + size
    while steps.count < most, let last = steps.last {
      reach += size
      guard reach < total,
        state.rejected.run + 1 + steps.count < rejectedRunMax, !last.cursor.isSized,
        !variesBehind(last.cursor), let next = cursorAfter(last.cursor, received: size),
        !isPastCap(next, received: size), !passesCap(next),
        !state.wasAsked(rules.request(at: next)),
        // An address that cannot be built is not requested.
        let step = try? self.steps.step(.page, ordinal: last.ordinal + 1, at: next)
      else { break }
      steps.append(step)
    }
    return steps
  }

  /// The answer names its next page, and this page can trigger no loop guard.
  private func certainChain(_ page: Page) -> Cursor? {
    if state.ordinal == 0, page.last != nil || memory.lastPage != nil { return nil }
    if page.more == false || page.records.isEmpty && rules.endsEmpty { return nil }
    if isTotalReached(byEmpty: page.records.count, more: page.more, total: page.total) {
      return nil
    }
    guard state.staleRun + 1 < Self.stalePagesMax, state.emptyRun + 1 < Self.emptyPagesMax else {
      return nil
    }
    return page.next
  }

  /// The answer's flag says that more follow, or a counted total exceeds what this page can reach even if all its
  /// records are new.
  private func certainPosition(_ page: Page, _ step: Step) -> Cursor? {
    let received = page.records.count
    guard received > 0, page.more != false, state.staleRun == 0, !variesBehind(step.cursor),
      !step.cursor.isSized
    else { return nil }
    // Where the next page begins depends on what is new in this one.
    if step.cursor.isOffset, isShort(received, step.cursor) { return nil }
    // Whether the last page is looked at first depends on page 1's own keys.
    guard step.ordinal > 1 || isFirm || page.last == nil && memory.lastPage == nil else {
      return nil
    }
    if isCounted, let total = page.total ?? state.lastTotal {
      let overlap = overlap(into: step.cursor) ?? 0
      let reach = max(
        state.covered + state.assumed
          + min(received, rules.size(at: step.cursor) ?? received) - overlap,
        state.distinct + received)
      guard reach < total else { return nil }
    } else if page.more != true {
      return nil
    }
    guard let next = cursorAfter(step.cursor, received: received),
      !isPastCap(next, received: received), !passesCap(next)
    else { return nil }
    return next
  }
}
