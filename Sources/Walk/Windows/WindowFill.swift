public import Base

/// Fills holes in a range with windows that an API can return whole: says which window to request next and, from the
/// result, whether to split it. A value: the engine makes the requests and reports the results. However split, the
/// windows tile the holes without gap or overlap.
public struct WindowFill: Sendable {
  public enum Purpose: Sendable {
    /// A range that a person requested: only what is missing, the newest first.
    case backfill
    /// From the last certified end, less the overlap, to now. The oldest first: what is certified always reaches from
    /// the last end without a hole.
    case goOn
  }

  /// What the API returned for a window.
  public enum Found: Sendable, Equatable {
    /// All of it: this many records.
    case all(Int)
    /// More than the API gives of one window; `total` if the API counts them. What came is the newest part, down to
    /// `since`, if the list is known to be in that order.
    case tooMany(total: Int?, received: Int, since: Instant?)
    /// It begins before the API's reach.
    case tooOld
    /// Nothing is learnt: it failed, or moved.
    case nothing
  }

  /// The narrowest window that is split to find the API's reach.
  static let reachStep = Duration.seconds(86_400)

  private let planner: WindowPlanner
  private let namesEnd: Bool
  private let purpose: Purpose
  private let cap: Int?
  /// A window is at most one page, which is its own proof.
  public let isOfOneAnswer: Bool
  /// Nil if the API has no cap: then a hole is one window.
  public private(set) var learner: WidthLearner?
  /// What is left, as a stack: the last element is next.
  private var open: [TimeWindow]
  /// Windows that are requested first.
  private var fixed: [TimeWindow]
  /// Windows that are requested as they are, since a walk of them is unfinished, unless one is far too wide: a probe
  /// that failed.
  private let begun: Set<TimeWindow>
  /// The API returns nothing that begins before this.
  public private(set) var floor: Instant?
  /// Of finished windows: their records, and their length in seconds.
  private var records = 0
  private var seconds = 0.0

  /// The width of the first window if nothing is known and there is no total.
  static let firstWidth = Duration.seconds(30 * 86_400)

  /// - Parameters:
  ///   - begun: windows that an earlier run began; those inside the holes are finished first, unless they are `later`.
  ///   - later: parts of the holes that are requested behind all others, the last of them first.
  ///   - rate: records a second, from earlier runs.
  ///   - isOfOneAnswer: a window is to be at most one page, since one answer is its own proof.
  public init(
    _ stream: Stream, holes: [TimeWindow], begun: [TimeWindow] = [], later: [TimeWindow] = [],
    purpose: Purpose, rate: Double? = nil, isOfOneAnswer: Bool = false
  ) {
    let rule = stream.window ?? Window(from: nil, to: nil, column: nil, overlap: .zero)
    planner = WindowPlanner(rule)
    namesEnd = stream.namesWindowEnd
    self.purpose = purpose
    self.isOfOneAnswer = isOfOneAnswer
    let most = Self.most(stream, isOfOneAnswer: isOfOneAnswer)
    self.cap = most
    self.begun = Set(begun)
    fixed = []
    var left = holes
    let first = self.begun.subtracting(later)
    for window in first.sorted(by: { ($0.from, $0.to) < ($1.from, $1.to) })
    where window.from < window.to {
      guard
        let at = left.firstIndex(where: { $0.from <= window.from && window.to <= $0.to })
      else { continue }
      let hole = left.remove(at: at)
      left += WindowPlanner.holes(in: hole, covered: [window])
      fixed.append(window)
    }
    if purpose == .goOn { fixed.reverse() }
    var last: [TimeWindow] = []
    for part in later { last += WindowPlanner.without(last, WindowPlanner.common(left, [part])) }
    open =
      last
      + WindowPlanner.without(last, left)
      .sorted { purpose == .backfill ? $0.to < $1.to : $0.from > $1.from }
    // A counted total of the whole costs one request and shows how to split: the best probe, unless it has failed.
    let isProbed = last.isEmpty && stream.total?.trust == .counted
    let longest = holes.map { $0.to - $0.from }.max() ?? .zero
    let step = planner.step
    learner = most.map { cap in
      WidthLearner(
        cap: cap, start: isProbed ? longest : Self.firstWidth, least: step, rate: rate)
    }
  }

  /// Records that one window may have; nil if unlimited.
  static func most(_ stream: Stream, isOfOneAnswer: Bool) -> Int? {
    guard stream.namesWindowEnd else { return nil }
    // A cap that the job expects is inherent in the list: no split gets around it.
    let cap = stream.cap.flatMap { $0.expected == nil ? min($0.at, $0.doubt) : nil }
    return [cap, isOfOneAnswer ? stream.size?.value : nil].compactMap { $0 }.min()
  }

  /// What is not requested yet, in no order.
  public var remaining: [TimeWindow] { open + fixed }

  /// The next window to request; nil if nothing is left.
  public mutating func next() -> TimeWindow? {
    if let window = fixed.popLast() { return window }
    guard let hole = open.popLast() else { return nil }
    guard let learner, !begun.contains(hole) || hole.to - hole.from > learner.width * 2 else {
      return hole
    }
    let (piece, rest) =
      purpose == .backfill
      ? planner.newest(of: hole, width: learner.width)
      : planner.oldest(of: hole, width: learner.width)
    if let rest { open.append(rest) }
    return piece
  }

  /// Records a second for the forecast: halfway between what was read so far, which shows how many records there will
  /// be, and the learner's rate, which decides the next splits. That rate follows the last few windows: it is as
  /// volatile as they are, and biased upwards, since it rises at once and falls slowly.
  public var forecastRate: Double? {
    guard let learner, let rate = learner.rate, Double(records) >= learner.target, seconds > 0
    else { return learner?.rate }
    return (Double(records) / seconds + rate) / 2
  }

  /// Whether a window can be split further. Without a declared cap, the API itself may say that it gives no more.
  public func canCut(_ window: TimeWindow) -> Bool {
    namesEnd && planner.halves(window) != nil
  }

  /// Whether a window refused as too old is worth a split: a part may be young enough.
  public func canCutForReach(_ window: TimeWindow) -> Bool {
    window.to - window.from > Self.reachStep && planner.halves(window) != nil
  }

  /// Whether page 1 already shows that the window is too wide, so that its other pages would be requested for nothing.
  /// An estimate shows nothing, and a count of exactly the cap may have been cut.
  public func isTooWide(counted total: Int?, pages: Int?, pageSize: Int?) -> Bool {
    guard let cap else { return false }
    if let total, total >= cap { return true }
    guard let pages, let pageSize, pages > 1 else { return false }
    return pages.multipliedReportingOverflow(by: pageSize).partialValue >= cap
  }

  /// Takes the result of a window from `next`; what must be requested in parts comes next.
  /// - Parameter isCut: the window was not certified; its halves replace it.
  public mutating func concluded(_ window: TimeWindow, _ found: Found, isCut: Bool) {
    count(window, found, isCut: isCut)
    switch found {
    case .all(let records): learner?.learn(window, records: records)
    // A window that cannot be split is a burst: it says nothing of its neighbours.
    case .tooMany where !isCut: break
    case .tooMany(let total, let received, let since):
      if let total {
        learner?.learn(window, records: total)
      } else if let since, since > window.from, since < window.to {
        learner?.learn(TimeWindow(from: since, to: window.to), records: received)
      } else {
        learner?.learnOverflow(window)
      }
    case .tooOld: if !isCut { floor = max(floor ?? window.to, window.to) }
    case .nothing: break
    }
    guard isCut, let halves = planner.halves(window) else { return }
    // Windows refused as too old are searched from the newest end, whatever the order.
    let isNewestFirst = purpose == .backfill || found == .tooOld
    open += isNewestFirst ? [halves.older, halves.newer] : [halves.newer, halves.older]
  }

  private mutating func count(_ window: TimeWindow, _ found: Found, isCut: Bool) {
    switch found {
    case .all(let held): records += held
    case .tooMany(let total, let received, _):
      if isCut { return }
      records += total ?? received
    case .tooOld, .nothing: return
    }
    seconds += (window.to - window.from).inSeconds
  }
}
