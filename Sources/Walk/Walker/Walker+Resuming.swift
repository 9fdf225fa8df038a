internal import Base

/// Resumes an unfinished unit: the stored pages pass through the same rules again, which gives the same state as if the
/// walk had never stopped.
extension Walker {
  mutating func resume(_ all: [PageSummary]) {
    // What ended an earlier run is requested again.
    let stored = all.filter { $0.trouble == nil || $0.isUnreadable }
    // In list order: a repaired page may have been stored last.
    let ordered = stored.enumerated().sorted {
      ($0.element.ordinal, $0.offset) < ($1.element.ordinal, $1.offset)
    }
    // The last page was looked at before its turn.
    for page in stored where page.purpose == .lastPage && !page.isUnreadable { note(look: page) }
    for (_, page) in ordered where page.purpose != .closingCheck && !page.purpose.isLook {
      replay(page)
    }
    for page in stored where page.purpose.isLook && !page.isUnreadable { note(look: page) }
    // A check without a certificate: its findings stay true, and it is repeated.
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
    let last = stored.last(where: \.purpose.readsTheList)
    if let last, last.purpose == .seam, !last.isUnreadable { seam = last }
    pagesBefore = state.pages
    state.hasLongPause = handed.walkBreak.outlasts(rules.tokenLife)
    if case .end(let ending) = state.pending, ending.isFailure {
      guard isPositioned, let next = cursorAfterLast else { return startFresh() }
      state.unreadableRun = 0
      state.pending = .next(next)
    }
  }

  /// Whether the list is read from the beginning after all.
  var beginsAgain: Bool {
    state.pending != nil
      && handed.walkBreak.beginsAgain(
        life: rules.tokenLife, isCompared: isCompared, pages: state.pages)
  }

  /// Its pages are compared with each other or with a total, so they must be of one time. Pages that follow a token
  /// alone are not.
  private var isCompared: Bool { (readsPositions || isFirm) && !goesByOrder }

  /// A declared order shows where the walk is, whatever changed meanwhile.
  private var goesByOrder: Bool {
    guard let order = state.order, order.flaw == nil else { return false }
    return stepsBack || rules.paging == .chain && !mayReadPositions
  }

  /// Whether the pause alone may explain what counts against the list.
  var mayReadAgain: Bool {
    handed.isResumed && isCompared
      && handed.walkBreak.mayReadAgain(
        life: rules.tokenLife, before: pagesBefore, since: state.pages - pagesBefore)
  }

  /// A page's role follows from its place, not from the purpose of its request: a second reading may have replaced the
  /// first one's row.
  private mutating func replay(_ page: PageSummary) {
    // An unreadable page of a chain, or page 1, leads nowhere: it is named, or requested, again.
    if page.isUnreadable && (!isPositioned || page.ordinal == 1) { return }
    // An address that cannot be built is not requested again either.
    if let step = try? steps.step(.page, ordinal: page.ordinal, at: page.cursor) {
      _ = remember(step)
    }
    if page.isUnreadable, page.purpose == .seam, page.ordinal <= state.ordinal {
      // Its first reading stays valid.
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
