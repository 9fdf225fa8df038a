internal import Base

/// Whether the list's end is shown. An empty answer after a full page, a full page without a next one, an answer
/// without what others said: each may be a failure.
extension Walker {
  /// The end shows if a page that is not full says so by a sign whose other state was seen, or names nothing after it
  /// and is shorter than those before; or if it is the page named as the last; or if nothing follows the last record,
  /// requested once more.
  func isEndShown(_ ending: WalkEnd) -> Bool {
    if isTotalReached && !mayCountItsPage(ending) || ending.rule == .lastCompleteRange {
      return true
    }
    if ending.isUnshown { return false }
    guard let last = state.end.last, state.counts.received > 0 else { return isShownEmpty }
    if isAsAsked || rules.hasOnePage { return true }
    if state.end.isLastAgain || state.edges.endsAlone { return true }
    if state.sizes.hasShortEnd { return true }
    if orderProof(ending) == .orderedOverlap, ending.rule != .moreFlag { return true }
    if let named = state.end.named, named == last.cursor { return true }
    // After a full page another is requested, if possible.
    if state.end.isFull(last), rules.sizeParameter != nil { return false }
    if last.page.more == false, state.end.hadMore || last.ordinal == 1 && hasSeenMore == true {
      return true
    }
    if last.saysLast, hasSeenMore == true { return true }
    guard isPositioned || rules.endsEmpty || last.page.next == nil && hasSeenMore == true,
      rules.paging != .single
    else { return false }
    // The end of a single page is shown only by what follows it, or by a sign that works.
    guard last.ordinal > 1 || ending.rule == .emptyPage || hasSeenMore == true else { return false }
    return state.end.isShort(last, isWindow: handed.walkBreak.isWindow)
      && (state.end.isEven || last.isJoined || state.hasSameTotal)
  }

  /// Whether the total may be that of the page alone: it is full, and no answer ever named another.
  private func mayCountItsPage(_ ending: WalkEnd) -> Bool {
    guard ending.rule == .noNextPage, rules.paging == .chain, hasSeenMore != true,
      state.pages == 1, let last = state.end.last
    else { return false }
    return last.received == rules.sizeValue
  }

  /// Whether equal walks may replace an end that none of them shows. Not if the job does not say how the list
  /// continues; nor if no answer of the stream ever named another page, and its only one has a usual page size, or says
  /// nowhere that it is the last: then the job may look for the next page in the wrong place.
  var mayEndUnseen: Bool {
    guard rules.paging != .single else { return false }
    guard let last = state.end.last else { return true }
    guard rules.paging == .chain, !rules.goesByRecord, hasSeenMore != true, last.ordinal == 1 else {
      return true
    }
    let saysLast = last.saysLast || last.page.more == false
    return (saysLast || hasSeenMore == nil) && !SeenEnd.usualSizes.contains(last.received)
      && last.received < rules.sizeValue ?? (saysLast ? .max : 0)
  }

  /// A single answer with no more records than requested: too few to need a next page.
  var isAsAsked: Bool { rules.isBatch && state.counts.received <= rules.askedAtOnce ?? .max }

  /// Nothing came, and that is believed: something counts 0, or it has been so for long.
  private var isShownEmpty: Bool {
    if memory.expected == 0 || isFirm && state.lastTotal == 0 || memory.isEmptyForLong
      || memory.isAccepted
    {
      return true
    }
    // A window marks no record as gone, and most of a sparse list's are empty.
    return handed.walkBreak.isWindow && (isPositioned || rules.endsEmpty || hasSeenMore == true)
  }

  /// What is known of the sign of more pages.
  var hasSeenMore: Bool? { state.hasFollowedMore ? true : state.saysMore ?? memory.hasSeenMore }

  /// What this walk learnt of the sign of more pages, for later walks.
  public var signOfMore: Bool? {
    // Totals that are all of their page say nothing for the next page 1.
    let isOfPages = isPositioned && isCounted && state.totals.areOfPages
    return isOfPages || hasSeenMore == memory.hasSeenMore ? nil : hasSeenMore
  }

  /// The list continues beyond its end, by its own answers.
  func saysMoreThanCame(_ ending: WalkEnd) -> Bool {
    guard !rules.isSearch,
      ending.isUnshown
        || [.emptyPage, .noNextPage, .errorMeansEnd, .moreFlag, .shortPage].contains(ending.rule)
    else { return false }
    if [state.lastRead, state.end.last].contains(where: { $0?.page.more == true }) { return true }
    switch (state.end.named, state.end.last?.cursor) {
    case (.number(let named)?, .number(let reached)?): if named > reached { return true }
    case (.number(let named)?, nil): if named > rules.firstNumber { return true }
    case (.address(let text)?, _):
      if !state.wasAsked(rules.request(at: .address(text))) { return true }
    default: break
    }
    // A few hidden records are no missing pages.
    guard rules.trust == .steady, let total = state.lastTotal, let hidden = memory.hidden,
      !isEndShown(ending) || !state.end.isEven
    else { return false }
    return total - state.distinct > hidden
  }

  // MARK: requests about the end

  /// What is requested once more to show the end. By number: pages that overlap in another size. If pages begin with
  /// the record that names them: the last one. In another chain: the last page with one record less, which must name a
  /// next page with the last record. The same request again would show nothing, and if pages are uneven, a short page
  /// could be short in another size too.
  func endLook(_ ending: WalkEnd) -> (Step.Purpose, ordinal: Int, Cursor)? {
    guard !rules.isSearch, rules.capExpected == nil, !isEndShown(ending),
      !ending.isUnshown,
      [.noNextPage, .moreFlag, .emptyPage, .errorMeansEnd, .shortPage].contains(ending.rule),
      !saysMoreThanCame(ending), let last = state.end.last, let size = rules.sizeValue,
      rules.sizeParameter != nil, size > 1
    else { return nil }
    switch last.cursor {
    case .number(let number):
      if last.ordinal == 1, ending.rule == .moreFlag, hasSeenMore == nil, last.received > 1 {
        return (.signOfMore, 1, .sized(number, last.received - 1))
      }
      guard memory.sizesHold != false, !handed.carried.hasFixedSizes, isPositionShown(last) else {
        return nil
      }
      guard let before = rules.recordsBefore(page: number, size: size) else { return nil }
      // Page 1 in another size would be page 1 again if the API gives no more than it did.
      let sizeMax = before == 0 ? last.received - 1 : size - 1
      guard last.received <= size, sizeMax > 0,
        let page = VariedSizes.next(
          after: before + last.received, size: sizeMax, within: rules.cap?.at ?? .max)
      else { return nil }
      return (.lastRecord, last.ordinal, .sized(rules.firstNumber + page.number, page.size))
    case .start, .token, .address:
      let isFlagDoubtful = ending.rule == .moreFlag && hasSeenMore == false
      if rules.goesByRecord,
        last.page.leadingRepeats > 0 || !rules.isRecordUnique || isFlagDoubtful,
        let next = last.page.next
      {
        return (.lastRecord, last.ordinal, next)
      }
      guard last.received > 1, last.received <= size,
        state.end.isFull(last) || last.ordinal == 1,
        // Partial pages are known not to say so.
        hasSeenMore != false || last.ordinal > 1
      else { return nil }
      return (.signOfMore, last.ordinal, .part(last.cursor, size: last.received - 1))
    case .offset(let offset):
      guard last.received <= size, last.received > 1, isPositionShown(last) else { return nil }
      return (.lastRecord, last.ordinal, .offset(offset + last.received - 1))
    case .sized, .part: return nil
    }
  }

  /// Whether a page in another size, or from another position, could have more than the last one.
  private func isPositionShown(_ last: ReadPage) -> Bool {
    state.end.isFull(last) || state.end.isEven
  }

  /// After the look at the last page with one record less.
  func endLook(behind ending: WalkEnd) -> (Step.Purpose, ordinal: Int, Cursor)? {
    if state.saysMore == false { return endLook(ending) }
    guard let last = state.end.last, let next = state.end.behindPart, !isEndShown(ending) else {
      return nil
    }
    return (.lastRecord, last.ordinal, next)
  }

  /// Whether it was seen that nothing precedes the first page: for later walks. False: the request for it
  /// failed or showed nothing, here or earlier in this run; nil: none was needed, or something does.
  public var isFirstShown: Bool? {
    memory.isFirstKnown || state.recordsBefore != 0 ? nil : state.isFirstShown
  }

  mutating func note(look page: PageSummary) {
    if page.purpose == .pageBefore { state.recordsBefore = 0 }
    // A cached answer does not show the present.
    guard !page.isUnreadable, !page.isOlder, page.age == nil else { return }
    switch page.purpose {
    case .lastPage: state.lastPage = page
    case .signOfMore:
      // A next page that is named even at the end says nothing; the flag beside it does.
      let saysMore = page.more ?? (page.next != nil)
      if saysMore || page.ordinal == 1 { state.saysMore = saysMore }
      state.probed = page.lookedAt
      if saysMore, page.lookedAt + 1 == state.end.last?.received {
        state.end.behindPart = page.next
      }
    case .lastRecord:
      if !rules.hasPlaceInKey, page.unseen > 0 {
        state.leftOut.append((page.unseen, page.cursor))
      }
      guard let last = state.end.last, page.lookedAt > 0, page.lastKey == last.page.lastKey else {
        return
      }
      // With as many as requested, something may follow them.
      if page.lookedAt < rules.size(at: page.cursor) ?? .max && page.more != true
        && (page.next == nil || page.more == false || rules.endsEmpty)
      {
        state.end.isLastAgain = true
      }
    case .pageBefore:
      state.isFirstShown = true
      // APIs that count from 1 answer with page 1, or with nothing. Pages in another size may have had some of these
      // records.
      if page.unseen * 2 > page.lookedAt { state.recordsBefore = page.unseen }
    default: break
    }
  }
}
