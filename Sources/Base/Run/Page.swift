/// What one answer held: the checked document, its records, and the signs of where the list goes.
public struct Page: Sendable {
  public var document: JSONDocument
  public var records: [JSONValue]
  /// What the records are called, where they are members of an object and a column wants it.
  public var names: [String?] = []
  /// Of the records, by their places: those that are not JSON. They are null.
  public var damaged: [Int: DamagedRecord] = [:]
  /// The length of the whole list, as this answer gives it.
  public var total: Int?
  /// How many pages the list has, where a `Link` names the last one: shown, never decides.
  public var pageCount: Int?
  /// The last page, where a `Link` names it.
  public var last: Cursor?
  /// The answer's flag, where the stream has one.
  public var more: Bool?
  /// Where the answer says that the next page is.
  public var next: Cursor?
  /// The origin of `next`, if it is not the answer's: it is reported, and gets no credential.
  public var nextLeadsTo: Origin?
  public var etag: String?
  public var lastModified: String?
  /// Over the bytes of the answer; nil: more than the answer decides on its rows.
  public var bodyDigest: UInt64?
  /// What else in the answer speaks of more of the list.
  public var signs: [UnreadSign] = []
  /// A nested list says that it is only a part: what is missing there is not gone.
  public var hasNestedPart = false
  /// One object came in the place of a list.
  public var isOneObject = false

  public init(
    document: JSONDocument, records: [JSONValue], total: Int? = nil, more: Bool? = nil,
    next: Cursor? = nil, nextLeadsTo: Origin? = nil, etag: String? = nil,
    lastModified: String? = nil
  ) {
    self.document = document
    self.records = records
    self.total = total
    self.more = more
    self.next = next
    self.nextLeadsTo = nextLeadsTo
    self.etag = etag
    self.lastModified = lastModified
  }
}

/// A record whose bytes are not JSON, within an answer whose other records can be read.
public struct DamagedRecord: Sendable, Equatable {
  public var bytes: [UInt8]
  /// What is wrong, and where.
  public var reason: String

  public init(bytes: [UInt8], reason: String) {
    self.bytes = bytes
    self.reason = reason
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

  private static var parts: [WritableKeyPath<Counts, Int>] {
    [\.new, \.changed, \.unchanged, \.repeated, \.dropped, \.rejected]
  }

  public var received: Int { new + changed + unchanged + repeated + dropped + rejected }

  /// Different records that fit.
  public var kept: Int { new + changed + unchanged }

  /// Without what left the table as it was.
  public var written: Counts {
    var written = Counts()
    (written.new, written.changed) = (new, changed)
    return written
  }

  /// How what came and what is in the table go together; nil where they are one number.
  public var account: String? {
    guard dropped + repeated > 0 else { return nil }
    let others = [(dropped, "dropped by rule"), (repeated, "repeated"), (rejected, "rejected")]
      .filter { $0.0 > 0 }.map { "\(Wording.number($0.0)) \($0.1)" }
    return ([Wording.count(kept, "row")] + others).joined(separator: ", ")
      + " of \(Wording.number(received)) received"
  }

  /// Records came, and every one was rejected: an error in the shape of a page, or the wrong job.
  public var fitsNothing: Bool { received > 0 && rejected == received }

  public static func += (left: inout Counts, right: Counts) {
    for part in parts { left[keyPath: part] += right[keyPath: part] }
  }

  /// What came since `earlier`, of which these are a continuation.
  public func since(_ earlier: Counts) -> Counts {
    var counts = self
    for part in Self.parts { counts[keyPath: part] -= earlier[keyPath: part] }
    return counts
  }
}

/// What came in the place of a page.
public enum TroubleKind: String, Sendable, CaseIterable {
  /// No answer that could be read, however often it was requested.
  case unreadable
  /// 404, 410, 451.
  case absent
  /// The job's error table takes the answer for the end of the list, or for the API's cap.
  case ended, cap
  /// Asking again cannot help.
  case refused
  /// An answer without content, which its job does not take for a list.
  case nothing
  /// The page token has died.
  case restart
  /// The window lies further back than the API answers.
  case gap
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
  /// Distinct keys that this unit had not seen on an earlier page; for a page that is read again,
  /// not on its first reading either. Keys of dropped and rejected records count.
  public var unseen: Int
  /// How many records at the head of the page the page before held too, in a row: the sign of a
  /// list that grew at its front under the walk.
  public var leadingRepeats = 0
  /// With how many of the last records of the page before it begins, in their order.
  public var continued = 0
  /// Over the page's keys in order; equal digests are equal pages.
  public var keysDigest: UInt64 = 0
  /// The digests of its first and its last key.
  public var firstKey: UInt64?
  public var lastKey: UInt64?
  /// How many records a look at a page found; they are not stored.
  public var lookedAt = 0
  /// The last page of the list, where this answer names it. Not stored: only a walk that is under way
  /// looks there.
  public var last: Cursor?
  /// One object came in the place of a list. Not stored, either.
  public var isOneObject = false
  /// What the answer says of more of the list and the job does not read.
  public var signs: [UnreadSign] = []
  /// The server said 304: what is stored of the page is still true, and the other facts here are
  /// those of the stored page (its records count as unchanged).
  public var isNotModified = false
  /// What came in the place of a page, after all tries; the counts are zero.
  public var trouble: TroubleKind?
  /// Why the first of its rejected records did not fit.
  public var rejectReason: String?
  public var keyClashes = KeyClashes()
  /// The time of the last record that was kept, by the column that `newestFirst` names.
  public var oldest: Instant?
  /// The latest of their times.
  public var newest: Instant?
  /// The times of the kept records never rise from one to the next: only then may a walk stop at
  /// known ground here (one pinned old record would end it too early).
  public var isNewestFirst = false
  /// Nil: it has no records, or its job declares no order.
  public var order: PageOrder?

  public init(
    purpose: Step.Purpose, ordinal: Int, cursor: Cursor, next: Cursor?, total: Int? = nil,
    more: Bool? = nil, counts: Counts = Counts(), unseen: Int = 0
  ) {
    self.purpose = purpose
    self.ordinal = ordinal
    self.cursor = cursor
    self.next = next
    self.total = total
    self.more = more
    self.counts = counts
    self.unseen = unseen
  }

  public var isUnreadable: Bool { trouble == .unreadable }
}
