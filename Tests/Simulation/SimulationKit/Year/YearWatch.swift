internal import Base

/// Which alerts are due in a year, derived from the plan alone: a second opinion on the program's own decision. If the
/// plan does not decide, either is right.
struct YearWatch: Sendable {
  /// By list: nights that certainly read it whole, the newest last.
  private var ends: [String: [Int]] = [:]
  /// By list: the last night that may have read it whole.
  private var maybe: [String: Int] = [:]
  /// Until this night nothing is certain, since somebody set a clock.
  private var unsureUntil = 0
  private var withheld = false
  /// For the last night that was judged.
  private(set) var spoiled: [String] = []

  private static let endsMax = 6

  enum Expected: Equatable {
    case nobody
    /// The words of the first sentence.
    case somebody([String])
    case either
  }

  private static func nights(_ list: [Int]) -> Int {
    zip(list, list.dropFirst()).map { $1 - $0 }.max() ?? 1
  }

  /// The alert that the night must cause; notes what matters for later nights.
  mutating func expect(_ night: YearPlan.Night, lists: [String], folder: String) -> Expected {
    spoiled = lists.filter { night.spoils($0) }
    for list in lists where !spoiled.contains(list) {
      if night.isSure(list) {
        ends[list] = ((ends[list] ?? []) + [night.number]).suffix(Self.endsMax)
      }
      maybe[list] = night.number
    }
    if night.isAccepted { withheld = false }
    if case .halfLeaves = night.event { withheld = true }
    switch night.event {
    case .clock, .clockIsSet: unsureUntil = night.number + 8
    case .renamed, .moved: unsureUntil = max(unsureUntil, night.number)
    // It starts a new history.
    case .widened: ends = ends.mapValues { $0.suffix(1) }
    default: break
    }
    if case .clock = night.event, night.clockIsAhead {
      return night.day == 1 ? .nobody : .somebody(["clock"])
    }
    switch night.event {
    case .keyIsMissing: return .somebody(["trawl key"])
    case .jobIsBroken: return .somebody(["trawl check"])
    case .moved where night.day == 1: return .somebody(["--moved"])
    case .diskIsFull: return .somebody([folder])
    case .noRoom: return .somebody(["trawl media gc"])
    case .api(let trouble, let list) where trouble.told == .atOnce:
      return .somebody([trouble.words] + (list.map { [Self.told($0)] } ?? []))
    default: break
    }
    if withheld { return night.isClear ? .somebody(["--accept-vanish"]) : .either }
    if night.number <= unsureUntil { return .either }
    if case .api(let trouble, YearTrouble.pictures) = night.event, night.day > 2 {
      return night.day > 3 ? .somebody([trouble.words]) : .either
    }
    let ages = lists.map { list -> (least: Int, most: Int, limit: Int, list: String) in
      let known = ends[list] ?? []
      return (
        night.number - (maybe[list] ?? 0), night.number - (known.last ?? 0),
        // Twice the longest time between two ends, and a little more.
        Self.nights(known) * 21 / 10, list
      )
    }
    let late = ages.filter { spoiled.contains($0.list) && $0.least > max($0.limit, 2) }
    if let first = late.first {
      guard case .api(let trouble, let list) = night.event else { return .somebody(["trawl"]) }
      return .somebody([trouble.words] + (list == nil ? [] : [Self.told(first.list)]))
    }
    // Ends a night apart allow two nights, and a little more.
    return ages.allSatisfy { $0.most < (ends[$0.list]?.count ?? 0 > 1 ? 3 : 2) } ? .nobody : .either
  }

  /// The name of a list in sentences: without its values.
  private static func told(_ list: String) -> String {
    String(list.split(separator: " ").first ?? "")
  }
}

extension YearPlan.Night {
  /// The night certainly leaves the list worse than before.
  fileprivate func spoils(_ list: String) -> Bool {
    switch event {
    case .keyIsMissing, .diskIsFull, .jobIsBroken: true
    case .moved: day == 1
    case .api(let trouble, let one):
      (one == nil || one == list) && [.late, .atOnce].contains(trouble.told)
        && day > trouble.goodNights
    default: false
    }
  }

  /// Nothing keeps the list from being read as usual.
  fileprivate func isSure(_ list: String) -> Bool {
    isClear && drift?.list != list && event?.list != list
  }
}
