internal import Base

/// Who is to be told of a year's nights, worked out from the plan alone: a second opinion, in nights, on what
/// the program works out from its lists. Where the plan does not decide, either is right.
struct YearWatch: Sendable {
  /// By list: the nights that surely brought it whole, the newest last.
  private var ends: [String: [Int]] = [:]
  /// By list: the last night that may have.
  private var maybe: [String: Int] = [:]
  /// Until this night nothing is sure: somebody has set a clock.
  private var unsureUntil = 0
  private var withheld = false

  private static let endsMax = 6

  enum Expected: Equatable {
    case nobody
    /// What the first sentence says.
    case somebody([String])
    case either
  }

  private static func nights(_ list: [Int]) -> Int {
    zip(list, list.dropFirst()).map { $1 - $0 }.max() ?? 1
  }

  /// What the night asks for, and what it leaves to the next.
  mutating func expect(_ night: YearPlan.Night, lists: [String], folder: String) -> Expected {
    let isBad = lists.filter { night.spoils($0) }
    for list in lists where !isBad.contains(list) {
      if night.isSure(list) {
        ends[list] = ((ends[list] ?? []) + [night.number]).suffix(Self.endsMax)
      }
      maybe[list] = night.number
    }
    if night.isAccepted { withheld = false }
    if case .halfLeaves = night.event { withheld = true }
    switch night.event {
    case .clock, .clockIsSet, .renamed, .widened: unsureUntil = night.number + 8
    default: break
    }
    if case .clock = night.event, night.clockIsAhead {
      return night.day == 1 ? .nobody : .somebody(["clock"])
    }
    switch night.event {
    case .keyDied: return .somebody(["trawl key"])
    case .diskIsFull: return .somebody([folder])
    default: break
    }
    if withheld { return night.isClear ? .somebody(["--accept-vanish"]) : .either }
    if night.number <= unsureUntil { return .either }
    let ages = lists.map { list -> (least: Int, most: Int, limit: Int, list: String) in
      let known = ends[list] ?? []
      return (
        night.number - (maybe[list] ?? 0), night.number - (known.last ?? 0),
        // Twice the longest time between two ends, and a little more.
        Self.nights(known) * 21 / 10, list
      )
    }
    let late = ages.filter { isBad.contains($0.list) && $0.least > max($0.limit, 2) }
    if let first = late.first {
      return .somebody(night.event?.list == nil ? ["trawl"] : [Self.told(first.list)])
    }
    return ages.allSatisfy { $0.most < 2 } ? .nobody : .either
  }

  /// As a sentence names a list: without its values.
  private static func told(_ list: String) -> String {
    String(list.split(separator: " ").first ?? "")
  }
}

extension YearPlan.Night {
  /// The night surely leaves the list less than it was.
  fileprivate func spoils(_ list: String) -> Bool {
    switch event {
    case .hostIsOut(nil), .keyDied, .diskIsFull, .limitAlways: true
    case .listIsOut(let one): one == list && list != "details"
    case .comesEmpty(let one), .listAnswers(let one, _), .totalIsOff(let one): one == list
    default: false
    }
  }

  /// Nothing keeps it from being read as well as ever.
  fileprivate func isSure(_ list: String) -> Bool {
    isClear && drift?.list != list && event?.list != list
  }
}
