internal import Base
internal import Store
internal import Walk

/// Fills the holes of a range of one list, window by window, into one account. `WindowFill` decides what a window is
/// and when it is split; this carries it out.
struct FillWalk: ListWalk {
  /// Windows of one list in one run; the next run continues.
  static let windowsMax = 100_000

  let context: RunContext
  let stream: Stream
  /// The list's values, without a window.
  let unit: Unit
  let plan: RangePlan
  let asked: [String]
  var fill: WindowFill
  var account: FillAccount
  /// Nil: it is not known yet whether the API includes a window's end.
  private var includesEnd: Bool?
  var forecast: Forecast?
  /// What lies before a window that the API refused as too old, and its words.
  private var refused: [TimeWindow] = []
  private var refusal = ""

  init(_ plan: RangePlan, of unit: Unit, _ stream: Stream, asked: [String], _ context: RunContext) {
    (self.context, self.stream, self.unit) = (context, stream, unit)
    (self.plan, self.asked) = (plan, asked)
    fill = plan.windows
    account = FillAccount(
      UnitLabel(stream: stream.name, listName: RecordStore.listName(stream, unit)),
      capped: plan.survey.limited, requestsBefore: context.tally.count)
    account.pending = plan.survey.pending
  }

  var label: UnitLabel { account.label }
  var range: TimeWindow { plan.survey.range }
  var purpose: WindowFill.Purpose { plan.purpose }
  var key: RecordStore.ListKey { planner.key(of: unit, stream) }

  mutating func walk() async throws -> UnitWalk.Result {
    context.recorder.event(.unitStarted(label))
    if purpose == .backfill { tell() }
    if purpose == .goOn, plan.survey.covered.isEmpty, planner.lists.beginsWithLastDay(stream) {
      let text =
        "begins with its last day; for what is older: trawl backfill \(job.word) --from DATE"
      context.recorder.event(.unitResumed(label, text: text))
      context.recorder.story("\(label.listName) \(text).")
    }
    try await ask()
    for gap in refused {
      try await certify(gap: gap, " (\(refusal))", by: .outOfReach)
    }
    // After the requests: only now is it known what time it is.
    let reach = stream.window?.reach.map { " (\($0.milliseconds / 86_400_000) days)" } ?? ""
    for gap in try await unavailable() { try await certify(gap: gap, reach, by: .beyondReach) }
    try await conclude()
    var whole = unit
    whole.window = range
    var facts = context.facts(
      of: stream, label.listName, account.certificate, unit: whole,
      requests: context.tally.count - account.requestsBefore)
    facts.isNewShortfall = account.isNewShortfall
    facts.counts = account.ownCounts
    facts.forecast = forecast
    try await context.conclude(&facts)
    return UnitWalk.Result(facts: facts, kinds: account.kinds, stop: account.stop)
  }

  // MARK: the loop

  private mutating func ask() async throws {
    var windows = 0
    while true {
      if windows >= Self.windowsMax, !fill.remaining.isEmpty {
        account.pause("after \(windows) windows of one list in one run")
        return
      }
      windows += 1
      guard let window = fill.next() else { return }
      if let floor = fill.floor, window.to <= floor {
        // The parts come the newest first: those that touch are one gap.
        if let last = refused.last, last.from == window.to {
          refused[refused.count - 1].from = window.from
        } else {
          refused.append(window)
        }
        continue
      }
      let isFinest = !fill.canCut(window)
      let isAlone = isFinest && includesEnd == true && Planner.sharesEnd(stream)
      var result = try await walk(window, isAlone: isAlone)
      if case .tooMany = result.found, result.isCut, isFinest {
        account.add(result)
        result = try await walkAlone(window, result)
      }
      fill.concluded(window, result.found, isCut: result.isCut)
      if result.found == .tooOld { refusal = result.facts.certificate.why }
      account.add(result)
      try await remember()
      if account.stop != nil { return }
      if result.stop != nil || account.isRefused { return }
      if let why = account.vain {
        account.fail(why)
        return
      }
    }
  }

  /// - Parameter isAlone: without the instant of its end, and never split.
  private func walk(
    _ window: TimeWindow, isAlone: Bool = false, doubtsEmpty: Bool = false
  ) async throws -> UnitWalk.Result {
    var part = unit
    part.window = window
    let requested = plan.requested(stream, in: window)
    let builder =
      try isAlone
      ? planner.aloneBuilder(window, of: unit, stream)
      : StepBuilder(job: job, stream: requested, unit: part)
    let name = "\(label.listName), \(window.from) to \(window.to)"
    // At the finest step one more request may pay: for its one second alone.
    let mayAskAlone = Planner.sharesEnd(stream) && includesEnd != false
    let walk = UnitWalk(
      context: context, stream: stream, unit: part, builder: builder, asked: [],
      part: WindowPart(
        fill: fill, stream: stream, window: window, name: name,
        mayCut: !isAlone && (fill.canCut(window) || mayAskAlone), doubtsEmpty: doubtsEmpty,
        countsBefore: account.counts, pagesBefore: account.pages))
    let result = try await walk.walk()
    if !isAlone, result.facts.certificate.verdict == .failed { warn(ofEndAheadIn: requested) }
    return result
  }

  /// An API may refuse an end in the future, which is requested while the zone of its times is unknown.
  private func warn(ofEndAheadIn requested: Stream) {
    guard let rule = requested.window, rule.secondsAhead > 0, let column = rule.column,
      case .time(_, .none)? = stream.column(column)?.kind
    else { return }
    context.recorder.warn(
      "its times (\(column)) name no zone, so the end that is requested lies up to \(rule.secondsAhead / 3600) hours "
        + "ahead; if the API refuses that, write the zone into the type of the column: time in ZONE",
      about: label)
  }

  // MARK: the finest step

  /// Walks a window at the finest step again, without the instant of its end. It held too much, perhaps only because of
  /// that instant; the second walk shows which, and what belongs to the window.
  private mutating func walkAlone(
    _ window: TimeWindow, _ first: UnitWalk.Result
  ) async throws -> UnitWalk.Result {
    // Only records of the end itself came, so the end is included, and the errors are about it.
    var isInside = includesEnd == true
    if case .tooMany(_, _, let since?) = first.found, since >= window.to { isInside = true }
    let second = try await walk(window, isAlone: true, doubtsEmpty: !isInside)
    if second.stop != nil { return second }
    guard second.isCut else {
      // A walk that failed, or returned nothing, shows nothing about the end.
      let hasCome = second.found != .nothing && second.facts.certificate.counts.received > 0
      if isInside || hasCome { includesEnd = true }
      return second
    }
    // Nothing came of a step that holds records: the API excludes the end, so its first answer was about the window
    // alone.
    includesEnd = false
    account.add(second)
    return try await walk(window)
  }

  // MARK: what cannot be requested

  private func unavailable() async throws -> [TimeWindow] {
    if plan.survey.unavailable.isEmpty { return [] }
    return try await RangeSurvey(
      job, stream, unit, range: range, store: store, now: context.time.now()
    ).unavailable
  }

  /// Certified once: never requested, and never reported as new again.
  private mutating func certify(
    gap: TimeWindow, _ detail: String, by rule: StopRule
  ) async throws {
    var part = unit
    part.window = gap
    let why = "\(gap.from) to \(gap.to) lies further back than the API reaches\(detail)"
    let (_, done) = try await store.certifyOutOfReach(
      part, stream, of: job.name, prints: prints, run: run, why, by: rule)
    context.recorder.warn("\(why): a permanent gap", about: label)
    account.addGap(why: why, isNewShortfall: done.isNewShortfall)
  }
}

extension RecordStore {
  /// Certifies what is never requested, with its list's rules, so that the verdict can be derived again.
  func certifyOutOfReach(
    _ unit: Unit, _ stream: Stream, of job: String, prints: Fingerprints, run: RunID, _ why: String,
    by rule: StopRule = .outOfReach, asked: [String] = []
  ) async throws(StoreError) -> (UnitOpening, CertifiedUnit) {
    let opening = try await openUnit(unit, of: job, prints: prints, run: run)
    if case .resume = opening.state { try startAgain(opening.id) }
    let rules = WalkRules(stream)
    try begin(rules, Handed(rules: rules.digest), of: opening.id)
    return (opening, try await certify(opening.id, .outOfReach(why, by: rule), asked: asked))
  }
}
