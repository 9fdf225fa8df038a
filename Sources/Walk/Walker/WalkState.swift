internal import Model

/// What a walk has seen so far: sums, the last page, and the signs that the list moved.
struct WalkState: Sendable {
  struct LastRead: Sendable {
    var ordinal: Int
    var cursor: Cursor
    var digest: UInt64
    var credit: Int
    /// More records came than were asked for, so the next page may rightly begin with them.
    var isOverlong: Bool
  }

  /// Pages of the list that were read, each once.
  var pages = 0
  var counts = Counts()
  var distinct = 0
  /// Positions of the list that the pages cover, repeated records included.
  var covered = 0
  /// The same without pages that brought nothing unseen.
  var coveredFresh = 0
  /// Assumed for pages that could not be read.
  var assumed = 0
  /// The ordinal of the last page that was read or given up.
  var ordinal = 0
  var asked = 0
  var firstTotal: Int?
  var lastTotal: Int?
  var firstDigest: UInt64?
  var firstReceived: Int?
  var lastRead: LastRead?
  var longest = 0
  var staleRun = 0
  var emptyRun = 0
  var unreadableRun = 0
  /// Pages that could not be read: ordinal to cursor and reason.
  var unreadable: [Int: (cursor: Cursor, message: String?)] = [:]
  /// Other signs that the list changed under the walk, in sentences, each once.
  private var signs: [String] = []
  /// Pages that begin with records of the page before.
  private var shifted: [Int] = []
  /// The counted total was another on some page.
  private var hasOtherTotal = false
  /// Why the closing check told nothing.
  var checkProblem: String?
  var lastMore: Bool?
  /// The times of a feed that is declared newest first rose from one page to the next.
  var isOrderBroken = false
  var lastOldest: Instant?
  var addresses = AddressCounter()
  /// What the last page led to, for a walk that goes on later.
  var pending: Walker.Outcome?
  private var askedDigests: Set<UInt64> = []

  var hasMoved: Bool { !signs.isEmpty || !shifted.isEmpty || hasOtherTotal }

  /// The signs that the list changed under the walk, in sentences.
  var moves: [String] {
    var sentences: [String] = []
    if let only = shifted.first, shifted.count == 1 {
      sentences.append("page \(only) begins with records of the page before")
    } else if !shifted.isEmpty {
      let shownMax = 5
      // cut: the sentence says how many more
      let names = shifted.prefix(shownMax).map(String.init).joined(separator: ", ")
      let rest = shifted.count > shownMax ? " and \(shifted.count - shownMax) more" : ""
      sentences.append("pages \(names)\(rest) begin with records of the page before")
    }
    if hasOtherTotal, let first = firstTotal, let last = lastTotal {
      sentences.append(
        first == last
          ? "the total changed and returned to \(last)"
          : "the total went from \(first) to \(last)")
    }
    return sentences + signs
  }

  /// False when this address was asked before as a page of the list.
  mutating func remember(_ address: WebAddress) -> Bool {
    asked += 1
    return askedDigests.insert(Digest64.of(address.description.utf8)).inserted
  }

  func wasAsked(_ address: WebAddress) -> Bool {
    askedDigests.contains(Digest64.of(address.description.utf8))
  }

  mutating func move(_ sign: String) {
    let signsMax = 3
    if signs.count < signsMax && !signs.contains(sign) { signs.append(sign) }
  }

  // MARK: pages

  /// A page of the list, read for the first time.
  mutating func read(_ page: PageSummary, credit: Int, size: Int?, isCounted: Bool) {
    noteTotal(page.total, isCounted: isCounted)
    if page.ordinal == 1 { firstDigest = page.keysDigest }
    if page.leadingRepeats > 0, let last = lastRead, !last.isOverlong,
      last.ordinal == page.ordinal - 1
    {
      shifted.append(page.ordinal)
    }
    let received = page.counts.received
    pages += 1
    ordinal = page.ordinal
    counts += page.counts
    distinct += page.unseen
    covered += credit
    longest = max(longest, received)
    unreadableRun = 0
    lastMore = page.more
    if received == 0 {
      emptyRun += 1
    } else {
      emptyRun = 0
      staleRun = page.unseen == 0 ? staleRun + 1 : 0
    }
    if page.unseen > 0 { coveredFresh += credit }
    noteOrder(page)
    lastRead = LastRead(
      ordinal: page.ordinal, cursor: page.cursor, digest: page.keysDigest, credit: credit,
      isOverlong: size.map { received > $0 } ?? false)
  }

  /// A page that was skipped after its tries; what it would have covered is assumed.
  mutating func skip(_ ordinal: Int, _ cursor: Cursor, _ message: String?, size: Int?) {
    self.ordinal = ordinal
    unreadable[ordinal] = (cursor, message)
    unreadableRun += 1
    assumed += longest > 0 ? min(longest, size ?? longest) : (size ?? 0)
  }

  /// A page that is read at last, behind pages that follow it.
  mutating func repair(_ page: PageSummary, credit: Int, isCounted: Bool) {
    guard unreadable.removeValue(forKey: page.ordinal) != nil else { return }
    if unreadable.isEmpty { assumed = 0 }
    // No page before or behind it could show the shift that these records show.
    if page.unseen < page.counts.received, pages > 0 {
      move("page \(page.ordinal), read last, holds records of other pages")
    }
    // An empty page tells no length: some APIs answer zeros behind their ceiling.
    if page.counts.received > 0 { noteTotal(page.total, isCounted: isCounted) }
    let others = pages
    defer {
      let isWhole = isCounted && lastTotal.map { distinct >= $0 } ?? false
      if page.ordinal == 1, others > 0, !isWhole {
        checkProblem = "page 1 could be read only behind others"
      }
    }
    if page.ordinal == 1 {
      firstDigest = page.keysDigest
      firstTotal = page.total ?? firstTotal
    }
    pages += 1
    counts += page.counts
    distinct += page.unseen
    covered += credit
    coveredFresh += credit
  }

  /// The last page again, where a walk goes on. It must overlap with its first reading; what it
  /// brings a second time is not counted twice.
  mutating func readSeam(_ page: PageSummary, credit: Int, isCounted: Bool) {
    guard let last = lastRead else { return }
    let overlaps =
      page.isNotModified || page.keysDigest == last.digest || page.unseen < page.counts.received
    if !overlaps { move("page \(page.ordinal) shares nothing with what it held before the pause") }
    noteTotal(page.total, isCounted: isCounted)
    addSecondReading(page)
    covered += credit - last.credit
    lastMore = page.more
    lastRead?.credit = credit
    lastRead?.digest = page.keysDigest
  }

  /// Page 1 again at the end: has the list moved?
  mutating func close(_ page: PageSummary, isCounted: Bool) {
    if !page.isNotModified, page.keysDigest != firstDigest {
      move("page 1 held other records at the end")
    }
    noteTotal(page.total, isCounted: isCounted)
    addSecondReading(page)
  }

  /// Of a page that is read again only what is new to the unit counts.
  private mutating func addSecondReading(_ page: PageSummary) {
    distinct += page.unseen
    counts.new += page.counts.new
    counts.changed += page.counts.changed
    let isFirstTime = page.unseen > page.counts.new + page.counts.changed
    if isFirstTime && !page.isNotModified {
      counts.unchanged += min(
        page.counts.unchanged, page.unseen - page.counts.new - page.counts.changed)
    }
  }

  private mutating func noteTotal(_ total: Int?, isCounted: Bool) {
    guard let total else { return }
    firstTotal = firstTotal ?? total
    if isCounted, let last = lastTotal, last != total { hasOtherTotal = true }
    lastTotal = total
  }

  private mutating func noteOrder(_ page: PageSummary) {
    guard let oldest = page.oldest else { return }
    if let last = lastOldest, oldest > last { isOrderBroken = true }
    lastOldest = oldest
  }
}
