internal import Base

/// Numbered pages that overlap through varied sizes, if nothing better proves a list.
extension Walker {
  private var mayVarySizes: Bool {
    !handed.carried.hasFixedSizes && memory.sizesHold != false && state.isOverlapping
      && VariedSizes.suit(rules)
  }

  /// Whether the page after this one is requested in a size of its own.
  func variesBehind(_ cursor: Cursor) -> Bool {
    guard mayVarySizes else { return false }
    if case .sized = cursor { return true }
    return cursor == rules.first
  }

  /// Each page showed that it follows the previous one.
  var showsOverlap: Bool {
    state.isOverlapping && (rules.pagesOverlap || state.sizes.isVaried && areSizesKnown)
  }

  /// The last record came alone when requested alone: in this walk, or an earlier one. A short page may just have the
  /// API's own size.
  private var areSizesKnown: Bool { memory.sizesHold == true || state.sizes.hasSingleLast }

  /// What this walk learnt of sizes, for later walks.
  public var sizesHold: Bool? {
    if ignoresSizes { return false }
    return state.sizes.hasSingleLast && memory.sizesHold == nil ? true : nil
  }

  /// The page that begins with this one's last record; nil if pages continue in one size.
  func variedCursor(after page: PageSummary) -> Cursor? {
    let received = page.counts.received
    guard variesBehind(page.cursor), let size = rules.sizeValue,
      let asked = rules.size(at: page.cursor), let count = end(of: page.cursor, received)
    else { return nil }
    if case .sized = page.cursor {
      // After a short page there must be nothing.
      if received < asked || state.sizes.isSingleLast {
        return .sized(rules.firstNumber + count - (areSizesKnown ? 0 : 1), 1)
      }
    } else if received != size || !fitsInVariedPages(page, size) {
      return nil
    }
    guard page.ordinal < rules.limits.variedPagesMax,
      let next = VariedSizes.next(after: count, size: size, within: rules.cap?.at ?? .max),
      next.overlap <= received
    else { return nil }
    return .sized(rules.firstNumber + next.number, next.size)
  }

  /// As far as the list's length is known.
  private func fitsInVariedPages(_ page: PageSummary, _ size: Int) -> Bool {
    guard rules.limits.variedPagesMax < .max else { return true }
    let reach = VariedSizes.reach(pages: rules.limits.variedPagesMax, size: size)
    if let total = page.total, rules.trust == .estimate, total > reach { return false }
    for case .number(let number)? in [page.last, memory.lastPage] {
      guard let before = rules.recordsBefore(page: number, size: size), before + size <= reach
      else { return false }
    }
    return true
  }

  /// The place after a page's last record.
  func end(of cursor: Cursor, _ received: Int) -> Int? {
    let (page, size): (Int, Int?) =
      switch cursor {
      case .number(let page): (page, rules.size(at: cursor))
      case .sized(let page, let size): (page, size)
      default: (0, nil)
      }
    guard let size, let before = rules.recordsBefore(page: page, size: size) else { return nil }
    return before + min(received, size)
  }

  /// How many earlier records a page by number has, with varied sizes.
  func variedOverlap(into cursor: Cursor) -> Int? {
    guard let last = state.lastRead, last.cursor.isSized || cursor.isSized,
      let end = end(of: last.cursor, last.positions), let begin = self.end(of: cursor, 0)
    else { return nil }
    return max(0, end - begin)
  }

  /// The page in the stream's own size that contains the place after this one.
  func cursorBehind(sized page: Int, _ size: Int, received: Int) -> Cursor? {
    guard let whole = rules.sizeValue, whole > 0,
      let end = end(of: .sized(page, size), received > 0 ? received : size)
    else { return nil }
    return .number(rules.firstNumber + end / whole)
  }

  /// Whether the API has sizes of its own: the first page of another size, or one before the cap, does not begin with
  /// the previous page's last record, nor with more of it, or the last record cannot be requested alone, or comes again
  /// where nothing follows it. Nothing is lost yet, but the walk must start over.
  func showsFixedSizes(_ page: PageSummary) -> Bool {
    guard let asked = rules.size(at: page.cursor), page.cursor.isSized else { return false }
    if asked > 1, page.ordinal == 2 || isBeforeCap {
      return page.leadingRepeats == 0 || page.counts.received > asked
    }
    if isBeforeCap, !state.sizes.hasShortEnd { return page.counts.received != 1 }
    guard asked == 1, state.sizes.hasShortEnd else { return false }
    return overlap(into: page.cursor) == 0
      ? page.counts.received > 0 && page.unseen == 0
      : !areSizesKnown && !state.joins(page, 1)
  }

  mutating func goOnInOneSize(_ page: PageSummary) -> Outcome {
    // An empty page, or one without the one record, may mean that the list just became shorter.
    let received = page.counts.received
    if let asked = rules.size(at: page.cursor),
      received > asked || received > 0 && overlap(into: page.cursor) ?? 0 > 1
    {
      ignoresSizes = true
    }
    return goOnInOneSize()
  }

  mutating func goOnInOneSize() -> Outcome {
    startFresh()
    handed.carried.hasFixedSizes = true
    return .next(rules.first)
  }

  func isShort(_ received: Int, _ cursor: Cursor) -> Bool {
    rules.size(at: cursor).map { received < $0 } ?? false
  }

  /// Notes a page by number that is longer than requested when page 1 is not: places before the next page are left out,
  /// since pages lie where their size puts them. The last page may include what is too little for another, and a
  /// counted total shows by itself whether all came.
  mutating func noteGrowth(_ page: PageSummary) {
    guard case .number = page.cursor, page.ordinal > 1, rules.trust != .counted,
      let size = rules.sizeValue, let first = state.firstReceived, first <= size,
      page.counts.received > 0
    else { return }
    if state.longPage == nil, page.counts.received > size { state.longPage = page }
    guard let long = state.longPage, long.ordinal < state.ordinal else { return }
    state.move(
      "page \(long.ordinal) holds \(long.counts.received) records where \(size) were requested, and "
        + "page 1 held \(first): pages of two sizes leave out what is between them")
  }

  /// A size parameter that the API ignores or reduces silently triples the requests. Page 1 shows it at half the size
  /// or less; two equal short pages show the rest, unless one record is missing from each (a suspended account).
  mutating func noteSize(_ page: PageSummary, isFollowed: Bool) {
    let received = page.counts.received
    guard isFollowed, page.ordinal <= 2, let parameter = rules.sizeParameter,
      let asked = rules.size(at: page.cursor), received > 0, received < asked,
      page.next != nil || page.more == true || (page.total ?? 0) > state.covered
    else { return }
    let isHalf = page.ordinal == 1 && received * 2 <= asked
    let isTwice =
      page.ordinal == 2 && state.firstReceived == received && received * 2 > asked
      && asked - received > 1
    guard isHalf || isTwice else { return }
    warnings.append(
      "asked for \(asked) a page by \"\(parameter)\" and got \(received) with more to come: "
        + "the API does not know that parameter, or allows no more")
  }
}
