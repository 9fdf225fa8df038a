/// The content of one answer: the checked document, its records, and the signs of where the list continues.
public struct Page: Sendable {
  public var document: JSONDocument
  public var records: [JSONValue]
  /// The names of the records, if they are members of an object and a column wants them.
  public var names: [String?] = []
  /// The records that are not JSON, by their positions; in `records` they are null.
  public var damaged: [Int: DamagedRecord] = [:]
  /// The length of the whole list according to this answer.
  public var total: Int?
  /// The number of pages, if a `Link` names the last one: shown, never decides.
  public var pageCount: Int?
  /// The last page, if the answer names it.
  public var last: Cursor?
  /// The answer's flag, if the stream has one.
  public var more: Bool?
  /// The next page according to the answer.
  public var next: Cursor?
  /// The origin of `next`, if it is not the answer's: it is reported, and gets no credential.
  public var nextLeadsTo: Origin?
  public var etag: String?
  public var lastModified: String?
  /// A digest of the answer's bytes; nil: its rows depend on more than the answer.
  public var bodyDigest: UInt64?
  /// Other hints of more in the answer.
  public var signs: [UnreadSign] = []
  /// A nested list says that it is only a part, so missing entries are not gone.
  public var hasNestedPart = false
  /// One object came instead of a list.
  public var isOneObject = false

  public init(document: JSONDocument, records: [JSONValue]) {
    self.document = document
    self.records = records
  }
}

/// A record whose bytes are not JSON, in an answer whose other records are readable.
public struct DamagedRecord: Sendable, Equatable {
  public var bytes: [UInt8]
  /// The error and its position.
  public var reason: String

  public init(bytes: [UInt8], reason: String) {
    self.bytes = bytes
    self.reason = reason
  }
}

/// What happened to a page's records. `received` is always the sum of the other six.
public struct Counts: Hashable, Sendable {
  public var new = 0
  public var changed = 0
  public var unchanged = 0
  /// Seen earlier in this unit.
  public var repeated = 0
  /// Dropped by the job's `keep`.
  public var dropped = 0
  public var rejected = 0

  public init() {}

  public var received: Int { new + changed + unchanged + repeated + dropped + rejected }

  /// Distinct records that fit.
  public var kept: Int { new + changed + unchanged }

  /// Only what changed the table.
  public var written: Counts {
    var written = Counts()
    (written.new, written.changed) = (new, changed)
    return written
  }

  /// How the records received and the rows add up; nil if their numbers are equal.
  public var account: String? {
    guard dropped + repeated > 0 else { return nil }
    let others = [(dropped, "dropped by rule"), (repeated, "repeated"), (rejected, "rejected")]
      .filter { $0.0 > 0 }.map { "\(Wording.number($0.0)) \($0.1)" }
    return ([Wording.count(kept, "row")] + others).joined(separator: ", ")
      + " of \(Wording.number(received)) received"
  }

  /// Records came, and all were rejected: an error shaped like a page, or the wrong job.
  public var fitsNothing: Bool { received > 0 && rejected == received }

  public static func += (left: inout Counts, right: Counts) {
    left = left.joined(with: right, +)
  }

  /// The difference to an earlier count of the same unit.
  public func since(_ earlier: Counts) -> Counts { joined(with: earlier, -) }

  private func joined(with other: Counts, _ join: (Int, Int) -> Int) -> Counts {
    var counts = Counts()
    counts.new = join(new, other.new)
    counts.changed = join(changed, other.changed)
    counts.unchanged = join(unchanged, other.unchanged)
    counts.repeated = join(repeated, other.repeated)
    counts.dropped = join(dropped, other.dropped)
    counts.rejected = join(rejected, other.rejected)
    return counts
  }
}

/// What came instead of a page.
public enum TroubleKind: String, Sendable, CaseIterable {
  /// No readable answer after all tries.
  case unreadable
  /// 404, 410, 451.
  case absent
  /// According to the job's error table: the end of the list, or the API's cap.
  case ended, cap
  /// Retrying cannot help.
  case refused
  /// The same behind page 1, and it says nothing of the list: a refused key, a server that fails, no answer.
  case denied
  /// An answer without content, which its job does not accept as a list.
  case nothing
  /// The page token has expired.
  case restart
  /// The window is older than the API answers.
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
  /// Distinct keys that were on no earlier page of this unit; for a page that is read again, nor in its first reading.
  /// Keys of dropped and rejected records count.
  public var unseen: Int
  /// How many records at the start of the page were also on the page before, in a row: the sign of a list that grew at
  /// its front during the walk.
  public var leadingRepeats = 0
  /// With how many of the previous page's last records it begins, in their order.
  public var continued = 0
  /// A digest of the page's keys in order; equal digests mean equal pages.
  public var keysDigest: UInt64 = 0
  /// The digests of its first and its last key.
  public var firstKey: UInt64?
  public var lastKey: UInt64?
  /// The number of records in a look at a page; they are not stored.
  public var lookedAt = 0
  /// The last page of the list, if this answer names it. Not stored: only a walk in progress needs it.
  public var last: Cursor?
  /// One object came instead of a list. Not stored, either.
  public var isOneObject = false
  /// Hints of more in the answer that the job does not read.
  public var signs: [UnreadSign] = []
  /// The server answered 304: the stored page is still true, and the other facts here are from it (its records count as
  /// unchanged).
  public var isNotModified = false
  /// What came instead of a page after all tries; the counts are zero.
  public var trouble: TroubleKind?
  /// Why its first rejected record did not fit.
  public var rejectReason: String?
  public var keyClashes = KeyClashes()
  /// The time of the last kept record, in the column of `newestFirst`.
  public var oldest: Instant?
  /// The latest of these times.
  public var newest: Instant?
  /// The times of kept records never increase from one to the next: only then may a walk stop here at known records (a
  /// pinned old record would end it too early).
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
