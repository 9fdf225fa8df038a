internal import Base

/// What a walk's pages have shown of the list's end: an end is shown by an answer with records, never by their absence.
public struct SeenEnd: Sendable {
  /// The last page with records.
  private(set) var last: ReadPage?
  /// The most records of any page before it.
  private var fullest = 0
  /// Every page before it had as many records.
  private(set) var isEven = true
  private var hadFlag = false
  private var hadTotal = false
  /// The flag said that more follow, and more did.
  private(set) var hadMore = false
  /// The last page, as first named by an answer.
  private(set) var named: Cursor?
  /// The last record was requested once more, and nothing followed it.
  var isLastAgain = false
  /// What the last page names when requested with one record less.
  var behindPart: Cursor?

  mutating func note(_ page: PageSummary, size: Int?, isJoined: Bool) {
    named = named ?? page.last
    guard page.counts.received > 0, page.ordinal >= last?.ordinal ?? 0 else { return }
    if let last, last.ordinal < page.ordinal {
      if fullest > 0, last.received != fullest { isEven = false }
      fullest = max(fullest, last.received)
      hadFlag = hadFlag || last.page.more != nil
      hadMore = hadMore || last.page.more == true
      hadTotal = hadTotal || last.page.total != nil
    }
    last = ReadPage(page: page, size: size, isJoined: isJoined)
  }

  /// The last page, read again where the walk resumed.
  mutating func noteAgain(_ page: PageSummary) {
    guard let last, last.ordinal == page.ordinal, !page.isNotModified else { return }
    note(page, size: last.size, isJoined: last.isJoined)
  }

  /// Page sizes that APIs use by themselves, or as a maximum, whatever is requested.
  public static let usualSizes: Set = [
    10, 15, 20, 25, 30, 40, 50, 60, 75, 100, 150, 200, 250, 300, 500, 1000,
  ]

  /// The last page has fewer records than requested and than those before it, and makes the same statements about the
  /// list. A first page with as many as APIs usually give may still be full; among many windows some happen to have as
  /// many.
  func isShort(_ last: ReadPage, isWindow: Bool) -> Bool {
    let (more, total) = (last.page.more, last.page.total)
    guard more != true, more != nil || !hadFlag, total != nil || !hadTotal else { return false }
    return last.received < last.size ?? fullest
      && (last.ordinal == 1
        ? isWindow || !Self.usualSizes.contains(last.received)
        : last.isJoined || last.received < fullest)
  }

  /// It has as many records as any page, so more may follow.
  func isFull(_ last: ReadPage) -> Bool {
    let most = [last.size, fullest > 0 ? fullest : nil].compactMap { $0 }.min()
    return most.map { last.received >= $0 } ?? false
  }
}

/// A page of the list as the walk read it.
struct ReadPage: Sendable {
  var page: PageSummary
  /// How many records were requested.
  var size: Int?
  var credit = 0
  /// How many records of the previous page it should begin with.
  var overlap = 0
  /// It begins with records of the previous page, as requested.
  var isJoined = false

  var ordinal: Int { page.ordinal }
  var cursor: Cursor { page.cursor }
  var received: Int { page.counts.received }
  /// The positions that it occupies: never more than requested.
  var positions: Int { min(received, size ?? received) }
  /// Fewer records came than requested: some positions may be hidden.
  var isShort: Bool { size.map { received < $0 } ?? false }
  /// More records came than requested, so the next page may rightly begin with them.
  var isOverlong: Bool { size.map { received > $0 } ?? false }
  /// Where the next page would be named, the answer says that there is none.
  var saysLast: Bool { page.signs.contains { $0.kind == .last } }
}

/// A look at the last page, beside a page that the walk read.
extension PageSummary {
  /// The same keys elsewhere are another last page.
  func finds(_ page: PageSummary?) -> Bool {
    guard let page, lookedAt > 0, lookedAt == page.counts.received else { return false }
    return keysDigest == page.keysDigest && place == page.place
  }

  /// The server's 304 says that the page is as stored, but it was not.
  func contradicts(_ page: PageSummary) -> Bool {
    page.isNotModified && keysDigest != page.keysDigest && place == page.place
  }

  /// Where the page is in the list. Addresses of the same page may order their parameters differently.
  private var place: String {
    guard case .address(let text) = cursor,
      let address = try? WebAddress(text)  // one that cannot be read is compared as text
    else { return cursor.description }
    let query = (address.query ?? "").split(separator: "&").sorted()
    return address.path + "?" + query.joined(separator: "&")
  }
}
