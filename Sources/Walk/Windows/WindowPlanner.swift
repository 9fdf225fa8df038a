public import Base

/// Splits a range of time into windows that an API can return whole. Pure arithmetic on half-open stretches: the parts
/// tile the whole, without gap or overlap.
public struct WindowPlanner: Sendable {
  private let rule: Window
  /// The finest step of the API's filter.
  public var step: Duration { .milliseconds(stepMilliseconds) }
  /// In milliseconds.
  private let stepMilliseconds: Int64

  /// How far the clocks of any zone differ from UTC, in seconds.
  static let zones = (behind: Int64(12 * 3600), ahead: Int64(14 * 3600))

  /// The same of the clocks that write the times of a stream.
  public static func clocks(of stream: Stream, at now: Instant) -> (behind: Int64, ahead: Int64) {
    guard let name = stream.window?.column, case .time(_, let zone?)? = stream.column(name)?.kind,
      let rules = try? ZoneRules.load(zone)  // without its rules it may be any
    else { return zones }
    let offset = Int64(rules.offset(at: now))
    return (max(0, -offset), max(0, offset))
  }

  public init(_ rule: Window) {
    self.rule = rule
    let least: Int64 = rule.form.isOfDays ? 86_400_000 : 1000
    stepMilliseconds = max(rule.step?.milliseconds ?? least, least)
  }

  /// The parts of a range that are not covered, oldest first.
  public static func holes(in range: TimeWindow, covered: [TimeWindow]) -> [TimeWindow] {
    var holes: [TimeWindow] = []
    var from = range.from
    for stretch in covered.sorted(by: { $0.from < $1.from }) {
      guard stretch.from < stretch.to, stretch.to > from else { continue }
      if stretch.from >= range.to { break }
      if stretch.from > from { holes.append(TimeWindow(from: from, to: stretch.from)) }
      from = max(from, stretch.to)
    }
    if from < range.to { holes.append(TimeWindow(from: from, to: range.to)) }
    return holes
  }

  /// The parts of stretches that are in none of the others.
  public static func without(_ others: [TimeWindow], _ stretches: [TimeWindow]) -> [TimeWindow] {
    stretches.flatMap { holes(in: $0, covered: others) }
  }

  /// The parts of stretches that are in one of the others.
  public static func common(_ stretches: [TimeWindow], _ others: [TimeWindow]) -> [TimeWindow] {
    stretches.flatMap { without(holes(in: $0, covered: others), [$0]) }
  }

  /// What of a range can be requested now, by the API's reach and delay, widened to the step.
  public struct Reachable: Sendable, Equatable {
    public var askable: TimeWindow?
    /// Further back than the API reaches: a permanent gap.
    public var gap: TimeWindow?
    /// Too new: not listed yet.
    public var pending: TimeWindow?
  }

  public func reachable(_ range: TimeWindow, now: Instant) -> Reachable {
    guard range.from < range.to else { return Reachable() }
    var rest = range
    var result = Reachable()
    if let reach = rule.reach {
      // Rounded up: an API that reaches back 30 days refuses the day that began earlier.
      var margin: Duration = rule.hasOtherDays ? .seconds(86_400) : .zero
      if !rule.includesBegin { margin += step }
      let floor = min(max(roundedUp(now - reach + margin), range.from), range.to)
      if floor > range.from { result.gap = TimeWindow(from: range.from, to: floor) }
      rest.from = floor
    }
    let ceiling = max(min(now - rule.delay, range.to), rest.from)
    if ceiling < range.to { result.pending = TimeWindow(from: ceiling, to: range.to) }
    rest.to = ceiling
    if rest.from < rest.to { result.askable = rest }
    return result
  }

  /// The window of an incremental run: from the last certified end, less the overlap, to now. Never empty: a run
  /// without a request would never notice that its clock is wrong.
  public func incremental(after lastEnd: Instant?, now: Instant, first: Duration) -> TimeWindow {
    let to = now - rule.delay
    let from = roundedDown(lastEnd.map { min($0, to) - rule.overlap } ?? to - first)
    guard from.seconds < to.seconds else {
      return TimeWindow(from: roundedDown(to - step), to: to)
    }
    return TimeWindow(from: from, to: to)
  }

  /// Two windows that tile one; nil if it is already at the API's resolution.
  public func halves(_ window: TimeWindow) -> (older: TimeWindow, newer: TimeWindow)? {
    let middle = roundedDown(
      Instant(
        milliseconds: window.from.milliseconds
          + (window.to.milliseconds - window.from.milliseconds) / 2))
    for cut in [middle, middle + .milliseconds(stepMilliseconds)]
    where cut > window.from && cut < window.to {
      return (TimeWindow(from: window.from, to: cut), TimeWindow(from: cut, to: window.to))
    }
    return nil
  }

  /// The newest piece of a hole, at most this wide, and the rest of the hole before it.
  func newest(
    of hole: TimeWindow, width: Duration
  ) -> (piece: TimeWindow, rest: TimeWindow?) {
    let cut = roundedDown(hole.to - .milliseconds(max(width.milliseconds, stepMilliseconds)))
    // Rounding down can only widen the piece, by less than one step.
    guard cut > hole.from else { return (hole, nil) }
    return (TimeWindow(from: cut, to: hole.to), TimeWindow(from: hole.from, to: cut))
  }

  /// The oldest piece of a hole, at most this wide, and the rest of the hole after it.
  func oldest(
    of hole: TimeWindow, width: Duration
  ) -> (piece: TimeWindow, rest: TimeWindow?) {
    let cut = roundedUp(hole.from + .milliseconds(max(width.milliseconds, stepMilliseconds)))
    guard cut < hole.to else { return (hole, nil) }
    return (TimeWindow(from: hole.from, to: cut), TimeWindow(from: cut, to: hole.to))
  }

  /// Where the step begins that a time is in.
  public func roundedDown(_ instant: Instant) -> Instant {
    let rest = ((instant.milliseconds % stepMilliseconds) + stepMilliseconds) % stepMilliseconds
    return Instant(milliseconds: instant.milliseconds - rest)
  }

  private func roundedUp(_ instant: Instant) -> Instant {
    let down = roundedDown(instant)
    return down == instant ? down : down + .milliseconds(stepMilliseconds)
  }
}
