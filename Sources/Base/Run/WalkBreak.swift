/// How an unfinished walk came to stop, and what is known of the pace of its list.
public struct WalkBreak: Sendable, Equatable {
  /// Since its last page was committed.
  public var pausedFor: Duration
  /// Since its first page was.
  public var age: Duration
  /// The longest time between two of its pages: a pause that it was resumed after before.
  public var longestPause: Duration
  /// A quota or a budget stopped it, and no kill or failure.
  public var isPlanned: Bool
  /// How many walks in a row were stopped like that, this one included.
  public var plannedStops: Int
  /// One window of a list, which does not grow at its front.
  public var isWindow: Bool
  /// How long the last walk took that came to an end.
  public var lastTook: Duration?
  /// From the beginning of that walk to the beginning of this one.
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

/// Whether a walk that was broken off is resumed, or its list is read from the beginning.
extension WalkBreak {
  /// A second walk in a row that a quota or a budget stopped shows that one run is too short for the
  /// list: beginning again would never end.
  private static let plannedStopsMax = 2
  /// Walks that follow each other faster are made by hand: the person who stops one resumes it.
  private static let intervalMin = Duration.seconds(3_600)
  /// So few are read again rather than doubted.
  private static let fewPages = 5

  private var isTooLongForARun: Bool { plannedStops >= Self.plannedStopsMax }

  /// The next walk of the list is due: what is stored shows the list of another night. A timer has
  /// some play.
  private var isOverdue: Bool {
    interval.map { age * 4 >= max($0, Self.intervalMin) * 3 } ?? false
  }

  /// - Parameters:
  ///   - life: how long pages are believed.
  ///   - isCompared: the pages are held against each other or against a total, so that a list that
  ///     changed meanwhile seems to have moved under the walk.
  ///   - pages: that were read.
  public func beginsAgain(life: Duration, isCompared: Bool, pages: Int) -> Bool {
    let life = isCompared ? min(life, Self.comparedMax) : life
    // It takes several nights, and has taken some of them already.
    if isTooLongForARun || longestPause > life { return false }
    guard isCompared else { return pausedFor > life }
    guard pausedFor > life || isOverdue else { return false }
    if !isPlanned || isWindow { return true }
    // Usually it is read in far less time than this walk has been open.
    return lastTook.map { $0 * 2 < age } ?? (pages <= Self.fewPages)
  }

  /// Whether a resumed walk whose pages are compared reads its list again before it certifies that it has
  /// moved: the pause may have been what moved it.
  /// - Parameters:
  ///   - before: pages that were stored.
  ///   - since: pages that this run has read.
  public func mayReadAgain(life: Duration, before: Int, since: Int) -> Bool {
    if isTooLongForARun || longestPause > min(life, Self.comparedMax) { return false }
    // A run that read the longer part of it can read all of it.
    return !isPlanned || lastTook == nil && since >= before
  }

  /// Too long for proofs that compare pages from before the pause with those behind it: a token that
  /// stays valid for days says nothing of what came and went meanwhile.
  public func outlasts(_ life: Duration) -> Bool {
    max(pausedFor, longestPause) > min(life, Self.comparedMax)
  }

  private static let comparedMax = Duration.seconds(3_600)
}
