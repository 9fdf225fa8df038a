internal import Base

/// The ceiling that a job declares.
extension Walker {
  var capEnd: WalkEnd {
    WalkEnd(.capReached, "the API's limit of \(rules.cap?.at ?? 0)", isCap: true)
  }

  /// Some APIs refuse a page that passes their cap, so that none is requested if its size can be chosen. If it cannot,
  /// the last one passes it.
  func isPastCap(_ cursor: Cursor, received: Int = 0) -> Bool {
    guard let cap = rules.cap, let places = places(of: cursor, received: received) else {
      return false
    }
    // Pages by offset are cut at the cap (`WalkRules.size`).
    let isWhole = cursor.isSized || rules.paging == .number && choosesSizes
    return isWhole ? places.end > cap.at : places.begin >= cap.at
  }

  /// Whether a page ends behind the cap.
  func passesCap(_ cursor: Cursor) -> Bool {
    guard let cap = rules.cap, let places = places(of: cursor) else { return false }
    return places.end > cap.at
  }

  private var choosesSizes: Bool {
    rules.sizeParameter != nil && memory.sizesHold != false && !handed.carried.hasFixedSizes
  }

  /// The places in the list that a page by position asks for.
  private func places(of cursor: Cursor, received: Int = 0) -> (begin: Int, end: Int)? {
    let size = rules.size(at: cursor) ?? max(state.longest, received, 1)
    let begin: Int?
    switch (rules.paging, cursor) {
    case (.offset, .offset(let offset)): begin = offset
    case (.number, .number(let page)), (.number, .sized(let page, _)):
      begin = rules.recordsBefore(page: page, size: size)
    default: return nil
    }
    guard let begin, case (let end, false) = begin.addingReportingOverflow(size) else {
      return (.max, .max)
    }
    return (begin, end)
  }

  /// Behind the last page of the stream's own size: one in another size that ends at the cap, or near it. It begins
  /// with records of the page before, which shows that the API goes by the size. Where none does, each record is
  /// requested alone.
  func cursorBeforeCap(behind page: PageSummary) -> Cursor? {
    guard let cap = rules.cap, choosesSizes, let size = rules.sizeValue,
      page.counts.received == rules.size(at: page.cursor),
      let count = end(of: page.cursor, page.counts.received), count < cap.at
    else { return nil }
    let next = VariedSizes.next(
      after: count, size: min(size, cap.at), within: cap.at, overlap: page.counts.received)
    return next.map { .sized(rules.firstNumber + $0.number, $0.size) }
      ?? .sized(rules.firstNumber + count, 1)
  }

  /// No page of the stream's own size fits before the cap any more.
  var isBeforeCap: Bool {
    guard let last = state.lastRead,
      let next = cursorAfter(last.cursor, received: last.received)
    else { return false }
    return isPastCap(next)
  }

  /// Where a page passes the cap, some APIs return nothing: no end, unless all that are counted came.
  func mayHideRest(_ page: PageSummary, behind last: ReadPage?) -> Bool {
    page.counts.received == 0 && page.ordinal > 1 && passesCap(page.cursor) && !isTotalReached
      && (rules.paging == .number || last?.isShort == false)
  }

  /// A refusal of the last page before the cap is no end of the list: of the size, or of a page that passes the cap.
  mutating func outcomeBeforeCap(of trouble: Trouble, at step: Step) -> Outcome? {
    guard [.absent, .ended, .refused, .denied].contains(trouble.kind), step.purpose == .page,
      step.ordinal > 1, rules.cap != nil
    else { return nil }
    if step.cursor.isSized, isBeforeCap {
      ignoresSizes = ignoresSizes || [400, 422].contains(trouble.status)
      return goOnInOneSize()
    }
    let isBehindFull = rules.paging == .number || state.lastRead?.isShort == false
    return isBehindFull && passesCap(step.cursor) ? .end(capEnd) : nil
  }
}

/// Ceilings that no job declares.
extension Walker {
  /// At these numbers APIs end a list without saying so.
  private static let ceilings: Set = [500, 1_000, 10_000, 40_000]

  /// A list that ends at a round number with a full last page may have been cut by the API. An empty page after it does
  /// not help; only a total that agrees does, and an uncounted total only together with such a page.
  func isAtRoundNumber(_ ending: WalkEnd) -> Bool {
    let came = state.distinct
    guard rules.cap == nil, ending.rule != .lastCompleteRange, Self.ceilings.contains(came),
      let size = rules.sizeValue ?? state.lastWithRecords?.counts.received, size > 1,
      came % size == 0, state.longest >= min(size, came)
    else { return false }
    if isCounted, state.lastTotal == came { return false }
    guard ending.rule == .emptyPage else { return true }
    if let trust = rules.trust, trust != .worthless, state.firstTotal == came {
      return false
    }
    return !state.unreadSigns.full.contains { sign in
      (sign.kind == .length || sign.kind == .count) && sign.number == came
    }
  }

  /// The API's estimate, if it exceeds what came by a tenth or more, up to the API's own limit.
  var estimateBeyond: Int? {
    guard rules.trust == .estimate, let said = state.lastTotal else { return nil }
    let due = min(said, rules.cap?.at ?? said)
    return due > 0 && due * 10 >= state.distinct * 11 ? said : nil
  }
}
