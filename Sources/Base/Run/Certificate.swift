/// What may be claimed of a unit.
public enum Verdict: String, Sendable, CaseIterable {
  case complete, unproven, limited, incomplete, absent, paused, failed

  /// The worst verdict of a list's windows is the verdict of the list.
  public static let worstFirst: [Verdict] = [
    .failed, .paused, .incomplete, .absent, .limited, .unproven, .complete,
  ]
  /// The order in which lists need attention: `paused` is late, since it resumes by itself.
  public static let urgentFirst =
    worstFirst.filter { $0 != .paused && $0 != .complete } + [paused, complete]

  /// Read to the end that the API gives, and nothing contradicts that.
  public var isWhole: Bool { self == .complete || self == .unproven }

  /// With its cause.
  func claim(_ cause: Shortfall?) -> String {
    cause.map { "\(rawValue) (\($0.rawValue))" } ?? rawValue
  }
}

/// Why a list is `limited` or `incomplete`.
public enum Shortfall: String, Sendable, CaseIterable {
  /// The API ends such lists at a number of records, however many there are.
  case ceiling
  /// It is older than the API answers.
  case outOfReach = "out of reach"
  /// The list changed while it was read.
  case moved
  /// The API's count differs from the number of records received.
  case count
  /// Records that could not be stored.
  case rejects
  /// No records came although there should be some.
  case empty
  /// The answers hold hints that the job does not read.
  case unread
  /// Different records share one key.
  case ambiguousKey = "ambiguous key"
  /// Columns that used to be filled are empty in whole pages.
  case fields
}

/// The rule that ended a walk.
public enum StopRule: String, Sendable, CaseIterable {
  case singleAnswer, noNextPage, countedTotal, emptyPage, moreFlag, nothingUnseen, errorMeansEnd
  case lastCompleteRange, capReached, capSign, shortPage, noContent
  case loop, tooManyEmptyPages, onlyRejects, gone
  /// The API refused it, or no request can be made.
  case outOfReach
  /// Further back than the reach that the job declares: never requested.
  case beyondReach
  case limit, budget, clock, interrupted, failure
}

/// What may be claimed of a finished unit, with the evidence.
public struct Certificate: Sendable, Equatable {
  public var verdict: Verdict
  public var cause: Shortfall?
  public var rule: StopRule
  /// One sentence for the user.
  public var why: String
  public var pages: Int
  public var counts: Counts
  public var distinctKeys: Int
  public var firstTotal: Int?
  public var lastTotal: Int?
  public var trust: Total.Trust?
  /// The list changed during the walk: page 1 or the total differed at the end.
  public var hasMoved: Bool
  /// For `paused`: when it can resume.
  public var goesOnAt: Instant?
  /// Everything is as declared by the job: read to its end, or to a cap that the job expects.
  public var isAsDeclared: Bool
  /// All proofs that the list is whole, the strongest first; only a `complete` list has any.
  public var proofs: [ProofKind]
  /// A digest of the walk's keys, in order and page by page; nil if a key came twice, or a page could not be read in
  /// its place. Two walks with the same pattern read the same list.
  public var pattern: UInt64?

  /// Whether records that were not returned are gone; otherwise the next walk decides. Not stored.
  public var showsWhoLeft = false
  /// Records show the list's end. Not stored.
  public var isEndShown = false
  /// The API's clock at the first answer of the walk, if it gave one: the walk covers nothing later.
  public var listedUntil: Instant?

  public var proof: ProofKind? { proofs.first }

  /// The end of what a walk covers if it requested times up to `asked`: never a time that has
  /// not come yet, neither here nor where the records are dated.
  public func coverageEnd(_ asked: Instant, issuedAt: Instant) -> Instant {
    min(asked, issuedAt, listedUntil ?? asked)
  }

  /// `complete`, `incomplete (moved)`.
  public var claim: String { verdict.claim(cause) }

  public init(
    verdict: Verdict, cause: Shortfall? = nil, rule: StopRule, why: String, pages: Int,
    counts: Counts, distinctKeys: Int,
    firstTotal: Int? = nil, lastTotal: Int? = nil, trust: Total.Trust? = nil,
    hasMoved: Bool = false, goesOnAt: Instant? = nil, isAsDeclared: Bool? = nil,
    proofs: [ProofKind] = [], pattern: UInt64? = nil
  ) {
    self.verdict = verdict
    self.cause = cause
    self.rule = rule
    self.why = why
    self.pages = pages
    self.counts = counts
    self.distinctKeys = distinctKeys
    self.firstTotal = firstTotal
    self.lastTotal = lastTotal
    self.trust = trust
    self.hasMoved = hasMoved
    self.goesOnAt = goesOnAt
    self.isAsDeclared = isAsDeclared ?? verdict.isWhole
    self.proofs = proofs
    self.pattern = pattern
  }
}

/// Digests of the request and of the mapping. Another request voids coverage; another mapping marks the certificate.
public struct Fingerprints: Hashable, Sendable {
  /// Of everything that is sent, and the account.
  public var request: UInt64
  /// Of columns, keep, key and SQL.
  public var mapping: UInt64

  public init(request: UInt64, mapping: UInt64) {
    self.request = request
    self.mapping = mapping
  }

  /// What the account's number adds to the request's digest, so that a change of this number alone can be recognised.
  public static func mask(era: Int) -> UInt64 {
    era == 0 ? 0 : Digest64.of("asked by another, \(era)".utf8)
  }
}
