/// What earlier walks of a list left for the next one to prove itself with.
public struct WalkMemory: Sendable, Equatable {
  /// The pattern of the last walk that came to the list's end, requested and mapped as now.
  public var pattern: UInt64?
  /// When that walk began: a second one that reads the same proves what was there since then.
  public var patternSince: Instant?
  /// It was the second or a later one in a row that read the same, and the first of them began 40 hours ago.
  public var isPatternOld = false
  /// How many records a steady total counted beyond those that came, when the list was last complete.
  public var hidden: Int?
  /// Where that walk found the last page with records.
  public var lastPage: Cursor?
  /// Whether an answer of this stream has ever said that more follow; nil: not looked at.
  public var hasSeenMore: Bool?
  /// Whether numbered pages of another size than the first were what was requested; nil: not tried.
  public var sizesHold: Bool?
  /// A walk of this stream has seen that nothing precedes the page that its job calls the first.
  public var isFirstKnown = true

  /// How many records are in the list where each that the API counts becomes a row; nil: not each does.
  public var rowsListed: Int?

  /// How many records earlier walks have left in the list. An empty answer now is not a proof.
  public var rowsBefore = 0
  /// A person reads the list anew, or accepts that its rows are gone: it may be empty.
  public var isAccepted = false
  /// Earlier walks found it empty as well, so often and for so long that one more is believed.
  public var isEmptyForLong = false
  /// What the parent's record says of its length.
  public var expected: Int?

  /// The stretch at which a list that is read newest first may stop is proven.
  public var isRangeProven: Bool
  /// Records of that stretch did not fit, and still do not.
  public var isRangeLacking = false
  /// The last walk of the whole list found younger records behind older ones, page by page: it is read whole.
  public var isOutOfOrder = false

  /// Three walks are believed this long after the first: where nothing shows an end, of empty lists
  /// (`Emptiness`), of records that left together (`Absentees`).
  public static let patternAge = Duration.seconds(40 * 3600)

  public init(
    pattern: UInt64? = nil, lastPage: Cursor? = nil, hasSeenMore: Bool? = nil,
    isRangeProven: Bool = true
  ) {
    self.pattern = pattern
    self.lastPage = lastPage
    self.hasSeenMore = hasSeenMore
    self.isRangeProven = isRangeProven
  }
}
