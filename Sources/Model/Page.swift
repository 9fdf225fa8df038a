public import JSON

/// What one answer held: the checked document, its records, and the signs of where the list goes.
public struct Page: Sendable {
  public var document: JSONDocument
  public var records: [JSONValue]
  /// The length of the whole list, as this answer tells it.
  public var total: Int?
  /// The answer's flag, where the stream has one.
  public var more: Bool?
  /// Where the answer says that the next page is.
  public var next: Cursor?
  public var etag: String?
  public var lastModified: String?

  public init(
    document: JSONDocument, records: [JSONValue], total: Int? = nil, more: Bool? = nil,
    next: Cursor? = nil, etag: String? = nil, lastModified: String? = nil
  ) {
    self.document = document
    self.records = records
    self.total = total
    self.more = more
    self.next = next
    self.etag = etag
    self.lastModified = lastModified
  }
}

/// What became of a page's records. `received` is the sum of the other six, always.
public struct Counts: Hashable, Sendable {
  public var new = 0
  public var changed = 0
  public var unchanged = 0
  /// Seen before in this unit.
  public var repeated = 0
  /// Dropped by the job's `keep`.
  public var dropped = 0
  public var rejected = 0

  public init() {}

  public var received: Int { new + changed + unchanged + repeated + dropped + rejected }

  public static func += (left: inout Counts, right: Counts) {
    left.new += right.new
    left.changed += right.changed
    left.unchanged += right.unchanged
    left.repeated += right.repeated
    left.dropped += right.dropped
    left.rejected += right.rejected
  }
}

/// A committed page as the walk and the certificate see it.
public struct PageSummary: Sendable, Equatable {
  public var purpose: Step.Purpose
  public var ordinal: Int
  public var cursor: Cursor
  public var next: Cursor?
  public var total: Int?
  public var more: Bool?
  public var counts: Counts
  /// Records whose key this unit had not seen on an earlier page.
  public var unseen: Int
  /// Over the page's keys in order; equal digests are equal pages.
  public var keysDigest: UInt64
  /// The server said 304: what is stored of the page is still true.
  public var isNotModified: Bool
  /// No answer that could be read, after all tries; the counts are zero.
  public var isUnreadable: Bool

  public init(
    purpose: Step.Purpose, ordinal: Int, cursor: Cursor, next: Cursor?, total: Int? = nil,
    more: Bool? = nil, counts: Counts = Counts(), unseen: Int = 0, keysDigest: UInt64 = 0,
    isNotModified: Bool = false, isUnreadable: Bool = false
  ) {
    self.purpose = purpose
    self.ordinal = ordinal
    self.cursor = cursor
    self.next = next
    self.total = total
    self.more = more
    self.counts = counts
    self.unseen = unseen
    self.keysDigest = keysDigest
    self.isNotModified = isNotModified
    self.isUnreadable = isUnreadable
  }
}
