/// What a walk can use from earlier walks of its list to prove itself.
public struct WalkMemory: Sendable, Equatable {
  /// The pattern of the last walk to the list's end with the same request and mapping.
  public var pattern: UInt64?
  /// When that walk began: a second one that reads the same proves what has been there since.
  public var patternSince: Instant?
  /// At least two walks in a row read the same, and the first of them began 40 hours ago.
  public var isPatternOld = false
  /// How many records a steady total counted beyond those received, when the list was last complete.
  public var hidden: Int?
  /// Where that walk found the last page with records.
  public var lastPage: Cursor?
  /// Whether an answer of this stream ever said that more follow; nil: not checked.
  public var hasSeenMore: Bool?
  /// Whether numbered pages of another size returned what was requested; nil: not tried.
  public var sizesHold: Bool?
  /// A walk of this stream saw that nothing precedes the job's first page.
  public var isFirstKnown = true
  /// The request for the page before it failed in another walk in the same run: it is not made again.
  public var hasFirstFailed = false

  /// The number of records in the list, if each counted record becomes a row; nil: not all do.
  public var rowsListed: Int?

  /// How many records earlier walks left in the list: if there are any, an empty answer is no proof.
  public var rowsBefore = 0
  /// The user reads the list anew, or accepts that its rows are gone, or did and no record has come since: it may be
  /// empty.
  public var isAccepted = false
  /// Earlier walks also found it empty, often and long enough to believe one more.
  public var isEmptyForLong = false
  /// Its length according to the parent's record.
  public var expected: Int?

  /// The range at which a list that is read newest first may stop is proven.
  public var isRangeProven: Bool
  /// Records of that range did not fit, and still do not.
  public var isRangeLacking = false
  /// The last walk of the whole list found newer records after older ones, page after page: it must be read whole.
  public var isOutOfOrder = false

  /// Three walks are believed this long after the first: for lists without a visible end, empty lists (`Emptiness`),
  /// and records that left together (`Absentees`).
  public static let patternAge = Duration.seconds(40 * 3600)

  public init(
    pattern: UInt64? = nil, hasSeenMore: Bool? = nil, isRangeProven: Bool = true
  ) {
    self.pattern = pattern
    self.hasSeenMore = hasSeenMore
    self.isRangeProven = isRangeProven
  }
}
