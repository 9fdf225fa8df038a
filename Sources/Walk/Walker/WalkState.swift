internal import Base

/// What a walk has seen so far: sums, the last page, and signs that the list moved.
struct WalkState: Sendable {
  /// Pages of the list that were read, each once.
  var pages = 0
  var counts = Counts()
  var distinct = 0
  /// Positions of the list that the pages cover, repeated records included.
  var covered = 0
  /// The same without pages that had nothing new.
  var coveredFresh = 0
  /// Positions assumed for unreadable pages.
  var assumed = 0
  /// The ordinal of the last page that was read or skipped.
  var ordinal = 0
  var totals = SeenTotals()
  var firstDigest: UInt64?
  var firstReceived: Int?
  var longPage: PageSummary?
  var lastRead: ReadPage?
  var longest = 0
  /// Records of the shortest page that new ones followed, of those with fewer than requested; without a size, of all.
  var shortestFollowed: Int?
  var staleRun = 0
  var emptyRun = 0
  /// An empty page preceded one with records.
  var isHollow = false
  /// The last empty page after page 1.
  var emptyNamed: Int?
  var unreadableRun = 0
  /// Unreadable pages: ordinal to cursor and reason.
  var unreadable: [Int: (cursor: Cursor, message: String?)] = [:]
  /// Other signs that the list moved during the walk, as sentences, each once.
  private var signs: [String] = []
  /// Pages that begin with records of the previous page.
  private var shifted: [Int] = []
  var rejected = RejectedRecords()
  var keyClashes = KeyClashes()
  /// Why the closing check showed nothing.
  var checkProblem: String?
  /// The times of a newest-first feed rose from one page to the next.
  var isOrderBroken = false
  var lastOldest: Instant?
  var addresses = AddressCounter()
  var places = PlaceCounter()
  var order: SeenOrder?
  /// The page that the walk resumed from had other records than before the pause.
  private(set) var isSeamOther = false
  /// It was resumed after a pause too long for its pages to be trusted.
  var hasLongPause = false
  /// What the last page led to, for a walk that resumes.
  var pending: Walker.Outcome?

  // MARK: for proofs

  /// Records whose key came before, except the one with which a page by offset begins.
  var repeats: Int { otherRepeats + (again.isEnd ? 0 : again.repeats) }
  private var otherRepeats = 0
  /// The last pages, if they repeat a page.
  var again = SeenAgain()
  /// Page 1 was requested again at the end, and has the same keys.
  var isFirstSame = false
  /// The look at the last page right after page 1.
  var lastPage: PageSummary?
  /// The last page with records, as read by the walk.
  var lastWithRecords: PageSummary?
  /// Each page by offset began with the previous page's last record.
  var isOverlapping = true
  var sizes = SeenSizes()
  var edges: SeenEdges
  var end = SeenEnd()
  /// The walk followed the sign of more pages to new records.
  var hasFollowedMore = false
  /// Whether a page requested with one record less said that more follow.
  var saysMore: Bool?
  /// How many records came with it.
  var probed = 0
  /// Records before the first page that are not in the list as read; nil: not checked.
  var recordsBefore: Int?
  /// Whether the answer to that request came, and was no old copy.
  var isFirstShown = false
  /// How many records that no page had each look at the end brought, and what it requested.
  var leftOut: [(count: Int, cursor: Cursor)] = []
  /// Page 2 was requested in the size that page 1 came in.
  var hasAskedBetween = false
  /// What the answers say besides what the job reads.
  var unreadSigns = SeenSigns()
  private var patternDigest = Digest64()
  private var isPatternBroken = false

  var pattern: UInt64? { isPatternBroken || repeats > 0 || pages == 0 ? nil : patternDigest.value }

  private var askedDigests: Set<UInt64> = []

  init(_ rules: WalkRules) {
    order = SeenOrder(rules)
    edges = SeenEdges(rules)
  }

  var hasMoved: Bool { !signs.isEmpty || !begunAgain.isEmpty || hasOtherTotal || slip != nil }

  /// Pages that begin with records of the previous page, and do not show an end.
  private var begunAgain: [Int] { again.isEnd ? shifted : shifted + again.ordinals }

  private var slip: String? { order?.flaw == nil ? order?.slip : nil }

  /// Signs that the list moved during the walk, as sentences.
  var moves: [String] {
    var sentences: [String] = []
    let pages = begunAgain.sorted()
    if let only = pages.first, pages.count == 1 {
      sentences.append("page \(only) begins with records of the page before")
    } else if !pages.isEmpty {
      let names = Wording.some(pages.map(String.init), 5)
      sentences.append("pages \(names) begin with records of the page before")
    }
    if hasOtherTotal, let first = firstTotal, let last = lastTotal {
      sentences.append(
        first == last
          ? "the total changed and returned to \(last)"
          : "the total went from \(first) to \(last)")
    }
    return sentences + [slip].compactMap { $0 } + signs
  }

  /// False if it was requested before.
  @discardableResult
  mutating func remember(_ request: String) -> Bool {
    askedDigests.insert(Digest64.of(request.utf8)).inserted
  }

  func wasAsked(_ request: String) -> Bool {
    askedDigests.contains(Digest64.of(request.utf8))
  }

  mutating func move(_ sign: String) {
    let signsMax = 3
    if signs.count < signsMax && !signs.contains(sign) { signs.append(sign) }
  }

  // MARK: pages

  /// A page of the list, read for the first time.
  /// - Parameters:
  ///   - overlap: how many records of the previous page it should begin with; nil if pages do not overlap.
  ///   - repeats: how many earlier records it has if pages continue with it in one size.
  mutating func read(
    _ page: PageSummary, credit: Int, size: Int?, isFirm: Bool, overlap: Int? = nil,
    repeats: Int? = nil
  ) {
    if repeats != nil { isOverlapping = false }
    totals.note(page, isFirm: isFirm)
    unreadSigns.note(page)
    let received = page.counts.received
    if page.ordinal == 1 { (firstDigest, firstReceived) = (page.keysDigest, received) }
    let isAgain = again.takes(page)
    let joined = isAgain ? 0 : noteOther(page, size, overlap, repeats ?? 0)
    if page.isOlder { isPatternBroken = true }
    noteMisfits(page)
    pages += 1
    ordinal = page.ordinal
    counts += page.counts
    distinct += page.unseen
    covered += isAgain ? 0 : credit
    longest = max(longest, received)
    unreadableRun = 0
    if received == 0 {
      emptyRun += 1
      if page.ordinal > 1 { emptyNamed = page.ordinal }
    } else {
      if emptyRun > 0 { isHollow = true }
      emptyRun = 0
      // A page with only its requested overlap advances by a record.
      let isStale = page.unseen == 0 && !(joined > 0 && received == joined)
      if page.unseen > 0 { staleRun = 0 } else if isStale { staleRun += 1 }
    }
    if page.unseen > 0 { coveredFresh += credit }
    noteOrder(page)
    if page.unseen > 0, let last = lastRead, last.isShort || size == nil {
      shortestFollowed = min(shortestFollowed ?? last.received, last.received)
    }
    lastRead = ReadPage(page: page, size: size, credit: credit, overlap: overlap ?? 0)
  }

  /// A page that does not repeat another page.
  /// - Returns: the number of the previous page's records with which it rightly begins.
  private mutating func noteOther(
    _ page: PageSummary, _ size: Int?, _ overlap: Int?, _ repeats: Int
  ) -> Int {
    order?.note(page)
    // In a declared order the records show a page's place.
    let isInOrder = order.map { $0.overlaps ? $0.flaw == nil : $0.isWhole } ?? false
    let isJoined = overlap.map { joins(page, $0) } ?? false
    let joined = isJoined ? overlap ?? 0 : repeats + edges.note(page, behind: lastRead)
    if let overlap { noteOverlap(page, overlap, isJoined: isJoined, isInOrder: isInOrder) }
    if page.leadingRepeats > joined, !isInOrder, let last = lastRead, !last.isOverlong,
      last.ordinal == page.ordinal - 1, !(last.isShort && last.cursor.isOffset)
    {
      shifted.append(page.ordinal)
    }
    sizes.note(page, size, isJoined: isJoined)
    otherRepeats += max(0, page.counts.received - page.unseen - joined)
    end.note(page, size: size, isJoined: isJoined)
    if !sizes.isSingleLast { notePattern(page) }
    return joined
  }

  /// A page skipped after its tries; what it would have covered is assumed.
  mutating func skip(_ ordinal: Int, _ cursor: Cursor, _ message: String?, size: Int?) {
    self.ordinal = ordinal
    isPatternBroken = true
    isOverlapping = false
    order?.lose("page \(ordinal) could not be read")
    unreadable[ordinal] = (cursor, message)
    unreadableRun += 1
    assumed += longest > 0 ? min(longest, size ?? longest) : (size ?? 0)
  }

  /// A page behind page 1 that was read last, after pages that follow it.
  mutating func repair(_ page: PageSummary, credit: Int, isCounted: Bool, led: Int) {
    guard unreadable.removeValue(forKey: page.ordinal) != nil else { return }
    unreadSigns.note(page)
    if !isCounted { totals.isEverywhere = false }
    if unreadable.isEmpty { assumed = 0 }
    // No neighbouring page could show the shift that these records show.
    if page.unseen + led < page.counts.received, pages > 0 {
      move("page \(page.ordinal), read last, holds records of other pages")
    }
    // An empty page says nothing about the length: some APIs state zeros beyond their ceiling.
    if page.counts.received > 0 { totals.note(page, isFirm: isCounted) }
    noteMisfits(page)
    end.note(page, size: nil, isJoined: false)
    pages += 1
    counts += page.counts
    distinct += page.unseen
    covered += credit
    coveredFresh += credit
  }

  /// The last page again, where a walk resumes. It must overlap with its first reading; what it returns twice is not
  /// counted twice.
  mutating func readSeam(_ page: PageSummary, credit: Int, isFirm: Bool) {
    guard let last = lastRead else { return }
    let isSame = page.isNotModified || page.keysDigest == last.page.keysDigest
    if !isSame {
      if page.unseen >= page.counts.received {
        move("page \(page.ordinal) shares nothing with what it held before the pause")
      }
      isSeamOther = true
      isPatternBroken = true
      isOverlapping = false
    }
    totals.note(page, isFirm: isFirm)
    unreadSigns.note(page)
    end.noteAgain(page)
    addSecondReading(page)
    covered += credit - last.credit
    lastRead?.credit = credit
    lastRead?.page.more = page.more
    lastRead?.page.keysDigest = page.keysDigest
  }

  /// Page 1 again at the end: whether the list moved.
  /// - Parameter showsMove: pages are addressed by position, so another page 1 means another list.
  mutating func close(_ page: PageSummary, isFirm: Bool, showsMove: Bool) {
    unreadSigns.noteAge(page)
    if let age = page.age {
      checkProblem = "page 1, requested again, came from a cache that has it for \(age)"
      return addSecondReading(page)
    }
    // If one answer is the list, the same records with more to follow are another list.
    let goesOn = pages == 1 && page.more ?? (page.next != nil)
    isFirstSame = (page.isNotModified || page.keysDigest == firstDigest) && !goesOn
    if !isFirstSame, showsMove {
      let error = page.signs.first(where: \.isError)
      let beside = error.map { ", beside \"\($0.place)\": \($0.value)" } ?? ""
      move("page 1 held other records at the end\(beside)")
    }
    totals.note(page, isFirm: isFirm)
    addSecondReading(page)
  }

  /// A page after page 1 of a front that is read again.
  mutating func readOn(_ page: PageSummary) {
    unreadSigns.note(page)
    addSecondReading(page)
  }

  /// Whether a page begins with the previous page's last records, as requested.
  func joins(_ page: PageSummary, _ overlap: Int) -> Bool {
    guard let last = lastRead, last.ordinal == page.ordinal - 1, overlap > 0 else { return false }
    return page.continued == overlap
  }

  private mutating func noteOverlap(
    _ page: PageSummary, _ overlap: Int, isJoined: Bool, isInOrder: Bool
  ) {
    if overlap > 0, !isJoined {
      isOverlapping = false
      if isInOrder { return }
      // With hidden positions, fewer records come than there are positions.
      if page.leadingRepeats > 0, lastRead?.isShort == true { return }
      move(
        "page \(page.ordinal) does not begin with the record that page \(page.ordinal - 1) ended "
          + "with")
    } else if overlap == 0 {
      // Only a page with nothing but the overlap shows that the empty place comes next; or a short page, if that place
      // is requested by itself.
      let isBehind = lastRead.map {
        page.cursor.isSized ? sizes.hasShortEnd : $0.overlap == 1 && $0.received == 1
      }
      if isBehind != true || page.counts.received > 0 { isOverlapping = false }
    }
  }

  private mutating func noteMisfits(_ page: PageSummary) {
    rejected.note(page)
    keyClashes += page.keyClashes
  }

  private mutating func notePattern(_ page: PageSummary) {
    let received = page.counts.received
    guard received > 0 else { return }
    if page.ordinal > 1, page.unseen > 0 { hasFollowedMore = true }
    lastWithRecords = page
    for value in [page.keysDigest, UInt64(received)] {
      withUnsafeBytes(of: value.littleEndian) { patternDigest.add($0) }
    }
  }

  /// Of a page read again only what is new to the unit counts.
  private mutating func addSecondReading(_ page: PageSummary) {
    rejected.noteAgain(page)
    keyClashes += page.keyClashes
    distinct += page.unseen
    counts.new += page.counts.new
    counts.changed += page.counts.changed
    let isFirstTime = page.unseen > page.counts.new + page.counts.changed
    if isFirstTime && !page.isNotModified {
      counts.unchanged += min(
        page.counts.unchanged, page.unseen - page.counts.new - page.counts.changed)
    }
  }

  private mutating func noteOrder(_ page: PageSummary) {
    guard let oldest = page.oldest else { return }
    if let last = lastOldest, oldest > last { isOrderBroken = true }
    lastOldest = oldest
  }
}
