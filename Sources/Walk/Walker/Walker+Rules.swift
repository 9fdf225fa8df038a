internal import Base

/// The stop rules: what follows from a page of the list, or from the lack of one.
extension Walker {
  /// Empty pages in a row that each name a next page.
  static let emptyPagesMax = 50
  /// Pages in a row without a new key that each name a next page.
  static let stalePagesMax = 3
  /// Unreadable pages in a row.
  private static let unreadablePagesMax = 3

  /// Takes in a page and returns what follows.
  mutating func outcome(of page: PageSummary) -> Outcome {
    var outcome: Outcome
    noteFalse304(page)
    if hasCapSign(page) {
      // Its zeros are not the length of the list.
      var silent = page
      silent.total = nil
      state.read(silent, credit: 0, size: nil, isFirm: isFirm)
      let why = "is empty and its total fell to 0: the API shows nothing past its limit"
      outcome = .end(WalkEnd(.capSign, "\(told(page.cursor)) \(why)", isCap: true))
    } else if showsFixedSizes(page) {
      outcome = goOnInOneSize(page)
    } else {
      let last = state.lastRead
      let overlap = overlap(into: page.cursor)
      let endsSizes = last?.cursor.isSized == true && !page.cursor.isSized
      // The pages before did not overlap.
      let beginsSizes =
        page.ordinal > 2 && page.cursor.isSized && last?.cursor.isSized == false
      state.read(
        page, credit: credit(page), size: rules.size(at: page.cursor), isFirm: isFirm,
        overlap: page.cursor.isSized || rules.pagesOverlap ? overlap : nil,
        repeats: endsSizes ? overlap ?? 0 : beginsSizes ? 0 : nil)
      noteGrowth(page)
      switch rules.paging {
      case .single: outcome = .end(WalkEnd(.singleAnswer, rules.isBatch ? "" : "single answer"))
      case .offset where stepsBack: outcome = orderedOutcome(page, after: last)
      case .number, .offset:
        outcome =
          mayHideRest(page, behind: last) ? .end(capEnd) : positionOutcome(page)
      case .chain: outcome = chainOutcome(page)
      }
      if let limit = page.signs.first(where: { $0.kind == .limit }) {
        outcome = .end(WalkEnd(.capSign, limit.value, isCap: true))
      }
      if outcome.isNext, let ending = rejectsEnd { outcome = .end(ending) }
    }
    state.pending = outcome
    return outcome
  }

  /// An empty page after the first whose total fell to 0: the API's silent ceiling.
  private func hasCapSign(_ page: PageSummary) -> Bool {
    isPositioned && page.counts.received == 0 && page.ordinal > 1 && page.total == 0
      && (state.lastTotal ?? 0) > 0 && !state.totals.areOfPages
      && !page.signs.contains { $0.kind == .notice }
  }

  // MARK: token, link, next address

  private mutating func noteCounting(_ page: PageSummary, _ next: Cursor) {
    let isAddress = if case .address = next { true } else { false }
    guard isAddress || state.order != nil else { return }
    // No address, no counting.
    let first = try? steps.step(.page, ordinal: 1, at: rules.first).address
    if state.order != nil, !rules.goesByRecord { state.places.note(page, first: first) }
    if case .address(let text) = next {
      state.addresses.note(
        text, first: first, size: rules.sizeValue, received: page.counts.received)
    }
  }

  /// These lists end if no next page is named, or if the answer's flag says that none follows: some APIs name a next
  /// page forever.
  private mutating func chainOutcome(_ page: PageSummary) -> Outcome {
    if let ending = firstAgain(page) { return .end(ending) }
    guard let next = page.next else { return .end(endWithoutNext(page)) }
    if page.counts.received == 0, rules.endsEmpty {
      return .end(WalkEnd(.emptyPage, "page \(page.ordinal) is empty"))
    }
    if page.more == false { return .end(.moreFlag(page)) }
    // A few empty pages in between, at exactly that count, are not an end yet.
    if isTotalReached(byEmpty: page.counts.received, more: page.more, total: page.total),
      state.emptyRun > Self.stalePagesMax, let total = page.total
    {
      return .end(
        WalkEnd(
          .emptyPage,
          "page \(page.ordinal) is empty, and all \(total) that the API says came before"))
    }
    noteCounting(page, next)
    if let ending = knownRangeEnd(page) { return .end(ending) }
    if state.staleRun >= Self.stalePagesMax {
      let more =
        page.keyClashes.acrossPages > 0 || page.counts.changed > 0
        || rules.hasChildren && page.counts.received > 0
      let isKeyWrong = state.keyClashes.onPage + page.keyClashes.onPage > 0
      return .end(
        .loop(
          "\(state.staleRun) pages in a row held no new record, and each named a next page"
            + (isKeyWrong
              ? "; the key does not distinguish the records of a page"
              : more
                ? "; \(rules.hasChildren ? "perhaps they" : "they") held more of the records before: so an API goes on within a page (MediaWiki's generator "
                  + "with prop), which is not read; request what fits in one answer, or the prop as a list of its own"
                : "")))
    }
    if state.emptyRun >= Self.emptyPagesMax {
      return .end(
        WalkEnd(
          .tooManyEmptyPages,
          "\(state.emptyRun) empty pages in a row, and each named a next one; if an empty page ends this "
            + "list, its job should say so: stops: \"empty\"", isFailure: true))
    }
    return .next(next)
  }

  /// Some APIs name a next page forever. An empty page is the end if its total, which no page contradicted, equals the
  /// records before it: an end that does not show.
  func isTotalReached(byEmpty received: Int, more: Bool?, total: Int?) -> Bool {
    guard received == 0, more != true, let total, let trust = rules.trust, trust != .worthless
    else { return false }
    return total > 0 && total == state.distinct && total == state.firstTotal
  }

  private mutating func endWithoutNext(_ page: PageSummary) -> WalkEnd {
    guard rules.goesByRecord, page.more != false else {
      return page.more == false && page.counts.received > 0
        ? .moreFlag(page)
        : WalkEnd(.noNextPage, "no next page after page \(page.ordinal)")
    }
    let received = page.counts.received
    if received == 0 { return WalkEnd(.emptyPage, "page \(page.ordinal) is empty") }
    // It ends with the record that it was requested by, which is the last, unless records of the same value fill the
    // page.
    if received < state.longest || received == 1 && state.distinct == 1 {
      state.edges.endsAlone = true
      return WalkEnd(.noNextPage, "page \(page.ordinal) holds nothing behind the last record")
    }
    return .failure(
      rules.isRecordUnique
        ? "page \(page.ordinal) ends with the record by which it was requested: the API does not seem to "
          + "go by \"\(rules.parameter ?? "")\""
        : "page \(page.ordinal) holds only records of one value, and those behind them cannot be "
          + "requested; larger pages may help")
  }

  // MARK: page number, offset

  private mutating func positionOutcome(_ page: PageSummary) -> Outcome {
    let total = isCounted ? page.total ?? state.lastTotal : nil
    if isCounted, page.ordinal > 1, page.unseen == 0, page.total ?? 0 > page.counts.received {
      state.saysMore = state.saysMore ?? false
    }
    if page.counts.received == 0 {
      return .end(WalkEnd(.emptyPage, "\(told(page.cursor)) is empty"))
    }
    if page.more == false { return .end(.moreFlag(page)) }
    if let total, reaches(total, page), !mayTellOwnLength(page) {
      if state.again.isOfPageOne { state.again.isEnd = true }
      let pages = Wording.count(page.ordinal, "page")
      return .end(WalkEnd(.countedTotal, "all \(total) that the API counts, in \(pages)"))
    }
    if state.staleRun >= 2 {
      return .end(
        endAgain()
          ?? WalkEnd(.nothingUnseen, "\(state.staleRun) pages in a row held no new record"))
    }
    if let ending = knownRangeEnd(page) { return .end(ending) }
    return positionNext(page)
  }

  /// Whether the positions covered reach the total. Distinct keys must reach it if the page had nothing new (a server
  /// that ignores the position sends page 1 forever), or if the answer's own "more" flag contradicts the total.
  private func reaches(_ total: Int, _ page: PageSummary) -> Bool {
    // A total below what has come counts for nothing.
    if state.distinct >= total { return state.distinct == total }
    // Pages that do not begin where they should have other positions than the total counts.
    let isDoubtful =
      state.staleRun > 0 || page.more == true || rules.pagesOverlap && !state.isOverlapping
    return !isDoubtful && state.covered + state.assumed >= total
  }

  /// Whether the total may be less than the list: a full first page has its own length as total, or as many records as
  /// APIs give where no answer of the stream has counted more than its own; or the answer has an unread sign of more.
  /// The next page shows it, if there may be one.
  func mayTellOwnLength(_ page: PageSummary) -> Bool {
    let received = page.counts.received
    let isOneFull =
      page.ordinal == 1 && received == page.total
      && (received == rules.size(at: page.cursor)
        || hasSeenMore == nil && SeenEnd.usualSizes.contains(received))
    return (isOneFull || page.signs.contains { $0.kind == .more }) && positionNext(page).isNext
  }

  /// The next position, unless it is past the API's cap: some APIs refuse such a page entirely.
  func positionNext(_ page: PageSummary) -> Outcome {
    // After a short page without anything new there may be hidden positions.
    let isStuck =
      !stepsBack && isShort(page.counts.received, page.cursor) && page.unseen == 0
      && state.staleRun > 0
    let received = isStuck ? 0 : page.counts.received
    guard let next = variedCursor(after: page) ?? cursorAfter(page.cursor, received: received)
    else {
      return .end(.failure("the position \(page.cursor) is not one of this kind of paging"))
    }
    guard let cap = rules.cap, isPastCap(next) || passesCap(next) else { return .next(next) }
    // The list ends before the limit, so what its total lacks is not due to the limit; unless its pages are short anyway.
    if rules.paging == .number, isShort(page.counts.received, page.cursor),
      state.covered < cap.doubt, state.shortestFollowed == nil
    {
      let size = rules.size(at: page.cursor) ?? page.counts.received
      return .end(
        WalkEnd(
          .shortPage, "\(told(page.cursor)) holds \(page.counts.received) of \(size) records"))
    }
    guard isPastCap(next) else { return .next(next) }
    return cursorBeforeCap(behind: page).map { .next($0) } ?? .end(capEnd)
  }

  /// `received` is 0 for an unreadable page: then the requested size counts.
  func cursorAfter(_ cursor: Cursor, received: Int = 0) -> Cursor? {
    switch (rules.paging, cursor) {
    case (.number, .number(let page)): page <= Int.max / 2 ? .number(page + 1) : nil
    case (.number, .sized(let page, let size)):
      cursorBehind(sized: page, size, received: received)
    case (.offset, .offset(let offset)):
      offset <= Int.max / 2 ? .offset(offset + advance(at: cursor, received: received)) : nil
    default: nil
    }
  }

  /// How far a page by offset advances: by what came, not by what was requested, since a server may give less; minus
  /// one, so that the next page shows that it follows.
  private func advance(at cursor: Cursor, received: Int) -> Int {
    let size = rules.size(at: cursor) ?? max(state.longest, received, 1)
    // Records beyond the requested number may belong anywhere.
    let received = min(received, size)
    guard received > 0 else { return size }
    return rules.pagesOverlap && received > 1 ? received - 1 : received
  }

  /// A second reading ends the walk only if it shows the end itself.
  mutating func outcomeOfSeam(_ page: PageSummary) -> Outcome {
    let next = Outcome.next(afterSeam ?? page.cursor)
    guard !page.isUnreadable, page.counts.received > 0 else { return next }
    if page.more == false { return .end(.moreFlag(page)) }
    if isCounted, let total = page.total, page.more != true, state.staleRun == 0,
      state.covered + state.assumed >= total, !mayTellOwnLength(page)
    {
      return .end(WalkEnd(.countedTotal, "all \(total) that the API counts"))
    }
    return next
  }

  // MARK: known stretch

  /// Ends a newest-first feed where an earlier walk covers the rest. The page must show it by its times, in order, and
  /// by two known records, since one alone may be an old one out of place. A first page without a record as young as
  /// the youngest known may have only pinned records: then the next page decides.
  func knownRangeEnd(_ page: PageSummary) -> WalkEnd? {
    let known = page.counts.changed + page.counts.unchanged
    guard let ground = handed.range, let oldest = page.oldest, page.isNewestFirst,
      !state.isOrderBroken, oldest < ground.to, known >= min(2, page.counts.received),
      !lacksRecords(page), page.ordinal > 1 || page.newest.map({ $0 >= ground.to }) ?? false
    else { return nil }
    let walk = memory.isRangeProven ? "complete walk" : "walk"
    return WalkEnd(
      .lastCompleteRange,
      "reached \(oldest), which an earlier \(walk) covers up to \(ground.to)")
  }

  /// The API counts more than is stored: the rest lies further down, and only a walk to the end finds it.
  private func lacksRecords(_ page: PageSummary) -> Bool {
    guard isCounted, let total = page.total, let here = memory.rowsListed else { return false }
    return total > here + state.counts.new
  }

  // MARK: troubles

  mutating func outcome(of trouble: Trouble, at step: Step) -> Outcome {
    let isFirstAfterResume = isFirstAfterResume
    self.isFirstAfterResume = false
    if let outcome = outcomeBeforeCap(of: trouble, at: step) { return outcome }
    let message = trouble.message
    switch trouble.kind {
    case .absent:
      if step.ordinal == 1 { return .end(WalkEnd(.gone, message, verdict: .absent)) }
      return .end(
        refusedEnd(trouble, step, isAbsent: true)
          ?? .failure("page \(step.ordinal) is not there (\(message))\(cure(trouble))"))
    case .nothing:
      return .end(WalkEnd(.noContent, message, verdict: .incomplete, cause: .empty))
    case .cap: return .end(WalkEnd(.capSign, message, isCap: true))
    case .ended:
      // An error instead of page 1 does not end a list that existed.
      if step.ordinal == 1 {
        return .end(
          WalkEnd(
            .gone,
            "\(message), in the place of page 1; if that is how this API says that a list is empty, "
              + "its job should say so: then \"empty\"", verdict: .absent))
      }
      return .end(WalkEnd(.errorMeansEnd, message))
    case .gap:
      return .end(WalkEnd(.outOfReach, message, verdict: .limited, cause: .outOfReach))
    case .refused, .denied:
      if isFirstAfterResume && !isPositioned { return restartOutcome() }
      let isBehind = isPositioned && step.ordinal > 1 && step.purpose == .page
      return .end(
        refusedEnd(trouble, step, isAbsent: false)
          ?? .failure(
            isBehind && trouble.status != nil
              ? "page \(step.ordinal) is refused (\(message))\(cure(trouble))"
              : message + endCure(step.cursor)))
    case .restart: return .end(.failure(message))
    case .unreadable:
      return outcomeOfUnreadable(step.ordinal, step.cursor, message)
    }
  }

  /// A walk by number or offset skips the page and names it; others cannot know what follows. Without page 1 a list is
  /// dead for this run.
  mutating func outcomeOfUnreadable(_ ordinal: Int, _ cursor: Cursor, _ message: String?) -> Outcome
  {
    let why = "page \(ordinal) could not be read\(message.map { ": \($0)" } ?? "")"
    guard isPositioned, ordinal > 1, let next = cursorAfter(cursor) else {
      return .end(.failure(why))
    }
    state.skip(
      ordinal, cursor, message,
      size: rules.size(at: cursor).map { $0 - (overlap(into: cursor) ?? 0) })
    let outcome: Outcome
    if state.unreadableRun >= Self.unreadablePagesMax {
      outcome = .end(.failure("\(state.unreadableRun) pages in a row could not be read; \(why)"))
    } else if let total = state.lastTotal, isCounted, state.covered + state.assumed >= total {
      outcome = .end(WalkEnd(.countedTotal, "all \(total) that the API counts"))
    } else if isPastCap(next) {
      outcome = .end(capEnd)
    } else {
      outcome = .next(next)
    }
    state.pending = outcome
    return outcome
  }

  /// The token that the walk resumed from is refused: it starts over, once.
  private mutating func restartOutcome() -> Outcome {
    handed.carried.hasTokenDied = true
    startFresh()
    return .next(rules.first)
  }

  func told(_ cursor: Cursor) -> String {
    switch cursor {
    case .number(let page): "page \(page)"
    case .sized(let page, let size): "page \(page) of \(Wording.count(size, "record"))"
    case .offset(let offset): "the page at offset \(offset)"
    case .start, .token, .address, .part: "page \(state.ordinal)"
    }
  }
}
