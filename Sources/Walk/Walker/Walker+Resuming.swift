internal import Base

/// Going on with an unfinished unit: the stored pages go through the same rules again, which gives
/// the same state as if the walk had never stopped.
extension Walker {
  mutating func resume(_ all: [PageSummary]) {
    // What ended an earlier run is asked once more.
    let stored = all.filter { $0.trouble == nil || $0.isUnreadable }
    // In the order of the list: a repaired page may have been stored last.
    let ordered = stored.enumerated().sorted {
      ($0.element.ordinal, $0.offset) < ($1.element.ordinal, $1.offset)
    }
    // The last page was looked at before its turn came.
    for page in stored where page.purpose == .lastPage && !page.isUnreadable { note(look: page) }
    for (_, page) in ordered where page.purpose != .closingCheck && !page.purpose.isLook {
      replay(page)
    }
    for page in stored where page.purpose.isLook && !page.isUnreadable { note(look: page) }
    // A check that was made and not certified: what it showed stays true, and it is made again.
    for page in stored
    where page.purpose == .closingCheck && page.ordinal == 1 && !page.isUnreadable {
      state.close(page, isFirm: isFirm, showsMove: readsPositions)
    }
    guard state.pending != nil else { return }
    if state.ordinal == 1, let first = ordered.last(where: { $0.element.purpose == .page }),
      case .next(let next) = state.pending
    {
      lookLeft = lastPageToLookAt(first.element, .next(next))
    }
    pagesBefore = state.pages
    state.hasLongPause = handed.walkBreak.outlasts(rules.tokenLife)
    if case .end(let ending) = state.pending, ending.isFailure {
      guard isPositioned, let next = cursorAfterLast else { return startFresh() }
      state.unreadableRun = 0
      state.pending = .next(next)
    }
  }

  /// Whether its list is read from the beginning, after all.
  var beginsAgain: Bool {
    state.pending != nil
      && handed.walkBreak.beginsAgain(
        life: rules.tokenLife, isCompared: isCompared, pages: state.pages)
  }

  /// Its pages are held against each other or against a total, so that they must be of one time. What
  /// is behind a token alone is not.
  private var isCompared: Bool { (readsPositions || isFirm) && !goesByOrder }

  /// A declared order says where the walk is, whatever changed meanwhile.
  private var goesByOrder: Bool {
    guard let order = state.order, order.flaw == nil else { return false }
    return stepsBack || rules.paging == .chain && !mayReadPositions
  }

  /// What speaks against the list may be a matter of the pause alone.
  var mayReadAgain: Bool {
    handed.isResumed && isCompared
      && handed.walkBreak.mayReadAgain(
        life: rules.tokenLife, before: pagesBefore, since: state.pages - pagesBefore)
  }

  /// What a page is to the walk follows from its place, not from why it was asked: the second
  /// reading may have taken the row of the first.
  private mutating func replay(_ page: PageSummary) {
    // Nothing follows from an unreadable page of a chain: the one before it names it again. Nor from page 1.
    if page.isUnreadable && (!isPositioned || page.ordinal == 1) { return }
    // An address that cannot be built is not asked again either.
    if let step = try? steps.step(.page, ordinal: page.ordinal, at: page.cursor) {
      _ = remember(step)
    }
    if page.isUnreadable, page.purpose == .seam, page.ordinal <= state.ordinal {
      // Its first reading holds.
      state.move("the page that the walk resumes from cannot be read")
    } else if page.isUnreadable {
      guard state.unreadable[page.ordinal] == nil else { return }
      _ = outcomeOfUnreadable(page.ordinal, page.cursor, nil)
    } else if state.unreadable[page.ordinal] != nil {
      repair(page)
    } else if page.ordinal <= state.ordinal {
      if page.ordinal == state.lastRead?.ordinal {
        state.readSeam(
          page, credit: credit(page, overlap: state.lastRead?.overlap), isFirm: isFirm)
      }
    } else {
      _ = outcome(of: page)
    }
  }

  private var cursorAfterLast: Cursor? {
    let skipped = state.unreadable.max { $0.key < $1.key }
    if let skipped, skipped.key == state.ordinal { return cursorAfter(skipped.value.cursor) }
    return state.lastRead.flatMap { cursorAfter($0.cursor) }
  }
}
