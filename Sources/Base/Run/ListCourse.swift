/// The identity of a list within a job.
public struct ListName: Hashable, Sendable {
  public var stream: String
  /// As in `Unit.parameterText`.
  public var parameters: String

  public init(stream: String, parameters: String) {
    self.stream = stream
    self.parameters = parameters
  }
}

/// The history of a list, night after night: when it was last as good as before, and what that is measured against. A
/// value: the same nights give the same result.
public struct ListCourse: Sendable, Equatable {
  /// When it was last as good as before. A new list counts as good until its first end.
  public private(set) var goodAt: Instant
  /// Its last good ends, the oldest first: their distances show how often it is read.
  public private(set) var ends: [Instant] = []
  /// The last walk left it smaller or worse than before.
  public private(set) var isLess = false
  /// The last walk left open whether records of one page are gone.
  private var isUndecided = false
  /// According to the last walk, the list does not exist.
  private var isAbsent = false
  /// A run has already ended with exit code 3 because of this.
  private var isTold = false
  /// When it was last complete.
  var completeAt: Instant?
  /// When its last two complete walks began, the older first.
  private var whole: [Instant] = []
  /// The start of the older one: since then it was read whole twice.
  public var readWholeTwice: Instant? { whole.count == 2 ? whole[0] : nil }
  /// The kinds of proof that were possible for the last complete walk.
  var open: Set<ProofKind> = []
  /// It was read to its end at least once.
  public private(set) var wasWhole = false
  /// The lengths of walks to its end, one for each day.
  var lengths: [Int] = []
  var lastDay: Int?
  /// A digest of the keys of the last walk to the list's end.
  var keys: UInt64?
  /// The digests of the request and mapping that this history belongs to.
  public private(set) var prints: [UInt64] = []

  /// The usual length is the median of this many days.
  static let daysMax = 30
  static let endsMax = 5
  /// How old the last proof of a list that changes during each walk may be, unless its job says.
  public static let patience = Duration.seconds(14 * 86_400)

  public init(since now: Instant, prints: [UInt64] = []) { (goodAt, self.prints) = (now, prints) }

  /// The result of a walk, as far as the list's history needs it.
  public struct Walk: Sendable {
    public var certificate: Certificate
    /// A digest of its keys, regardless of order.
    var keys: UInt64
    /// The kinds of proof that the form of its answers allowed; nil: one answer does not show that.
    var open: Set<ProofKind>?
    var isSearch: Bool
    var patience: Duration
    /// It counts all records of the list.
    var isOfAll: Bool
    public var beganAt: Instant?
    /// Records of one page are missing, and later walks show whether they left.
    public var isUndecided = false
    /// For a list that only something new makes due: when the last run that requested all began.
    public var restedAt: Instant?

    public init(
      _ certificate: Certificate, keys: UInt64, open: Set<ProofKind>?, isSearch: Bool = false,
      patience: Duration? = nil, isOfAll: Bool = true
    ) {
      self.certificate = certificate
      self.keys = keys
      self.open = open
      self.isSearch = isSearch
      self.patience = patience ?? ListCourse.patience
      self.isOfAll = isOfAll && certificate.rule != .lastCompleteRange
    }

    var isToTheEnd: Bool {
      certificate.verdict.isWhole || certificate.verdict == .limited && certificate.isAsDeclared
    }
  }

  // MARK: night by night

  /// - Returns: whether it has fallen short and no run has reported that yet: exit code 3, once.
  public mutating func note(_ walk: Walk, at now: Instant) -> Bool {
    let isGood = isGood(walk, at: now)
    // The first walk without them proves nothing yet, however long ago the one before it was.
    if walk.isUndecided, !isUndecided { goodAt = now }
    if walk.isToTheEnd || walk.isUndecided { isUndecided = walk.isUndecided }
    if walk.isToTheEnd {
      wasWhole = true
      if walk.isOfAll {
        // A list that is proven to be shorter is measured against its new length.
        if walk.certificate.verdict == .complete, !holds(walk, parts: 10) {
          (lengths, lastDay) = ([], nil)
        }
        note(length: walk.certificate.distinctKeys, at: now)
      }
    }
    if walk.isOfAll, walk.isToTheEnd || walk.certificate.cause == .moved { keys = walk.keys }
    if walk.certificate.verdict == .complete {
      completeAt = now
      if walk.isOfAll, let began = walk.beganAt { whole = (whole + [began]).suffix(2) }
      // One answer shows nothing new about them.
      open = walk.open ?? open
    }
    let wasAbsent = isAbsent
    if walk.certificate.verdict != .paused { isAbsent = walk.certificate.verdict == .absent }
    if isGood {
      isLess = false
      // A missing list is reported once, even after a failure.
      if isAbsent {
        goodAt = now
        return tell() || !wasAbsent
      }
      note(good: now)
      return false
    }
    if let rested = walk.restedAt, !isLess, rested > goodAt { goodAt = min(rested, now) }
    // A pause resumes and reports itself. If a proven list moved, the next walk decides.
    let isFirstMove = walk.certificate.cause == .moved && isBehindProof
    isLess = true
    return walk.certificate.verdict == .paused || walk.isUndecided || isFirstMove ? false : tell()
  }

  /// For a list that is read in windows: how far it is covered without a gap.
  public mutating func note(reachOf coverage: Instant, isLess: Bool, at now: Instant) {
    self.isLess = isLess
    if !isLess { wasWhole = true }
    guard coverage > goodAt || goodAt.isAhead(of: now) else { return }
    note(good: min(coverage, now))
  }

  /// For single answers about the records of another list, of which a few are missing: the list was last good when the
  /// oldest of them went missing.
  /// - Returns: as above.
  public mutating func note(missing since: Instant?, at now: Instant) -> Bool {
    wasWhole = true
    isLess = since != nil
    guard let since else {
      note(good: now)
      return false
    }
    goodAt = min(since, now)
    return tell()
  }

  /// All was read that is within reach; that there is more is reported once, and does not age.
  public mutating func note(restAt now: Instant) -> Bool {
    let wasTold = isTold
    (wasWhole, isLess) = (true, false)
    note(good: now)
    isTold = wasTold
    return tell()
  }

  private mutating func note(good end: Instant) {
    goodAt = end
    isTold = false
    // Drops times of a clock that was ahead.
    ends = (ends.filter { $0 < end } + [end]).suffix(Self.endsMax)
  }

  /// True once, until the list is good again.
  public mutating func tell() -> Bool {
    defer { isTold = true }
    return !isTold
  }

  private mutating func note(length: Int, at now: Instant) {
    let day = Int(now.seconds / 86_400)
    lengths = (lengths.dropLast(day == lastDay ? 1 : 0) + [length]).suffix(Self.daysMax)
    lastDay = day
  }

  // MARK: as good as before

  private func isGood(_ walk: Walk, at now: Instant) -> Bool {
    let certificate = walk.certificate
    switch (certificate.verdict, certificate.cause) {
    case (.complete, _): return true
    case (.unproven, _) where walk.isSearch: return holds(walk, parts: 2)
    case (.unproven, _): return keepsProofs(walk) && holds(walk, parts: 10)
    case (.limited, _) where certificate.isAsDeclared:
      return keepsProofs(walk) && holds(walk, parts: 10)
    case (.incomplete, .moved):
      // A list that changes has other keys each time. Nights without a walk are not held against it.
      guard wasWhole, certificate.counts.rejected == 0, keys != walk.keys || !walk.isOfAll,
        isBehindProof || now - (completeAt ?? ends.last ?? goodAt) < walk.patience
      else { return false }
      return keepsProofs(walk) && holds(walk, parts: 10)
    // It never existed.
    case (.absent, _): return !wasWhole
    default: return false
    }
  }

  /// The walk before was complete.
  private var isBehindProof: Bool { completeAt != nil && completeAt == ends.last && !isLess }

  private func keepsProofs(_ walk: Walk) -> Bool {
    guard let now = walk.open else { return true }
    return Self.keeps(open, now: now, pages: walk.certificate.pages)
  }

  /// Up to 3 pages (the third may be empty) the second is the last anyway, and a short page cannot overlap, so neither
  /// proof is expected. Pages that overlap need no look at the last one.
  public static func keeps(_ open: Set<ProofKind>, now: Set<ProofKind>, pages: Int) -> Bool {
    let more: Set<ProofKind> =
      pages <= 3 ? [.ends, .overlap] : now.contains(.overlap) ? [.ends] : []
    return now.union(more).isSuperset(of: open)
  }

  /// This many records may leave any list in a day, however short it is.
  private static let leaversMax = 5

  /// At most one part in `parts` of its usual length is missing.
  private func holds(_ walk: Walk, parts: Int) -> Bool {
    guard walk.isOfAll, !lengths.isEmpty else { return true }
    let (usual, count) = (lengths.sorted()[lengths.count / 2], walk.certificate.distinctKeys)
    // A stored length may be damaged, and be any number.
    return Double(count) * Double(parts) >= Double(usual) * Double(parts - 1)
      || count > 0 && usual - count <= Self.leaversMax
  }
}

// MARK: as it is stored

extension ListCourse: JSONStored {
  public static var empty: ListCourse { ListCourse(since: Instant(seconds: 0)) }

  public static let fields = JSONFields<ListCourse>([
    .value("good_at", \.goodAt, unless: Instant(seconds: 0)), .value("ends", \.ends, unless: []),
    .flag("less", \.isLess), .flag("undecided", \.isUndecided), .flag("told", \.isTold),
    .flag("absent", \.isAbsent),
    .optional("complete_at", \.completeAt),
    .value("open", \.openText, unless: ""), .flag("whole", \.wasWhole),
    .value("lengths", \.lengths, unless: []), .optional("day", \.lastDay),
    .optional("keys", \.keys), .value("read_whole", \.whole, unless: []),
    .value("prints", \.prints, unless: []),
  ])

  private var openText: String {
    get { open.map(\.rawValue).sorted().joined(separator: ",") }
    set {
      open = Set(newValue.split(separator: ",").compactMap { ProofKind(rawValue: String($0)) })
    }
  }
}

/// How long a list may go without a good end before it is reported.
extension ListCourse {
  /// Nothing is reported in the first two nights, but in the third. A little less than two days, since timers vary.
  public static let nights = Duration.seconds(47 * 3600)

  /// - Parameter every: the job's interval.
  public func limit(every: Duration?) -> Duration {
    let spans = zip(ends, ends.dropFirst()).map { $1 - $0 }
    let longest = spans.max() ?? .zero
    // A tenth more, since timers vary.
    return max(Self.limit(every: every), longest * 2 + longest / 10)
  }

  /// The limit from the job's interval alone.
  public static func limit(every: Duration?) -> Duration {
    max(nights, every.map { $0 * 3 - $0 / 10 } ?? .zero)
  }
}
