internal import Base

/// What a walk's pages have shown of the list's end: an end is shown by an answer with records, never by their absence.
public struct SeenEnd: Sendable {
  /// The last page with records.
  struct Last: Sendable {
    var ordinal: Int
    var cursor: Cursor
    var received: Int
    /// How many were requested.
    var size: Int?
    var key: UInt64?
    var more: Bool?
    var next: Cursor?
    /// It begins with records of the page before, as pages do that are requested by the last record.
    var repeats: Bool
    /// Where the next page would be named, the answer says that there is none.
    var saysLast: Bool
    var hasTotal: Bool
    /// It begins with a record of the previous page, as requested.
    var isJoined: Bool
  }

  private(set) var last: Last?
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
      hadFlag = hadFlag || last.more != nil
      hadMore = hadMore || last.more == true
      hadTotal = hadTotal || last.hasTotal
    }
    last = Last(
      ordinal: page.ordinal, cursor: page.cursor, received: page.counts.received, size: size,
      key: page.lastKey, more: page.more, next: page.next,
      repeats: page.leadingRepeats > 0,
      saysLast: page.signs.contains { $0.kind == .last }, hasTotal: page.total != nil,
      isJoined: isJoined)
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
  func isShort(_ last: Last, isWindow: Bool) -> Bool {
    guard last.more != true, last.more != nil || !hadFlag, last.hasTotal || !hadTotal else {
      return false
    }
    return last.received < last.size ?? (fullest > 0 ? fullest : 0)
      && (last.ordinal == 1
        ? isWindow || !Self.usualSizes.contains(last.received)
        : last.isJoined || last.received < fullest)
  }

  /// It has as many records as any page, so more may follow.
  func isFull(_ last: Last) -> Bool {
    let most = [last.size, fullest > 0 ? fullest : nil].compactMap { $0 }.min()
    return most.map { last.received >= $0 } ?? false
  }
}

extension WalkState {
  /// What a page had, without its records.
  struct LookedAt: Sendable, Equatable {
    /// Where the page is in the list. The same keys elsewhere are another last page.
    var place: String
    var digest: UInt64
    var received: Int

    init(_ cursor: Cursor, digest: UInt64, received: Int) {
      place = Self.place(cursor)
      self.digest = digest
      self.received = received
    }

    func isSame(as other: LookedAt?) -> Bool { received > 0 && self == other }

    /// The server's 304 says that the page is as stored, but it was not.
    func contradicts(_ page: PageSummary) -> Bool {
      page.isNotModified && digest != page.keysDigest && place == Self.place(page.cursor)
    }

    /// Addresses of the same page may order their parameters differently.
    private static func place(_ cursor: Cursor) -> String {
      guard case .address(let text) = cursor,
        let address = try? WebAddress(text)  // one that cannot be read is compared as text
      else { return cursor.description }
      let query = (address.query ?? "").split(separator: "&").sorted()
      return address.path + "?" + query.joined(separator: "&")
    }
  }
}
