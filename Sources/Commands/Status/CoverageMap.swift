internal import Base
internal import Crawl
internal import Store
internal import Walk

/// What certificates cover of a list, from the first requested instant to now.
struct CoverageMap: Sendable {
  enum Kind: Int, Sendable, CaseIterable {
    /// In order of precedence, if one sign stands for several kinds.
    case missing, filling, limited, outOfReach, unproven, pending, covered
  }

  /// The most cells of a bar.
  static let cellsMost = 64

  let list: Int64
  let listName: String
  let range: TimeWindow
  /// Whether certificates reach back to the beginning of the API's data, and whether they prove all before the range.
  let reachesBack: Bool
  let isProvenBack: Bool
  let survey: RangeSurvey
  /// Missing parts that are in an open goal.
  let filling: [TimeWindow]
  let missing: [TimeWindow]
  /// The latest missing part if it is too narrow to draw: the next run requests it.
  let young: TimeWindow?

  /// Nil: the list is not read in windows, or none of it is certified or requested.
  init?(
    _ list: ListOverview, _ job: Job, from origin: String, goals: [RecordStore.Goal],
    store: RecordStore, now: Instant
  ) async throws {
    guard let stream = job.stream(list.stream), stream.window != nil else { return nil }
    let unit = list.unit
    // Rows of another endpoint were requested by another path: then the latest requests count.
    let isElsewhere = job.base.origin.description != origin
    let prints = isElsewhere ? try await store.lastPrints(job.name, unit) : nil
    let whole = TimeWindow(from: .beginning, to: Instant(seconds: now.seconds))
    let all = try await RangeSurvey(
      job, stream, unit, range: whole, prints: prints, store: store, now: now)
    let wanted = goals.filter { Self.isAbout($0, stream, unit) }.map(\.range)
    reachesBack = all.covered.first?.from == .beginning
    let ends =
      all.covered.map(\.from).filter { $0 != .beginning }
      + (all.limited + all.outOfReach).map(\.window.from) + wanted.map(\.from)
    // A list without a first instant was read whole: its last year is shown.
    let year = now - .seconds(365 * 86_400)
    guard let from = ends.min() ?? (reachesBack ? year : nil), from < whole.to else { return nil }
    range = TimeWindow(from: from, to: whole.to)
    isProvenBack = all.proven.first.map { $0.from == .beginning && $0.to >= from } ?? false
    survey = try await RangeSurvey(
      job, stream, unit, range: range, prints: prints, store: store, now: now)
    let holes = survey.holes + survey.unavailable
    filling = WindowPlanner.common(holes, wanted)
    missing = holes.flatMap { [filling] in WindowPlanner.holes(in: $0, covered: filling) }
    young = Self.young(missing, of: range, to: survey.pending?.from ?? range.to)
    self.list = list.number
    listName = list.listName
  }

  private static func isAbout(_ goal: RecordStore.Goal, _ stream: Stream, _ unit: Unit) -> Bool {
    let names = goal.stream.split(separator: ",").map { Array($0.utf8) }
    guard names.isEmpty || names.contains(Array(stream.name.utf8)) else { return false }
    let given = goal.parameters.split(separator: "&").map { Array($0.utf8) }
    // A goal without a value of a parameter is about the job's own value.
    let own = unit.parameterText.split(separator: "&")
    return own.allSatisfy { pair in
      let name = Array(pair.utf8.prefix { $0 != UInt8(ascii: "=") }) + [UInt8(ascii: "=")]
      let same = given.filter { $0.starts(with: name) }
      return same.isEmpty || same.contains(Array(pair.utf8))
    }
  }

  private static func young(
    _ missing: [TimeWindow], of range: TimeWindow, to end: Instant
  ) -> TimeWindow? {
    let narrow = (range.to - range.from) / cellsMost
    return missing.first {
      $0.to >= end && $0.from > range.from && $0.to - $0.from < narrow
    }
  }

  func windows(_ kind: Kind) -> [TimeWindow] {
    switch kind {
    case .missing: missing.filter { $0 != young }
    case .filling: filling
    case .limited: limited
    case .unproven: WindowPlanner.common(survey.unproven, [range])
    case .outOfReach: survey.outOfReach.map(\.window)
    case .pending: [survey.pending].compactMap { $0 }
    case .covered: WindowPlanner.common(survey.proven, [range])
    }
  }

  /// Ended by the API's ceiling, whether the job expects it or not.
  private var limited: [TimeWindow] {
    survey.limited.map(\.window) + WindowPlanner.common(survey.declaredLimits, [range])
  }

  /// The proven share of the range.
  var share: Double { range.share(of: windows(.covered)) ?? 1 }

  /// Divides the range into equal cells, each with the worst kind in it.
  func cells(_ count: Int) -> [Kind] {
    let span = range.to.milliseconds - range.from.milliseconds
    var cells = [Kind](repeating: .covered, count: count)
    for kind in Kind.allCases.dropLast().reversed() {
      for window in windows(kind) {
        let first = Int((window.from.milliseconds - range.from.milliseconds) * Int64(count) / span)
        let last = Int((window.to.milliseconds - 1 - range.from.milliseconds) * Int64(count) / span)
        for cell in max(0, first)...max(0, min(last, count - 1)) where cell < count {
          cells[cell] = kind
        }
      }
    }
    return cells
  }
}
