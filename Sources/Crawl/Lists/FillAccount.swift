internal import Base
internal import Store
internal import Walk

/// The sum of a fill's windows: one entry in the report, however many they were.
struct FillAccount {
  let label: UnitLabel
  let requestsBefore: Int
  /// Windows at the cap that earlier runs left.
  private let cappedBefore: [SettledWindow]
  /// Of the walks, including pages that an earlier run read.
  private(set) var counts = Counts()
  /// What this run itself read.
  private(set) var ownCounts = Counts()
  private(set) var pages = 0
  private(set) var kinds: Set<RunOutcome.Kind> = []
  private(set) var stop: Stop?
  var pending: TimeWindow?
  private var distinct = 0
  private var windows = 0
  private var cuts = 0
  private var gaps = 0
  private(set) var isNewShortfall = false
  private var hasMoved = false
  private var last: Certificate?
  /// Sentences about what is less than complete, the first few.
  private var less: [(claim: String, why: String)] = []
  private var judgement = RangeJudgement()

  /// The finest windows in a row that were at the cap with the same total and nothing new.
  private var same = 0
  private var sameTotal: Int?
  static let sameMax = 20
  /// Of these, those that returned neither records nor a total.
  private var blind = 0
  private static let blindMax = 3
  /// Windows in a row that failed without a record.
  private var failedInARow = 0
  static let failuresInARowMax = 3

  /// Sentences about incomplete windows in one report.
  static let lessMax = 5

  init(
    _ label: UnitLabel, capped: [SettledWindow], requestsBefore: Int
  ) {
    self.label = label
    self.requestsBefore = requestsBefore
    cappedBefore = capped
    judgement.note(.limited, .ceiling, windows: capped.count)
  }

  mutating func add(_ result: UnitWalk.Result) {
    let certificate = result.facts.certificate
    counts += certificate.counts
    pages += certificate.pages
    ownCounts += result.facts.counts
    hasMoved = hasMoved || certificate.hasMoved
    if result.isCut {
      cuts += 1
      return
    }
    noteSame(result)
    let hasFailed = certificate.verdict == .failed && result.facts.counts.received == 0
    failedInARow = hasFailed ? failedInARow + 1 : 0
    kinds.formUnion(result.kinds)
    stop = stop ?? result.stop
    distinct += certificate.distinctKeys
    windows += 1
    last = certificate
    isNewShortfall = isNewShortfall || result.facts.isNewShortfall
    switch certificate.verdict {
    case .complete: break
    case .unproven: judgement.note(.unproven)
    default: note(certificate.verdict, certificate.cause, certificate.why)
    }
  }

  /// The API accepts no window of this list; the rest wait for the next run, which tries them first.
  var isRefused: Bool { failedInARow >= Self.failuresInARowMax }

  /// Why no narrower window helps: an API that returns the same for every window ignores the filter, and one that
  /// returns nothing for the finest has a limit of another kind.
  var vain: String? {
    if blind >= Self.blindMax {
      return
        "the API says of the finest windows, too, that it shows no more of them, and shows nothing: its limit "
        + "seems to be another one, of the plan perhaps; see its errors in the job file"
    }
    return same < Self.sameMax
      ? nil
      : "the API seems to ignore the filter of time: \(same) of the finest windows in a row held the same; "
        + "see \"window\" in the job file"
  }

  /// The list was read, whatever the verdict; a failed or absent list stays due.
  var isAnswered: Bool {
    stop == nil && ![.failed, .absent, .paused].contains(judgement.claim.verdict)
      && !counts.fitsNothing
  }

  private mutating func noteSame(_ result: UnitWalk.Result) {
    guard case .tooMany(let total, let received, _) = result.found else {
      (same, blind) = (0, 0)
      return
    }
    blind = total == nil && received == 0 ? blind + 1 : 0
    let counts = result.facts.counts
    let isSame = counts.new + counts.changed == 0 && total == sameTotal
    same = isSame ? same + 1 : 1
    sameTotal = total
  }

  /// Fails this list alone. What its windows lacked follows from that.
  mutating func fail(_ message: String) {
    kinds.insert(.failed)
    judgement.note(.failed)
    less = [(Verdict.failed.rawValue, message)]
  }

  mutating func pause(_ message: String) {
    kinds.insert(.paused)
    stop = Stop(rule: .budget, message: message)
    note(.paused, nil, message)
  }

  mutating func addGap(why: String, isNewShortfall: Bool) {
    gaps += 1
    self.isNewShortfall = self.isNewShortfall || isNewShortfall
    if isNewShortfall { kinds.insert(.lessThanDeclared) }
    note(.limited, .outOfReach, why)
  }

  private mutating func note(_ verdict: Verdict, _ cause: Shortfall?, _ why: String) {
    judgement.note(verdict, cause)
    guard verdict != .paused, less.count < Self.lessMax else { return }
    less.append((cause?.rawValue ?? verdict.rawValue, why))
  }

  // MARK: the account

  var certificate: Certificate {
    if windows == 1, let last, cuts == 0, gaps == 0, cappedBefore.isEmpty, pending == nil {
      return last
    }
    return judgement.certificate(
      last?.rule ?? .singleAnswer, why, pages: pages, counts: counts, distinctKeys: distinct,
      hasMoved: hasMoved, goesOnAt: last?.goesOnAt)
  }

  private var why: String {
    var parts: [String] = []
    if windows == 0 {
      parts.append("nothing was left to ask")
    } else {
      parts.append(Wording.count(windows, "window"))
    }
    if cuts > 0 { parts.append("\(cuts) too wide and split") }
    if judgement.unproven > 0 { parts.append("\(judgement.unproven) unproven") }
    if let stop { parts.append(stop.message) }
    parts += less.filter { $0.why != stop?.message }.map { "\($0.claim): \($0.why)" }
    let untold = judgement.lessCount - cappedBefore.count - less.count
    if untold > 0 { parts.append("and \(untold) more that are less than complete") }
    // cut: the sentence says how many more
    parts += cappedBefore.prefix(Self.lessMax).map { "limited before: \($0.why)" }
    if cappedBefore.count > Self.lessMax {
      parts.append("and \(cappedBefore.count - Self.lessMax) more limited before")
    }
    if let pending { parts.append("what is newer than \(pending.from) is not listed yet") }
    return parts.joined(separator: "; ")
  }
}
