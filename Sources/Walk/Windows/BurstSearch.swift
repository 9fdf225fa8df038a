internal import Base

/// Finds the seconds of a window that hold too much, by counting: what one half holds tells of the other
/// without a request. A window that holds little more than the API gives of one is most often a burst
/// of one second among a few others, and each request then halves where it may be; what lies around
/// it is read in as few windows as it fits into.
struct BurstSearch: Sendable {
  private struct Part: Sendable {
    var window: TimeWindow
    /// By the API's own counts; nil: not known.
    var total: Int?
    /// Of this part and the one below it, which is its other half; nil: that one is none.
    var sum: Int?
  }

  private let planner: WindowPlanner
  private let cap: Int
  private let isNewestFirst: Bool
  /// The next is the last; neighbours touch each other.
  private var parts: [Part] = []
  /// The one that is asked for now.
  private var asked: Part?

  /// A window of more than so many times the cap is cut by its density.
  private static let capsMax = 2

  init(_ planner: WindowPlanner, cap: Int, isNewestFirst: Bool) {
    (self.planner, self.cap, self.isNewestFirst) = (planner, cap, isNewestFirst)
  }

  var remaining: [TimeWindow] { parts.map(\.window) }

  /// False: it is not worth a search.
  mutating func begin(_ window: TimeWindow, total: Int) -> Bool {
    guard total > cap, total <= cap.multipliedReportingOverflow(by: Self.capsMax).partialValue
    else {
      return false
    }
    return cut(window, total: total)
  }

  private mutating func cut(_ window: TimeWindow, total: Int?) -> Bool {
    guard let halves = planner.halves(window) else { return false }
    let (first, second) =
      isNewestFirst ? (halves.newer, halves.older) : (halves.older, halves.newer)
    parts += [Part(window: second), Part(window: first, sum: total)]
    return true
  }

  mutating func next() -> TimeWindow? {
    while var part = parts.popLast() {
      // It is known to be too wide: that is not asked again.
      if let total = part.total, total > cap, cut(part.window, total: total) { continue }
      while let total = part.total, let other = parts.last, let more = other.total,
        total + more <= cap
      {
        parts.removeLast()
        part = Part(window: Self.joined(part.window, other.window), total: total + more)
      }
      asked = part
      return part.window
    }
    return nil
  }

  /// False: the window is none of its own.
  mutating func concluded(
    _ window: TimeWindow, _ found: WindowFill.Found, isCut: Bool
  ) -> Bool {
    guard let part = asked, part.window == window else { return false }
    asked = nil
    // How far back the API reaches is looked for in another way.
    if found == .tooOld { return false }
    let held: Int? =
      switch found {
      case .all(let records): records
      case .tooMany(let total, _, _): total
      case .tooOld, .nothing: nil
      }
    if let sum = part.sum, let held, !parts.isEmpty {
      // While the list grows, the two may not add up.
      parts[parts.count - 1].total = held <= sum ? sum - held : nil
    }
    // What cannot be searched any more, since nothing was counted, is cut all the same.
    if isCut { _ = cut(window, total: held) }
    return true
  }

  private static func joined(_ one: TimeWindow, _ other: TimeWindow) -> TimeWindow {
    TimeWindow(from: min(one.from, other.from), to: max(one.to, other.to))
  }
}
