public import Base

/// What a walk was given when it began, and each time it was resumed: its rules, the results of earlier walks, and how
/// it had stopped. It is stored with the first answer after it.
public struct Handed: Sendable, Equatable {
  /// The digest of the rules.
  public var rules: UInt64
  /// The certificate of the last walk that reached the list's end: the basis of a proof by two walks, or of one that
  /// joins a proven stretch.
  public var whole: Int?
  public var memory = WalkMemory()
  /// Where a newest-first list may stop.
  public var range: TimeWindow? {
    get { rangeTo.map { TimeWindow(from: rangeFrom ?? Instant(milliseconds: .min), to: $0) } }
    set { (rangeFrom, rangeTo) = (newValue?.from, newValue?.to) }
  }
  private var rangeFrom: Instant?
  private var rangeTo: Instant?
  /// It resumes from what an earlier run stored, and had stopped like this.
  public var isResumed = false
  var walkBreak = WalkBreak()
  var carried = CarriedOver()
  /// For a window: the latest time, by the API's clock, for which the list was read. Known at the end.
  public var listedUntil: Instant?

  public init(rules: UInt64, whole: Int? = nil) {
    self.rules = rules
    self.whole = whole
  }
}

/// What a walk keeps when it starts over at page 1.
struct CarriedOver: Sendable, Equatable {
  var passes = 1
  /// The pattern of the previous reading, for a list that stops at a known stretch.
  var frontPattern: UInt64?
  var hasTokenDied = false
  /// Page 1 came from a cache, too old, and was requested once more.
  var hasPassedCaches = false
  /// In this walk, pages of another size were not what was requested.
  var hasFixedSizes = false
}

extension Handed: JSONStored {
  public static var empty: Handed { Handed(rules: 0) }

  public static let fields: JSONFields<Handed> = JSONFields([
    .value("rules", \.rules, unless: 0), .optional("whole", \.whole),
    .optional("pattern", \.memory.pattern), .flag("pattern_old", \.memory.isPatternOld),
    .optional("hidden", \.memory.hidden), .optional("last_page", \.memory.lastPage),
    .optional("says_more", \.memory.hasSeenMore), .optional("sizes_hold", \.memory.sizesHold),
    .value("first_known", \.memory.isFirstKnown, unless: true),
    .flag("first_failed", \.memory.hasFirstFailed),
    .optional("listed", \.memory.rowsListed), .value("rows", \.memory.rowsBefore, unless: 0),
    .flag("empty_for_long", \.memory.isEmptyForLong), .optional("expected", \.memory.expected),
    .value("range_proven", \.memory.isRangeProven, unless: true),
    .flag("range_lacking", \.memory.isRangeLacking), .optional("range_from", \.rangeFrom),
    .optional("range_to", \.rangeTo), .value("pass", \.carried.passes, unless: 1),
    .optional("front", \.carried.frontPattern), .flag("token_died", \.carried.hasTokenDied),
    .flag("passed_caches", \.carried.hasPassedCaches),
    .flag("fixed_sizes", \.carried.hasFixedSizes), .flag("resumed", \.isResumed),
    .flag("accepted", \.memory.isAccepted),
    .value("paused", \.walkBreak.pausedFor, unless: .zero),
    .value("age", \.walkBreak.age, unless: .zero),
    .value("longest_pause", \.walkBreak.longestPause, unless: .zero),
    .flag("planned", \.walkBreak.isPlanned), .value("stops", \.walkBreak.plannedStops, unless: 0),
    .flag("of_window", \.walkBreak.isWindow), .optional("took", \.walkBreak.lastTook),
    .optional("interval", \.walkBreak.interval), .optional("listed_until", \.listedUntil),
  ])
}
