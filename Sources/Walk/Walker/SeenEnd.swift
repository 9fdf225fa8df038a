internal import Base

/// What the pages of a walk have shown of the list's end: an end shows by an answer with records, never by
/// their absence.
public struct SeenEnd: Sendable {
  /// The last page with records.
  struct Last: Sendable {
    var ordinal: Int
    var cursor: Cursor
    var received: Int
    /// How many were asked for.
    var size: Int?
    var key: UInt64?
    var more: Bool?
    var next: Cursor?
    /// It begins with records of the page before: so do all that are named by a last record.
    var repeats: Bool
    /// The answer says, where it would name the next page, that there is none.
    var saysLast: Bool
    var hasTotal: Bool
    /// It begins with a record of the page before, as it was requested.
    var isJoined: Bool
  }

  private(set) var last: Last?
  /// The most records of a page before it.
  private var fullest = 0
  /// So many came with each page before it.
  private(set) var isEven = true
  private var hadFlag = false
  private var hadTotal = false
  /// The flag said that more follow, and they did.
  private(set) var hadMore = false
  /// The last page, as an answer named it first.
  private(set) var named: Cursor?
  /// The last record was requested once more, and nothing came behind it.
  var isLastAgain = false
  /// Behind the last page, by one record less: what it named.
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

  /// The last page read once more, where the walk went on.
  mutating func noteAgain(_ page: PageSummary) {
    guard let last, last.ordinal == page.ordinal, !page.isNotModified else { return }
    note(page, size: last.size, isJoined: last.isJoined)
  }

  /// So many records APIs give on a page by themselves, or at most, whatever is requested.
  public static let usualSizes: Set = [
    10, 15, 20, 25, 30, 40, 50, 60, 75, 100, 150, 200, 250, 300, 500, 1000,
  ]

  /// The last page has fewer records than were asked for, and than those before it; and what they said of
  /// the list it says too. A first page that has as many as APIs give may be full all the same; of many
  /// windows some have just as many.
  func isShort(_ last: Last, isWindow: Bool) -> Bool {
    guard last.more != true, last.more != nil || !hadFlag, last.hasTotal || !hadTotal else {
      return false
    }
    return last.received < last.size ?? (fullest > 0 ? fullest : 0)
      && (last.ordinal == 1
        ? isWindow || !Self.usualSizes.contains(last.received)
        : last.isJoined || last.received < fullest)
  }

  /// It has as many records as any, so that more may follow it.
  func isFull(_ last: Last) -> Bool {
    let most = [last.size, fullest > 0 ? fullest : nil].compactMap { $0 }.min()
    return most.map { last.received >= $0 } ?? false
  }
}

extension WalkState {
  /// What a page held, without its records.
  struct LookedAt: Sendable, Equatable {
    /// Where it is in the list. The same keys at another place are another last page.
    var place: String
    var digest: UInt64
    var received: Int

    init(_ cursor: Cursor, digest: UInt64, received: Int) {
      place = Self.place(cursor)
      self.digest = digest
      self.received = received
    }

    func isSame(as other: LookedAt?) -> Bool { received > 0 && self == other }

    /// The server says now that this page is as it was stored, and it was not.
    func contradicts(_ page: PageSummary) -> Bool {
      page.isNotModified && digest != page.keysDigest && place == Self.place(page.cursor)
    }

    /// Two addresses of one page may name their parameters in another order.
    private static func place(_ cursor: Cursor) -> String {
      guard case .address(let text) = cursor,
        let address = try? WebAddress(text)  // one that cannot be read is compared as text
      else { return cursor.description }
      let query = (address.query ?? "").split(separator: "&").sorted()
      return address.path + "?" + query.joined(separator: "&")
    }
  }
}
