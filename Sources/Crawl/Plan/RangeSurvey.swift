public import Base
public import Store
internal import Walk

/// How far a range of one list is filled: what is certified, what can still be requested, and what cannot. Reads the
/// database only.
public struct RangeSurvey: Sendable {
  /// What is requested although it is covered.
  public enum Again: Sendable, Equatable {
    case nothing
    /// The overlap of a timer's run.
    case everything
    /// What an older mapping filled.
    case olderMapping
    /// What was read without a proof.
    case unproven
  }

  public let stream: Stream
  /// Its values, without a window.
  public let unit: Unit
  public let range: TimeWindow
  /// Read with a proof.
  public let proven: [TimeWindow]
  /// Read to the API's end, without a proof.
  public let unproven: [TimeWindow]
  public var unprovenInRange: [TimeWindow] { WindowPlanner.common(unproven, [range]) }
  /// By certificates that meet the declaration, proven or not.
  public let covered: [TimeWindow]
  /// At a ceiling that the job expects.
  public var declaredLimits: [TimeWindow] { WindowPlanner.without(proven + unproven, covered) }
  /// Certified at the API's cap, and too narrow to split: what was received is all there is.
  public let limited: [SettledWindow]
  /// Certified as further back than the API reaches.
  public let outOfReach: [SettledWindow]
  /// Further back than the API reaches, and not certified yet.
  public let unavailable: [TimeWindow]
  /// Not listed yet.
  public let pending: TimeWindow?
  /// What can be requested now.
  public let holes: [TimeWindow]
  /// Windows that an earlier run began.
  let begun: [TimeWindow]
  /// Records a second, if known.
  let density: Double?

  /// Whether some of the range was read.
  public var isReadInPart: Bool {
    !WindowPlanner.common(covered + limited.map(\.window), [range]).isEmpty
  }

  /// Nothing is left to request or certify, now or later.
  public var isSettled: Bool { holes.isEmpty && unavailable.isEmpty && pending == nil }

  /// The list's key in the database.
  static func key(
    _ stream: Stream, _ unit: Unit, of job: Job, prints: Fingerprints?
  ) -> RecordStore.ListKey {
    var list = unit
    list.window = nil
    return RecordStore.ListKey(
      job: job.name, unit: list,
      prints: prints ?? Fingerprinter.fingerprints(of: stream, in: job))
  }

  /// - Parameters:
  ///   - again: what is requested although it is covered.
  ///   - looksBack: if the range extends past the newest end, the overlap before that end is requested again: records
  ///     may be listed late, and the next run looks back from the new end.
  ///   - prints: the request and mapping, if not those of the job now.
  public init(
    _ job: Job, _ stream: Stream, _ unit: Unit, range: TimeWindow, again: Again = .nothing,
    looksBack: Bool = false, prints: Fingerprints? = nil, store: RecordStore?, now: Instant
  ) async throws(StoreError) {
    self.stream = stream
    self.unit = Unit(stream: unit.stream, values: unit.values)
    self.range = range
    let key = Self.key(stream, unit, of: job, prints: prints)
    let rule = stream.window ?? Window(from: nil, to: nil, column: nil, overlap: .zero)
    let planner = WindowPlanner(rule)
    let found = try await store?.coverage(key) ?? CoveredRanges.none
    covered = found.all
    proven = found.with(.complete)
    unproven = WindowPlanner.without(proven, found.with(.unproven))
    let reachable = planner.reachable(range, now: now)
    var done: [TimeWindow]
    switch again {
    case .nothing: done = covered
    case .everything: done = []
    case .olderMapping: done = found.ofThisMapping
    // A search has no proof, however often it is read.
    case .unproven:
      done = stream.isSearch ? covered : WindowPlanner.without(unproven, covered)
    }
    if looksBack, let end = covered.last?.to, let asked = reachable.askable?.to, end < asked {
      done = WindowPlanner.without([TimeWindow(from: end - rule.overlap, to: end)], done)
    }
    let settled = try await store?.settled(key) ?? []
    begun = try await store?.begunWindows(key) ?? []
    density = try await store?.density(key)
    let inside = settled.filter { $0.window.from < range.to && $0.window.to > range.from }
    // What another reach of the job, or a rule that it has no more, has settled is open again.
    let refuses = (stream.errors + job.errors).contains { $0.action == .gap }
    limited = inside.filter {
      $0.cause == .ceiling && planner.halves($0.window) == nil
    }
    outOfReach = inside.filter { $0.cause == .outOfReach }.flatMap { settled -> [SettledWindow] in
      // The API itself has refused it.
      guard settled.isByDeclaredReach else { return refuses ? [settled] : [] }
      let parts = WindowPlanner.common([settled.window], [reachable.gap].compactMap(\.self))
      return parts.map { part in
        var rest = settled
        rest.window = part
        return rest
      }
    }
    pending = reachable.pending
    let asked = done + outOfReach.map(\.window)
    unavailable =
      reachable.gap.map { WindowPlanner.holes(in: $0, covered: found.all + asked) } ?? []
    let leaves = limited.filter { again != .olderMapping || $0.isOfThisMapping }.map(\.window)
    holes =
      reachable.askable.map { WindowPlanner.holes(in: $0, covered: asked + leaves) } ?? []
  }

  /// For a report: stretches with their verdicts, in order.
  func facts(listName: String) -> CoverageFacts {
    var stretches = proven.compactMap { clipped($0, .complete, nil) }
    stretches += unproven.compactMap { clipped($0, .unproven, nil) }
    stretches += outOfReach.compactMap { clipped($0.window, .limited, .outOfReach) }
    // Where both verdicts apply, the stretch has the worse one.
    let others = stretches.map(\.window)
    for part in WindowPlanner.without(others, limited.map(\.window) + declaredLimits) {
      if let stretch = clipped(part, .limited, .ceiling) { stretches.append(stretch) }
    }
    stretches.sort { $0.window.from < $1.window.from }
    return CoverageFacts(
      stream: stream.name, listName: listName, range: range, stretches: stretches)
  }

  private func clipped(
    _ window: TimeWindow, _ verdict: Verdict, _ cause: Shortfall?
  ) -> CoverageFacts.Stretch? {
    let part = TimeWindow(from: max(window.from, range.from), to: min(window.to, range.to))
    guard part.from < part.to else { return nil }
    return CoverageFacts.Stretch(window: part, verdict: verdict, cause: cause)
  }
}
