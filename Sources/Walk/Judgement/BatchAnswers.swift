public import Base

/// The results of single answers for another stream's records, and the verdict on them. Pure: the same pages and misses
/// give the same verdict at any time.
public struct BatchAnswers: Sendable, Equatable {
  /// Values that did not come, which no answer shows.
  public struct Missed: JSONStored, Equatable {
    /// Requests without a readable answer.
    public var failed = 0
    /// An answer that ended all requests.
    public var isRefused = false
    /// Absent values; those absent for the first time; and absences in a row at the end.
    public var absent = 0
    public var newlyAbsent = 0
    public var absentInARow = 0
    /// Left out of an answer: to be requested again, or missing too often.
    public var waiting = 0
    public var gone = 0
    /// Answers that were mostly records of other values; what they leave out is among those that wait.
    public var ofOthers = 0
    /// Values of which no request can be made.
    public var unaskable = 0
    /// How many values the first request named that got none of them.
    public var emptyBatch: Int?
    /// The verdict of the last walk.
    public var wasWhole = false
    public var wasAbsent = false

    public static var empty: Missed { Missed() }
    public static let fields = JSONFields<Missed>([
      .value("failed", \.failed, unless: 0), .flag("refused", \.isRefused),
      .value("absent", \.absent, unless: 0),
      .value("newly_absent", \.newlyAbsent, unless: 0),
      .value("absent_in_a_row", \.absentInARow, unless: 0),
      .value("waiting", \.waiting, unless: 0), .value("gone", \.gone, unless: 0),
      .value("of_others", \.ofOthers, unless: 0),
      .value("unaskable", \.unaskable, unless: 0),
      .optional("empty_batch", \.emptyBatch), .flag("was_whole", \.wasWhole),
      .flag("was_absent", \.wasAbsent),
    ])
  }

  public var missed = Missed()
  public private(set) var counts = Counts()
  public private(set) var pages = 0
  private var distinct = 0
  private var rejected = RejectedRecords()
  private var keyClashes = KeyClashes()
  private let rules: WalkRules
  /// What counts against one of the answers.
  private var doubted: Certificate?
  public var whyFailed = ""
  public var whyAbsent = ""
  public var whyUnaskable = ""

  /// After this many absences in a row the common address may have moved.
  static let absencesInARowMax = 100
  /// After this many answers with nothing but rejects the job seems to be for another API.
  private static let rejectedInARowMax = 3

  public init(_ rules: WalkRules) { self.rules = rules }

  public var fitsNothing: Bool {
    rejected.run >= Self.rejectedInARowMax && counts.fitsNothing
  }

  public var isCutOff: Bool { missed.absentInARow >= Self.absencesInARowMax }

  public mutating func note(_ page: PageSummary) {
    counts += page.counts
    pages += 1
    distinct += page.unseen
    rejected.note(page)
    keyClashes += page.keyClashes
    guard doubted?.cause == nil, let doubt = rules.doubt(ofAnswer: page) else { return }
    if doubted == nil || doubt.cause != nil { doubted = doubt }
  }

  // MARK: what may be claimed

  public func certificate() -> Certificate {
    if missed.isRefused { return certificate(.failed, .failure, whyFailed) }
    if missed.failed > 0 {
      return certificate(
        .failed, .failure,
        "\(Wording.count(missed.failed, "request")) returned nothing: \(whyFailed)")
    }
    let others = isCutOff ? "; the others are left for a later run" : ""
    // Values that were missing before do not change a list that was complete.
    let isOldNews = missed.newlyAbsent == 0 && missed.wasWhole && !missed.wasAbsent
    if missed.absentInARow > 0, pages == 0, isCutOff || !isOldNews {
      let what = missed.absent == 1 ? "the one that was" : "all \(missed.absent) that were"
      return certificate(.absent, .gone, "\(what) asked for: \(whyAbsent)\(others)")
    }
    if isCutOff {
      return certificate(
        .failed, .failure, "\(missed.absentInARow) requests in a row: \(whyAbsent)\(others)")
    }
    if fitsNothing {
      return certificate(
        .failed, .failure,
        "every record of \(Wording.count(rejected.run, "answer")) was rejected\(rejected.clause); "
          + Walker.cureOfRejects)
    }
    let gone = missed.absent + missed.gone
    if counts.received == 0, missed.gone > 0, missed.waiting == 0,
      !missed.wasWhole || missed.wasAbsent
    {
      return certificate(
        .absent, .gone, "the answers left out all \(gone) that were requested, more than once")
    }
    var why = Wording.count(pages, "request")
    if gone > 0, counts.received == 0, missed.waiting == 0 {
      why = "only what had not been found was requested again"
    }
    let doubt = doubt
    why += doubt.map { "; \($0.why)" } ?? ", nothing left to fetch"
    if gone > 0 { why += "; \(Wording.count(gone, "is", "are")) not there" }
    var claim = certificate(doubt?.verdict ?? .complete, .singleAnswer, why, cause: doubt?.cause)
    if claim.verdict == .limited {
      claim.isAsDeclared = doubted?.verdict == .limited && doubted?.isAsDeclared == true
    }
    return claim
  }

  /// A certificate with the sums so far.
  public func certificate(
    _ verdict: Verdict, _ rule: StopRule, _ why: String, cause: Shortfall? = nil,
    goesOnAt: Instant? = nil
  ) -> Certificate {
    Certificate(
      verdict: verdict, cause: cause, rule: rule, why: why, pages: pages, counts: counts,
      distinctKeys: distinct, goesOnAt: goesOnAt,
      // Each answer is whole: a requested value is in it, or was missed and is due.
      proofs: verdict == .complete ? [.oneAnswer] : [])
  }

  /// What counts against the answers, or (without a cause) only against a proof.
  private var doubt: (verdict: Verdict, cause: Shortfall?, why: String)? {
    if rejected.isAny { return (.incomplete, .rejects, rejected.sentence) }
    if keyClashes.areAmbiguous(of: counts.received) {
      return (.incomplete, .ambiguousKey, keyClashes.sentence)
    }
    if missed.unaskable > 0, doubted?.cause == nil, missed.emptyBatch == nil {
      let values = Wording.count(missed.unaskable, "value")
      return (.limited, .outOfReach, "no request can be made for \(values): \(whyUnaskable)")
    }
    if let doubted, doubted.cause != nil || missed.waiting == 0 && !rules.isSearch {
      return (doubted.verdict, doubted.cause, "of one answer: \(doubted.why)")
    }
    guard missed.waiting > 0 else {
      return rules.isSearch ? (.unproven, nil, "a search returns what it likes") : nil
    }
    var left =
      "\(Wording.count(missed.waiting, "value")) that did not come will be requested again"
    if missed.ofOthers > 0 {
      let answers = Wording.count(missed.ofOthers, "answer")
      left += "; \(answers) had other records than were requested: a column named as in \"for\" "
      left += "must hold the value that a record answers"
    }
    return missed.emptyBatch.map {
      (.incomplete, .empty, "nothing came for \($0) values at once; \(left)")
    } ?? (.unproven, nil, left)
  }
}
