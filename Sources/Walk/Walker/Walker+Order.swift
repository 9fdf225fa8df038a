internal import Base

/// Lists in a declared order: the walk's place in that order, not its position, decides what comes next and what is
/// proven.
extension Walker {
  /// Pages in a row that reach no further in the order.
  static let stuckPagesMax = 20
  /// How often a falling list's front is read again before it counts as always changing.
  static let frontsMax = 5

  /// Pages by offset in an order that never changes: from a page without any earlier record the walk steps back.
  var stepsBack: Bool {
    state.order.map { $0.overlaps && $0.flaw == nil } ?? false
  }

  /// What proves the walk against any number of changes.
  func orderProof(_ ending: WalkEnd) -> ProofKind? {
    guard let order = state.order, order.isWhole, state.unreadable.isEmpty,
      ending.rule != .nothingUnseen
    else { return nil }
    switch rules.paging {
    case .offset:
      // If it ends at a known stretch, there is no gap.
      let isShown = order.isEndShown || ending.rule == .lastCompleteRange
      return stepsBack && isShown ? .orderedOverlap : nil
    case .chain:
      // A record that moves with its time is past the end of an older answer, and before that of a younger.
      if order.order.basis == .time, state.unreadSigns.olderPage != nil { return nil }
      let isRead = !needsFront || order.isFrontRead
      return state.pages > 1 && !mayReadPositions && isRead ? .anchored : nil
    case .single, .number: return nil
    }
  }

  // MARK: pages by offset

  /// The end is an empty place right after the last record, with which two short answers of different length ended; or
  /// the page with that record says so.
  mutating func orderedOutcome(_ page: PageSummary, after last: ReadPage?) -> Outcome {
    guard case .offset(let offset) = page.cursor, let order = state.order else {
      return .end(.failure("the position \(page.cursor) is not one of this kind of paging"))
    }
    if page.counts.received == 0 {
      let isBehindLast = last.map { $0.cursor == .offset(offset - $0.received) } ?? false
      // A list of one record cannot have two answers of different length.
      if offset == 0
        || isBehindLast && order.gaps == 1 && (offset == 1 || order.shortEnds.count > 1)
      {
        state.order?.isEndShown = offset > 1
        return .end(WalkEnd(.emptyPage, "\(told(page.cursor)) is empty"))
      }
      return stepBack(from: offset)
    }
    if order.gaps > 0 { return stepBack(from: offset) }
    if page.more == false {
      state.order?.isEndShown = true
      return .end(.moreFlag(page))
    }
    if isCounted, let total = page.total, page.more != true,
      total == offset + page.counts.received, !mayTellOwnLength(page)
    {
      state.order?.isEndShown = true
      let pages = Wording.count(page.ordinal, "page")
      return .end(WalkEnd(.countedTotal, "the last of \(total) that the API counts, in \(pages)"))
    }
    if order.stuck >= Self.stuckPagesMax { return stuckOutcome }
    if let ending = knownRangeEnd(page) { return .end(ending) }
    if order.shortEnds.count > 1 { return .next(.offset(offset + page.counts.received)) }
    // It may be the last record, or all that the server gives now.
    if order.shortEnds == [1], page.counts.received == 1, offset > 0 {
      return .next(.offset(offset - 1))
    }
    return positionNext(page)
  }

  private var stuckOutcome: Outcome {
    let pages = Wording.count(Self.stuckPagesMax, "page")
    return .end(WalkEnd(.nothingUnseen, "\(pages) in a row led no further in the list"))
  }

  /// Steps back by half a page, then one page, then two.
  private func stepBack(from offset: Int) -> Outcome {
    guard let order = state.order, order.stuck < Self.stuckPagesMax else { return stuckOutcome }
    let half = max(1, (rules.sizeValue ?? 2) / 2)
    return .next(.offset(max(0, offset - half << min(max(0, order.gaps - 1), 16))))
  }

  // MARK: the front of a falling list

  /// Records that changed have moved to the front, past the walk.
  var needsFront: Bool {
    guard let order = state.order?.order, order.basis == .time, order.direction == .falling,
      case .chain = rules.paging
    else { return false }
    return state.pages > 1
  }

  /// After page 1 was requested again at the end: the next page of the front, if needed.
  mutating func frontMove(_ page: PageSummary) -> Move? {
    guard needsFront, !page.isUnreadable, page.age == nil, state.order?.isWhole == true,
      page.ordinal <= state.pages + Self.frontsMax
    else { return nil }
    let overlap = rules.overlap
    let readsOn = state.order?.readFront(page, overlap: overlap) ?? false
    if readsOn, let next = page.next {
      return ask(.closingCheck, ordinal: page.ordinal + 1, at: next)
    }
    guard page.ordinal > 1, let order = state.order, !order.isFrontRead,
      order.fronts < Self.frontsMax, state.order?.beginFrontAgain() == true
    else { return nil }
    return ask(.closingCheck, ordinal: 1, at: rules.first)
  }

  /// Why an order proves nothing, in a sentence.
  var whyNotInOrder: String? {
    guard let order = state.order else { return nil }
    if let flaw = order.flaw { return flaw }
    if state.places.isCounting {
      return "what names its pages counts records: such a place shifts with the list"
    }
    if needsFront, order.fronts > 0, !order.isFrontRead {
      return "the front of the list did not come to rest while it was read again"
    }
    return nil
  }
}
