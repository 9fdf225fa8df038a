public import Base

/// One execution of a job, in the database.
public struct RunID: Hashable, Sendable {
  var number: Int64
  /// `20261121T141207Z`: also the name of its report.
  public var name: String
}

/// One unit, in the database.
public struct UnitID: Hashable, Sendable {
  var number: Int64
}

/// The state of a unit when a run comes to it.
public struct UnitOpening: Sendable {
  public enum State: Sendable {
    /// Nothing of this walk is stored: begin at its start.
    case fresh
    /// An earlier run stopped in the middle: its pages in order, and how it stopped. Mapping and
    /// request are still the same.
    case resume(pages: [PageSummary], after: WalkBreak)
    /// The API said that it does not exist; it is requested again at that instant.
    case absent(until: Instant)
  }

  public var id: UnitID
  public var state: State
  /// The list in words: `followers of octocat`.
  public var listName: String
  /// The certificate of the last walk, whatever its verdict.
  public var last: StoredCertificate?
  /// The last one that was read to the list's end, for the same request.
  public var lastWhole: StoredCertificate?
  /// The list was read before, with the same request and mapping: this window of it, or another.
  public var wasRead = false
  /// The list has different rows now: what was known of it is gone.
  public var isReadAnew = false
  /// Where the first of its stream's windows begins that count no more since now: the request is another.
  public var voidedFrom: Instant?
  /// What earlier walks left for proving this one.
  public var memory = WalkMemory()
  /// Any of its pages has a validator.
  public var hasValidators = false
  /// Reads pages that arrive before the store is ready for them.
  public var reader: EarlyReader
}

/// A certificate with its place in time and in the job's history.
public struct StoredCertificate: Sendable {
  public enum Standing: String, Sendable {
    case valid
    /// Rows of that walk were mapped by older columns; `--refill` reads them again.
    case olderMapping = "older mapping"
    /// It answers another request: it covers nothing now.
    case otherRequest = "other request"
  }

  public var number: Int64
  public var certificate: Certificate
  public var standing: Standing
  public var beganAt: Instant
  var issuedAt: Instant
  /// The newest and oldest time of its records, if the list is declared newest first. A walk may
  /// stop at records that are not newer than `newest` of a complete certificate.
  public var newest: Instant?
  public var oldest: Instant?
  /// Rows that looked gone but were too many to believe it.
  var withheld: Int
  /// When the list was last read without stopping at known records.
  public var wholeAt: Instant
  /// How many walks in a row had its pattern, and when the first of them began.
  var patternWalks = 0
  var patternSince: Instant?
  var run: Int64 = 0
  /// Distinct keys in the pages of the walk.
  var keysCount = 0
  /// Absences in a row, or walks in a row that found it empty; and the first of these.
  var tries = 0
  var emptySince: Instant?
  /// Walks to the list's end since it was last complete; and when it was last proven, or a proof was tried.
  var unprovenReads = 0
  public var provingAt: Instant?
  var traversal: Int64
  /// The certificate that its proof rests on.
  var restsOn: Int64?
  var prints: Fingerprints

  /// The list was read to its end, and only rejects, or a number of missing records that is too large, speak against
  /// it. Reading it again would find nothing new.
  var isReadToItsEnd: Bool {
    certificate.verdict.isWhole || certificate.cause == .rejects || withheld > 0
  }

  /// It says something of the list: a pause or a failure does not.
  var isTelling: Bool { ![.paused, .failed].contains(certificate.verdict) }

  /// It by the present request and mapping; nil if it answers another request.
  func judged(by prints: Fingerprints) -> StoredCertificate? {
    guard self.prints.request == prints.request else { return nil }
    var judged = self
    judged.standing = self.prints.mapping == prints.mapping ? .valid : .olderMapping
    return judged
  }

  /// Walks in a row that found the list empty, up to this one, and the time of the first of them.
  var empty: (walks: Int, since: Instant)? { emptySince.map { (tries, $0) } }
}
