internal import Base

/// Whether the end of the list showed. An empty answer behind a full page, a full page that names no next
/// one, an answer that lacks what others said: all of them may be failures.
extension Walker {
  /// A page that is not full says so in a sign of which the other state was seen, or names nothing behind it
  /// and is shorter than those before; or it is the page that was named as the last; or the last record,
  /// requested once more, has nothing behind it.
  func isEndShown(_ ending: WalkEnd) -> Bool {
    if isTotalReached || ending.rule == .lastCompleteRange { return true }
    if ending.isUnshown { return false }
    guard let last = state.end.last, state.counts.received > 0 else { return isShownEmpty }
    if isAsAsked || rules.hasOnePage { return true }
    if state.end.isLastAgain || state.edges.endsAlone { return true }
    if state.sizes.hasShortEnd { return true }
    if orderProof(ending) == .orderedOverlap, ending.rule != .moreFlag { return true }
    if let named = state.end.named, named == last.cursor { return true }
    // A page that is full is asked behind, where that can be.
    if state.end.isFull(last), rules.sizeParameter != nil { return false }
    if last.more == false, state.end.hadMore || last.ordinal == 1 && hasSeenMore == true {
      return true
    }
    if last.saysLast, hasSeenMore == true { return true }
    guard isPositioned || rules.endsEmpty || last.next == nil && hasSeenMore == true,
      rules.paging != .single
    else { return false }
    // The end of one page is shown only by what is behind it, or by a sign that works.
    guard last.ordinal > 1 || ending.rule == .emptyPage || hasSeenMore == true else { return false }
    return state.end.isShort(last, isWindow: handed.walkBreak.isWindow)
      && (state.end.isEven || last.isJoined || state.hasSameTotal)
  }

  /// Whether equal walks may replace an end that none of them shows. Not where the job does not say
  /// how the list goes on; nor where no answer of the stream has ever named another page, and its only one has as many
  /// records as an API gives at once, or nothing in it says that it is the last: then the job may read
  /// the next one in the wrong place.
  var mayEndUnseen: Bool {
    guard rules.paging != .single else { return false }
    guard let last = state.end.last else { return true }
    guard rules.paging == .chain, !rules.goesByRecord, hasSeenMore != true, last.ordinal == 1 else {
      return true
    }
    let saysLast = last.saysLast || last.more == false
    return (saysLast || hasSeenMore == nil) && !isUsualSize(last.received)
      && last.received < rules.sizeValue ?? (saysLast ? .max : 0)
  }

  /// One of several single answers, of no more records than it was requested for: as many as that need no page
  /// behind it.
  var isAsAsked: Bool { rules.isBatch && state.counts.received <= rules.askedAtOnce ?? .max }

  private func isUsualSize(_ received: Int) -> Bool { SeenEnd.usualSizes.contains(received) }

  /// Nothing came, and that is believed: something counts none, or it was so for long.
  private var isShownEmpty: Bool {
    if memory.expected == 0 || isFirm && state.lastTotal == 0 || memory.isEmptyForLong
      || memory.isAccepted
    {
      return true
    }
    // A window marks no record as gone, and most of a sparse list's are empty.
    return handed.walkBreak.isWindow && (isPositioned || rules.endsEmpty || hasSeenMore == true)
  }

  /// What is known of the sign that more pages follow.
  var hasSeenMore: Bool? { state.hasFollowedMore ? true : state.saysMore ?? memory.hasSeenMore }

  /// Whether a stream of this kind has seen that more pages follow: for the walks to come.
  public var signOfMore: Bool? { hasSeenMore == memory.hasSeenMore ? nil : hasSeenMore }

  /// The list goes on behind its end, as its answers say.
  func saysMoreThanCame(_ ending: WalkEnd) -> Bool {
    guard !rules.isSearch,
      ending.isUnshown
        || [.emptyPage, .noNextPage, .errorMeansEnd, .moreFlag, .shortPage].contains(ending.rule)
    else { return false }
    if state.lastMore == true || state.end.last?.more == true { return true }
    switch (state.end.named, state.end.last?.cursor) {
    case (.number(let named)?, .number(let reached)?): if named > reached { return true }
    case (.number(let named)?, nil): if named > rules.firstNumber { return true }
    case (.address(let text)?, _):
      if !state.wasAsked(rules.request(at: .address(text))) { return true }
    default: break
    }
    // Single records that are hidden are not missing pages.
    guard rules.trust == .steady, let total = state.lastTotal, let hidden = memory.hidden,
      !isEndShown(ending) || !state.end.isEven
    else { return false }
    return total - state.distinct > hidden
  }

  // MARK: questions about the end

  /// What is requested once more to show the end: pages by number overlap in another size; where pages begin with
  /// the record that names them, the last one; else of a chain the last page by one record less must name
  /// a next one, which holds the last record. The same request again would show nothing, and a short page of a
  /// list whose pages are uneven could come short in another size, too.
  func endLook(_ ending: WalkEnd) -> (Step.Purpose, ordinal: Int, Cursor)? {
    guard !rules.isSearch, rules.capExpected == nil, !isEndShown(ending),
      !ending.isUnshown,
      [.noNextPage, .moreFlag, .emptyPage, .errorMeansEnd].contains(ending.rule),
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
      let (before, isHuge) = (number - rules.firstNumber).multipliedReportingOverflow(by: size)
      // Page 1 in another size would be page 1 again where the API gives no more than came.
      let sizeMax = before == 0 ? last.received - 1 : size - 1
      guard !isHuge, last.received <= size, sizeMax > 0,
        let page = VariedSizes.next(after: before + last.received, size: sizeMax)
      else { return nil }
      return (.lastRecord, last.ordinal, .sized(rules.firstNumber + page.number, page.size))
    case .start, .token, .address:
      if rules.goesByRecord, last.repeats || !rules.isRecordUnique, let next = last.next {
        return (.lastRecord, last.ordinal, next)
      }
      guard last.received > 1, last.received <= size,
        state.end.isFull(last) || last.ordinal == 1,
        // It was seen that no part says so.
        memory.hasSeenMore != false || last.ordinal > 1
      else { return nil }
      return (.signOfMore, last.ordinal, .part(last.cursor, size: last.received - 1))
    case .offset(let offset):
      guard last.received <= size, last.received > 1, isPositionShown(last) else { return nil }
      return (.lastRecord, last.ordinal, .offset(offset + last.received - 1))
    case .sized, .part: return nil
    }
  }

  /// Whether a page in another size, or from another position, could hold more than the last one.
  private func isPositionShown(_ last: SeenEnd.Last) -> Bool {
    state.end.isFull(last) || state.end.isEven
  }

  /// Behind the look at the last page by one record less.
  func endLook(behind ending: WalkEnd) -> (Step.Purpose, ordinal: Int, Cursor)? {
    guard let last = state.end.last, let next = state.end.behindPart, !isEndShown(ending) else {
      return nil
    }
    return (.lastRecord, last.ordinal, next)
  }

  /// Whether nothing precedes the first page: for the walks to come.
  public var isFirstShown: Bool { !memory.isFirstKnown && state.recordsBefore == 0 }

  mutating func note(look page: PageSummary) {
    if page.purpose == .pageBefore { state.recordsBefore = 0 }
    // What a cache kept shows nothing of now.
    guard !page.isUnreadable, !page.isOlder, page.age == nil else { return }
    switch page.purpose {
    case .lastPage:
      state.lastPage = WalkState.LookedAt(
        page.cursor, digest: page.keysDigest, received: page.lookedAt)
    case .signOfMore:
      // A next page that is named at the end too says nothing; the flag beside it does.
      let saysMore = page.more ?? (page.next != nil)
      if saysMore || page.ordinal == 1 { state.saysMore = saysMore }
      state.probed = page.lookedAt
      if saysMore, page.lookedAt + 1 == state.end.last?.received {
        state.end.behindPart = page.next
      }
    case .lastRecord:
      guard let last = state.end.last, page.lookedAt > 0, page.lastKey == last.key else { return }
      // With as many as were requested, something may follow them.
      state.end.isLastAgain =
        page.lookedAt < rules.size(at: page.cursor) ?? .max && page.more != true
        && (page.next == nil || page.more == false || rules.endsEmpty)
    case .pageBefore:
      // APIs that count from 1 answer with page 1, or with nothing. Of a page that was requested in
      // another size some records may have come.
      if page.unseen * 2 > page.lookedAt { state.recordsBefore = page.unseen }
    default: break
    }
  }
}
