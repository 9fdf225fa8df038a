/// How an unfinished walk was interrupted, and what is known about the pace of its list.
public struct WalkBreak: Sendable, Equatable {
  /// The time since its last page was committed.
  public var pausedFor: Duration
  /// The time since its first page was.
  public var age: Duration
  /// The longest time between two of its pages: an earlier pause.
  public var longestPause: Duration
  /// A quota or a budget stopped it, not a kill or failure.
  public var isPlanned: Bool
  /// How many walks in a row were stopped like that, this one included.
  public var plannedStops: Int
  /// A window of a list, which does not grow at its front.
  public var isWindow: Bool
  /// How long the last finished walk took.
  public var lastTook: Duration?
  /// The time from the start of that walk to the start of this one.
  public var interval: Duration?

  public init(
    pausedFor: Duration = .zero, age: Duration? = nil, longestPause: Duration = .zero,
    isPlanned: Bool = false, plannedStops: Int = 0, isWindow: Bool = false,
    lastTook: Duration? = nil, interval: Duration? = nil
  ) {
    self.pausedFor = pausedFor
    self.age = age ?? pausedFor
    self.longestPause = longestPause
    self.isPlanned = isPlanned
    self.plannedStops = plannedStops
    self.isWindow = isWindow
    self.lastTook = lastTook
    self.interval = interval
  }
}

/// Whether an interrupted walk is resumed or starts over.
extension WalkBreak {
  /// A second walk in a row that a quota or a budget stopped shows that one run is too short for the list: starting
  /// over would never end.
  private static let plannedStopsMax = 2
  /// Shorter intervals mean manual runs: a user who stops a walk resumes it.
  private static let intervalMin = Duration.seconds(3_600)
  /// Few enough pages to read them all again.
  private static let fewPages = 5

  private var isTooLongForARun: Bool { plannedStops >= Self.plannedStopsMax }

  /// The next walk of the list is due, so the stored pages show an older list. Leaves some slack for timers.
  private var isOverdue: Bool {
    interval.map { age * 4 >= max($0, Self.intervalMin) * 3 } ?? false
  }

  /// - Parameters:
  ///   - life: how long pages are trusted.
  ///   - isCompared: the pages are compared with each other or a total, so a list that changed in the pause seems to
  ///     have moved.
  ///   - pages: the number of pages read.
  public func beginsAgain(life: Duration, isCompared: Bool, pages: Int) -> Bool {
    let life = isCompared ? min(life, Self.comparedMax) : life
    // The walk takes several nights, some of which have passed.
    if isTooLongForARun || longestPause > life { return false }
    guard isCompared else { return pausedFor > life }
    guard pausedFor > life || isOverdue else { return false }
    if !isPlanned || isWindow { return true }
    // A usual walk takes far less time than this one has been open.
    return lastTook.map { $0 * 2 < age } ?? (pages <= Self.fewPages)
  }

  /// Whether a resumed walk whose pages are compared starts over before it certifies that the list moved: the list may
  /// only have moved during the pause.
  /// - Parameters:
  ///   - before: the number of stored pages.
  ///   - since: the number of pages that this run read.
  public func mayReadAgain(life: Duration, before: Int, since: Int) -> Bool {
    if isTooLongForARun || longestPause > min(life, Self.comparedMax) { return false }
    // A run that read the larger part can read all of it.
    return !isPlanned || lastTook == nil && since >= before
  }

  /// Whether the pause is too long for proofs that compare pages before and after it: even if a token stays valid for
  /// days, records may have come and gone.
  public func outlasts(_ life: Duration) -> Bool {
    max(pausedFor, longestPause) > min(life, Self.comparedMax)
  }

  private static let comparedMax = Duration.seconds(3_600)
}
