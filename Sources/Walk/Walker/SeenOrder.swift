internal import Base

/// What a walk's pages showed of the order that the job declares, and how far they reach in it.
struct SeenOrder: Sendable {
  let order: ListOrder
  /// Pages by offset overlap; those of a chain follow one another.
  let overlaps: Bool
  /// Why it proves nothing, in a sentence.
  private(set) var flaw: String?
  /// Between two pages: the list moved during the walk, or the pages are not as declared.
  private(set) var slip: String?
  /// The first record of page 1, later of the front that was read last.
  private(set) var front: SortValue?
  /// The last record before which there is no gap.
  private(set) var reached: SortValue?
  /// Pages in a row that reached no further.
  private(set) var stuck = 0
  /// Pages in a row without a link to what was read: something may lie between.
  private(set) var gaps = 0
  /// The end of a list by offset was shown.
  var isEndShown = false
  /// Lengths of short answers that end with the last record. Two different ones show the end: an API whose limit is one
  /// of them gave less than its limit in the other.
  private(set) var shortEnds: Set<Int> = []
  private let size: Int
  /// One answer had all that may have come to the front of a falling list meanwhile.
  private(set) var isFrontRead = false
  /// How often the front was read again.
  private(set) var fronts = 0

  /// Nil if no proof can rest on an order.
  init?(_ rules: WalkRules) {
    guard let order = rules.order, !rules.isSearch else { return nil }
    self.order = order
    size = rules.sizeValue ?? 0
    switch rules.paging {
    case .chain: overlaps = false
    case .offset where rules.pagesOverlap && size > 2: overlaps = true
    case .single, .number, .offset: return nil
    }
  }

  var isWhole: Bool { flaw == nil && slip == nil }

  mutating func note(_ page: PageSummary) {
    if overlaps { overlap(page) } else { follow(page) }
  }

  /// A page of a chain.
  private mutating func follow(_ page: PageSummary) {
    guard let (first, last) = span(page) else { return }
    if page.ordinal == 1 { front = first }
    if let reached, reached != first, !order.mayPrecede(reached, first) {
      slip =
        slip ?? "page \(page.ordinal) begins before the record that the page before ended with"
      return
    }
    reached = last
  }

  /// A page by offset: it follows if it has a record of the pages before, or begins the list.
  private mutating func overlap(_ page: PageSummary) {
    if page.counts.received == 0 {
      gaps += 1
      stuck += 1
      return
    }
    guard let (first, last) = span(page) else { return }
    let begins = page.cursor == .offset(0)
    let holds =
      page.unseen < page.counts.received && reached.map { !order.precedes($0, first) } ?? false
    gaps = begins || holds ? 0 : gaps + 1
    let isShort = page.counts.received < size
    guard gaps == 0, reached.map({ order.precedes($0, last) }) ?? true else {
      stuck += 1
      if gaps == 0, reached == last, isShort { shortEnds.insert(page.counts.received) }
      return
    }
    shortEnds = isShort ? [page.counts.received] : []
    reached = last
    stuck = 0
  }

  mutating func lose(_ why: String) { flaw = flaw ?? why }

  /// Reads the front of a falling list again.
  /// - Parameter overlap: how much later than its time a record may be listed.
  /// - Returns: whether the next page of the front is needed.
  mutating func readFront(_ page: PageSummary, overlap: Duration) -> Bool {
    guard flaw == nil, let goal = front else { return false }
    if page.ordinal == 1 { fronts += 1 }
    if page.counts.received == 0 {
      isFrontRead = page.ordinal == 1 && page.next == nil
      return false
    }
    guard let (first, last) = span(page) else { return false }
    let reaches = page.next == nil || order.precedes(goal.earlier(by: overlap), last)
    if page.ordinal == 1 {
      isFrontRead = reaches
      newFront = first
    } else if let frontReached, !order.mayPrecede(frontReached, first) {
      slip =
        "page \(page.ordinal) of the front begins before the record that the page before ended with"
      return false
    }
    frontReached = last
    return !reaches
  }

  /// Of the front being read.
  private var newFront: SortValue?
  private var frontReached: SortValue?

  /// What arrived while the front was read is left to the next reading. If nothing did, one answer is too short for the
  /// records of its last instant, and always will be.
  /// - Returns: whether another reading is worthwhile.
  mutating func beginFrontAgain() -> Bool {
    defer { front = newFront }
    return newFront != front
  }

  private mutating func span(_ page: PageSummary) -> (SortValue, SortValue)? {
    guard flaw == nil, page.counts.received > 0 else { return nil }
    guard page.age == nil else {
      flaw = "page \(page.ordinal) came from a cache"
      return nil
    }
    guard case .sorted(let first, let last) = page.order else {
      flaw = "the records of page \(page.ordinal) are not in the declared order (\(order.text))"
      return nil
    }
    return (first, last)
  }
}

extension SortValue {
  fileprivate func earlier(by overlap: Duration) -> SortValue {
    guard case .number(let milliseconds) = self else { return self }
    return .number((Instant(milliseconds: milliseconds) - overlap).milliseconds)
  }
}
