public import Base

/// What a walk was handed at its beginning, and each time that it was resumed: its rules, what earlier
/// walks left, and how it had come to stop. It is stored with the first answer behind it.
public struct Handed: Sendable, Equatable {
  /// The digest of the rules.
  public var rules: UInt64
  /// The certificate of the last walk that came to the list's end: a proof by two walks, or one that joins
  /// a proven stretch, rests on it.
  public var whole: Int?
  public var memory = WalkMemory()
  /// The stretch at which a list that is read newest first may stop.
  public var range: TimeWindow? {
    get { rangeTo.map { TimeWindow(from: rangeFrom ?? Instant(milliseconds: .min), to: $0) } }
    set { (rangeFrom, rangeTo) = (newValue?.from, newValue?.to) }
  }
  private var rangeFrom: Instant?
  private var rangeTo: Instant?
  /// It goes on with what an earlier run has stored, and that is how it had come to stop.
  public var isResumed = false
  var walkBreak = WalkBreak()
  var carried = CarriedOver()
  /// Of a window: when its list can have been read last, by the API's clock. Known at the end.
  public var listedUntil: Instant?

  public init(rules: UInt64, whole: Int? = nil) {
    self.rules = rules
    self.whole = whole
  }
}

/// What a walk keeps when it begins again at page 1.
struct CarriedOver: Sendable, Equatable {
  var passes = 1
  /// What the reading before this one brought of a list that ends where it is known.
  var frontPattern: UInt64?
  var hasTokenDied = false
  /// Page 1 came from a cache that had it too long, and was requested once more.
  var hasPassedCaches = false
  /// Pages of another size were not what was requested, in this walk.
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
