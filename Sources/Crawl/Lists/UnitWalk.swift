internal import Base
internal import Store
internal import Walk

/// Walks one unit from where it is to its certificate: makes the walker's requests, commits each page, and stores the
/// verdict.
struct UnitWalk: ListWalk {
  /// A unit's result for the run.
  struct Result: Sendable {
    var facts: UnitFacts
    /// Reasons for the run's own outcome.
    var kinds: Set<RunOutcome.Kind>
    /// No further request may be made in this run.
    var stop: Stop?
    /// What the walk of a window showed, and whether the window is split.
    var found = WindowFill.Found.nothing
    var isCut = false

    /// Merges two readings of one list.
    func behind(_ first: Result) -> Result {
      var all = self
      all.kinds.formUnion(first.kinds)
      all.facts.requests += first.facts.requests
      all.facts.counts += first.facts.counts
      all.facts.vanished += first.facts.vanished
      all.facts.wasAsDeclared = first.facts.wasAsDeclared
      all.facts.forecast = first.facts.forecast ?? facts.forecast
      return all
    }
  }

  let context: RunContext
  let stream: Stream
  let unit: Unit
  let builder: StepBuilder
  /// The parent's value that this unit answers.
  let asked: [String]
  /// A list without a proof is to be read whole.
  var isProofDue = false
  /// The same list was read before in this run, and is compared.
  var isSecondReading = false
  /// Set if the unit is one window of a fill.
  var part: WindowPart?

  func walk() async throws(StoreError) -> Result {
    let opening = try await store.openUnit(
      unit, of: job.name, prints: prints, run: run,
      // What columns may take from the request besides the unit's values.
      carrying: [ParameterValue("host", job.base.origin.host)],
      readsAll: context.options.isRefill, acceptingEmpty: context.options.acceptedEmpty)
    let label = UnitLabel(stream: stream.name, listName: opening.listName)
    if opening.isReadAnew {
      context.recorder.warn(
        "its rows are others by the job file now, so it is read anew"
          + (stream.window == nil
            ? "" : ", its older times by: trawl backfill \(context.job.word)"),
        about: label)
    }
    if context.options.command == "run", let from = opening.voidedFrom {
      context.recorder.warn(
        "the job requests it, or recognises its end, in another way now, so what was read before no longer counts;"
          + " what this run does not reach: trawl backfill \(context.job.word) --from \(from.day)",
        about: label)
    }
    if case .absent(let until) = opening.state, let last = opening.last {
      context.recorder.story("\(label.listName) was not found; it is requested again at \(until).")
      return try await context.stillAbsent(
        stream, label.listName, last, until: until, unit: unit, isPart: part != nil)
    }
    var stored: [PageSummary] = []
    if case .resume(let pages, _) = opening.state { stored = pages }
    var open = OpenWalk(
      walk: self, id: opening.id, label: label,
      walker: planner.walker(
        builder, opening.state, last: opening.last, lastWhole: opening.lastWhole,
        memory: accepted(opening.memory), isProofDue: isProofDue),
      requestsBefore: context.tally.count, began: context.time.elapsed(),
      oldest: stored.compactMap(\.oldest).min(), wasRead: !stored.isEmpty || opening.wasRead,
      hasValidators: opening.hasValidators && !context.options.isRefill, reader: opening.reader)
    open.ages.isSecondReading = isSecondReading
    return try await open.follow(stored)
  }

  /// `--refill` and `--accept-vanish` also accept an empty answer.
  private func accepted(_ memory: WalkMemory) -> WalkMemory {
    var memory = memory
    let accepted = context.options.acceptedVanish ?? 0
    if memory.rowsBefore > 0, context.options.isRefill || accepted >= memory.rowsBefore {
      (memory.rowsBefore, memory.isAccepted) = (0, true)
    }
    return memory
  }
}
