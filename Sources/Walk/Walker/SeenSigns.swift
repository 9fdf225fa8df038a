internal import Base

/// What a walk's answers said of more of the list, besides what the job reads: of page 1, the last page, and the last
/// page with records. A page between these rightly says that more follow.
struct SeenSigns: Sendable {
  private(set) var first: [UnreadSign] = []
  private(set) var last: [UnreadSign] = []
  /// The last page with records: an empty page after the list says nothing about its length.
  private(set) var fullPage: PageSummary?
  var full: [UnreadSign] { fullPage?.signs ?? [] }
  /// The greatest length that any page stated.
  private(set) var longest: UnreadSign?
  /// Of any page: some of its records are missing.
  private(set) var parts: [UnreadSign] = []
  /// Flags that say more follow, with the number of pages with records that had each.
  private var flags: [UnreadSign: Int] = [:]
  private var pagesWithRecords = 0
  private var pagesOutside = 0
  /// Messages, with the number of pages that had each.
  private var remarks: [UnreadSign: Int] = [:]
  private var pages = 0
  /// A total below the number of records beside it.
  private(set) var contradiction: (total: Int, records: Int)?
  /// Members that occurred twice in an answer.
  private(set) var twice: [UnreadSign] = []
  /// Columns that were empty in a whole page.
  private(set) var emptied: [String] = []
  private var lastOrdinal = 0
  /// A page after the first that is older than the walk.
  private(set) var oldPage: Int?
  /// A page that is older than the previous answer.
  private(set) var olderPage: Int?

  /// Notes an answer's age, whatever it was requested for.
  mutating func noteAge(_ page: PageSummary) {
    if page.isOlder { olderPage = olderPage ?? page.ordinal }
    if page.age != nil, page.ordinal > 1 { oldPage = oldPage ?? page.ordinal }
  }

  mutating func note(_ page: PageSummary) {
    noteAge(page)
    for sign in page.signs where sign.kind == .twice {
      if !twice.contains(where: { $0.place == sign.place }) { twice.append(sign) }
    }
    for sign in page.signs where sign.kind == .emptied && !emptied.contains(sign.place) {
      emptied.append(sign.place)
    }
    pages += 1
    if page.unseen > 0, [.page, .repair].contains(page.purpose) {
      pagesWithRecords += 1
      if page.signs.contains(where: { $0.kind == .outside }) { pagesOutside += 1 }
      for sign in page.signs where sign.kind == .more && sign.value == "true" {
        if flags[sign] != nil || flags.count < 8 { flags[sign, default: 0] += 1 }
      }
    }
    for sign in page.signs {
      // A few suffice to deny a proof.
      if sign.kind == .part, parts.count < 8, !parts.contains(sign) { parts.append(sign) }
      // An error counts behind as many messages.
      if sign.kind == .notice, remarks[sign] != nil || remarks.count < (sign.isError ? 16 : 8) {
        remarks[sign, default: 0] += 1
      }
      if sign.kind == .length, sign.number ?? 0 > longest?.number ?? 0 { longest = sign }
    }
    if let total = page.total, total < page.counts.received {
      contradiction = (total, page.counts.received)
    }
    if page.ordinal == 1 { first = page.signs }
    if page.ordinal >= lastOrdinal {
      lastOrdinal = page.ordinal
      last = page.signs
    }
    // For a list without records its one empty page counts.
    if page.counts.received > 0 || (fullPage?.counts.received ?? 0) == 0,
      page.ordinal >= fullPage?.ordinal ?? 0
    {
      fullPage = page
    }
  }

  /// Messages of some pages that others lacked.
  var oddRemarks: [UnreadSign] {
    remarks.filter { $0.value < pages }.keys.sorted { ($0.place, $0.value) < ($1.place, $1.value) }
  }

  /// Flags of some pages that others lacked, though records followed both.
  var oddFlags: [UnreadSign] {
    flags.filter { $0.value < pagesWithRecords - 1 }.keys.sorted { $0.place < $1.place }
  }

  /// Records came, but none within the requested window.
  var areAllOutside: Bool { pagesOutside > 0 && pagesOutside == pagesWithRecords }

  /// Page 1 came from a cache, from before the walk began.
  var isFirstOld: Bool { first.contains { $0.kind == .old } }
}

extension PageSummary {
  /// The answer's age, if a cache has it from before the walk began.
  var age: String? { signs.first { $0.kind == .old }?.value }

  /// It is by its own account older than the previous answer.
  var isOlder: Bool { signs.contains(where: \.kind.isAge) }
}
