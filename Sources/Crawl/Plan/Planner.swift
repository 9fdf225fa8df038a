internal import Base
internal import Store
internal import Walk

/// Decides what a run requests, step by step, from the job, a person's settings, and what is stored. A run takes its
/// next step from here, and a `Plan` takes all steps at once, so the two cannot differ. Read-only.
final class Planner: Sendable {
  let lists: ListPlanner
  /// Nil: nothing is stored yet.
  let store: RecordStore?
  let time: Timekeeper
  private let prints = Locked<[String: Fingerprints]>([:])
  let localTimes = Locked<[String: Bool]>([:])

  var job: Job { lists.job }
  var options: CrawlOptions { lists.options }

  init(
    job: Job, options: CrawlOptions, store: RecordStore?, time: Timekeeper
  ) {
    lists = ListPlanner(job: job, options: options)
    self.store = store
    self.time = time
  }

  /// Of a stream of the job; computed once, however many lists it has.
  func prints(of stream: Stream) -> Fingerprints {
    prints.withLock { prints in
      if let known = prints[stream.name] { return known }
      let counted = Fingerprinter.fingerprints(of: stream, in: job)
      prints[stream.name] = counted
      return counted
    }
  }

  /// The streams that the run walks, in their order.
  func streams() async throws -> [Stream] {
    let lengths = try await store?.lastLengths(of: job.name) ?? [:]
    var turns: [String: Int] = [:]
    let single = job.streams.filter { $0.pager == .single && $0.parent == nil }
    for stream in single where single.count > 1 {
      turns[stream.name] = try await lastTurns(of: stream).values.max()
    }
    return lists.order(lengths: lengths, turns: turns).filter(lists.isChosen)
  }

  /// The values of a stream's holes, with `@stream` replaced by stored values.
  func values(of stream: Stream) async throws -> [String: [String]] {
    var values: [String: [String]] = [:]
    for hole in stream.holes.map({ job.parameter(filling: $0)?.name ?? $0 })
    where values[hole] == nil {
      var texts: [String] = []
      for given in lists.given[hole] ?? [] {
        switch GivenValue(given) {
        case .text(let text): texts.append(text)
        case .stored(let name, let column):
          texts += try await store?.storedValues(of: name, column: column, in: job.name) ?? []
        }
      }
      values[hole] = texts
    }
    return values
  }

  private func lastTurns(of stream: Stream) async throws -> [String: Int] {
    try await store?.lastTurns(of: stream.name, in: job.name) ?? [:]
  }

  /// The lists of a stream without a parent; those that a limit has kept waiting longest come first. A preview takes
  /// the first few.
  func roots(of stream: Stream) async throws -> [Unit] {
    let named = lists.lists(of: stream, values: try await values(of: stream))
    let turns = named.count > 1 ? try await lastTurns(of: stream) : [:]
    let all = named.enumerated().sorted { one, other in
      let keys = [one, other].map { (turns[$0.element.parameterText] ?? 0, $0.offset) }
      return keys[0] < keys[1]
    }.map(\.element)
    return taken(all)
  }

  /// Whether the run takes another list or parent of a stream after this many: a preview takes the first few, and
  /// leaves the rest due.
  func takesMore(after count: Int) -> Bool { count < options.unitsMax ?? .max }

  /// The same of a batch, which is a page of its unit.
  func takesMoreBatches(after count: Int) -> Bool {
    count < options.pagesMax ?? options.unitsMax ?? .max
  }

  private func taken(_ lists: [Unit]) -> [Unit] {
    lists.enumerated().filter { takesMore(after: $0.offset) }.map(\.element)
  }

  /// The stored parent records for which the run requests a stream.
  /// - Parameter isOfAll: all of them.
  func dueNow(_ stream: Stream, isOfAll: Bool = false) async throws -> [DueValue] {
    try await store?.previewDue(
      stream.name, of: job.name, request: try await request(of: stream), again: options.isRefill,
      isOfAll: isOfAll || readsAll(stream)) ?? []
  }

  /// Why a run has read no list of a stream that it reached.
  func whyResting(_ stream: Stream) async throws -> String {
    guard let feed = stream.parent, !lists.needsWindow(stream) || fillsAll(stream),
      !lacksValue(stream, feed, try await values(of: stream))
    else { return resting(stream) }
    return "idle, since it is due for "
      + (feed.stream == ParentFeed.favorites ? "no favorite" : "no \(feed.stream).\(feed.column)")
  }

  /// Whether a hole that its parent does not fill has no value.
  func lacksValue(_ stream: Stream, _ feed: ParentFeed, _ values: [String: [String]]) -> Bool {
    let extra = feed.given.map { ParameterValue($0, "") }
    return lists.lists(of: stream, values: values, extra: extra).isEmpty
  }

  /// A range of time is filled for every parent record: an earlier request of its list says nothing of the range.
  func fillsAll(_ stream: Stream) -> Bool { options.window != nil && stream.window != nil }

  /// Lists by values that only this run was given: they are independent of what is due.
  func isOfOtherValues(_ stream: Stream) -> Bool {
    !stream.isAskedInBatches
      && stream.holes.contains { lists.isSetOtherwise(job.parameter(filling: $0)?.name ?? $0) }
  }

  /// Whether the run takes every parent record.
  func readsAll(_ stream: Stream) -> Bool { fillsAll(stream) || isOfOtherValues(stream) }

  /// The lists of a stream for one value of its parent.
  func children(
    of stream: Stream, _ feed: ParentFeed, _ due: DueValue, values: [String: [String]]
  ) -> [Unit] {
    let all = due.carried.flatMap { carried in
      lists.lists(
        of: stream, values: values, extra: [ParameterValue(feed.column, due.value)] + carried)
    }
    return taken(all)
  }

  /// Why no request can be made for this list, if a value of its parent's record is the reason; nil: one can, or none
  /// could for any record, as the error of making it says.
  func whyUnaskable(_ list: Unit, _ stream: Stream, _ feed: ParentFeed) -> String? {
    func problem(_ values: [ParameterValue]) -> StepProblem? {
      var list = list
      list.values = values
      if stream.window != nil { list.window = TimeWindow(from: time.now(), to: time.now()) }
      do throws(StepProblem) { _ = try StepBuilder(job: job, stream: stream, unit: list) } catch {
        return error
      }
      return nil
    }
    guard let found = problem(list.values) else { return nil }
    let names = feed.given
    let others = list.values.filter { !names.contains($0.name) }
    return problem(others + names.map { ParameterValue($0, "1") }) == nil ? found.sentence : nil
  }

  // MARK: one list

  /// How a list is requested.
  enum Course: Sendable {
    case whole
    case range(RangePlan)
    /// It cannot be requested without a window until a backfill has begun it.
    case rests
  }

  func course(of list: Unit, _ stream: Stream) async throws(StoreError) -> Course {
    if let range = options.window, stream.window != nil {
      return .range(try await plan(range, .backfill, of: list, stream))
    }
    if let range = try await sinceLastEnd(list, stream) {
      return .range(try await plan(range, .goOn, of: list, stream))
    }
    return lists.needsWindow(stream) ? .rests : .whole
  }

  /// The walker of a whole list, or of one window, from where an earlier run left it.
  func walker(
    _ builder: StepBuilder, _ state: UnitOpening.State, last: StoredCertificate?,
    lastWhole: StoredCertificate?, memory: WalkMemory, isProofDue: Bool
  ) -> Walker {
    var (stored, walkBreak) = ([PageSummary](), WalkBreak())
    if case .resume(let pages, let before) = state { (stored, walkBreak) = (pages, before) }
    var limits = Walker.Limits()
    limits.passesMax = options.passesMax
    if options.window != nil { limits.variedPagesMax = .max }
    return Walker(
      builder, resuming: stored, after: walkBreak,
      lastCompleteRange: options.isRefill || memory.isOutOfOrder
        ? nil
        : LastCompleteRange.stretch(
          of: lastWhole, behind: last, stream: builder.stream, now: time.now(),
          isProofDue: isProofDue),
      memory: memory, whole: lastWhole.map { Int($0.number) }, limits: limits)
  }

  /// What a run without a range requests of a list certified before: from the last certified end, less the job's
  /// overlap, to now, however long ago that was. A list that needs windows begins with its last day. Nil: the list is
  /// walked whole.
  private func sinceLastEnd(
    _ list: Unit, _ stream: Stream
  ) async throws(StoreError) -> TimeWindow? {
    guard var rule = stream.window, !options.isRefill else { return nil }
    var last: Instant?
    if let store, options.pagesMax == nil {
      let key = key(of: list, stream)
      last = try await store.coverage(key).all.last?.to
      if last == nil {
        // A list that the API cuts says nothing of what lies beyond the cut; but all that is newer than its first walk
        // can be requested.
        last = try await store.cutWalk(key).map { $0 - rule.delay }
      }
    }
    guard last != nil || lists.beginsWithLastDay(stream) else { return nil }
    // A walk of the whole list that was begun is finished first.
    if !lists.needsWindow(stream),
      try await store?.preview(list, stream, of: job.name, prints: prints(of: stream)).isWanting
        == true
    {
      return nil
    }
    if let store, last != nil, stream.cap == nil, !lists.needsWindow(stream),
      ProofOutlook(of: stream).proof != nil,
      try await store.isHalfProven(
        key(of: list, stream), again: LastCompleteRange.unprovenAgeMax)
    {
      return nil
    }
    // Clocks that are behind show what is new as older than the last end.
    if last != nil, try await hasLocalTimes(stream) {
      rule.overlap += .seconds(WindowPlanner.clocks(of: stream, at: time.now()).behind)
    }
    return WindowPlanner(rule).incremental(
      after: try await certain(last, list, stream, rule), now: time.now(), first: .seconds(86400))
  }

  /// Windows that failed or remain doubtful are requested again for some nights: the next windows begin earlier.
  private func certain(
    _ last: Instant?, _ list: Unit, _ stream: Stream, _ rule: Window
  ) async throws(StoreError) -> Instant? {
    guard let store, let last else { return last }
    let proof = ProofOutlook(of: stream).proof
    let first = try await store.firstDoubtful(
      key(of: list, stream), since: last - Self.lookBackMax,
      isProvable: proof != nil && proof != .twice)
    return first.map { max(min($0 + rule.overlap, last), last - Self.lookBackMax) } ?? last
  }

  private static let lookBackMax = Duration.seconds(3 * 86_400)

  /// Whether a list is read whole for its proof, though reading new records would do, and whether it is read twice if
  /// that proves nothing.
  func proof(
    of list: Unit, _ stream: Stream
  ) async throws(StoreError) -> (isDue: Bool, isOfTwo: Bool) {
    guard let every = LastCompleteRange.provesEvery(stream), options.pagesMax == nil else {
      return (false, false)
    }
    let last = try await store?.lastProving(of: list, job: job.name)
    // A timer is not exact, so half a day early counts.
    let isOfTwo =
      last.map { last in
        last.isAhead(of: time.now()) || time.now() - last >= every - .seconds(43_200)
      } ?? true
    guard !isOfTwo, stream.newestFirst != nil, let store else { return (isOfTwo, isOfTwo) }
    return (try await store.isHalfProvenByNews(key(of: list, stream)), false)
  }

  private func plan(
    _ range: TimeWindow, _ purpose: WindowFill.Purpose, of list: Unit, _ stream: Stream
  ) async throws(StoreError) -> RangePlan {
    let again: RangeSurvey.Again =
      options.isRefill
      ? .olderMapping : purpose == .goOn ? .everything : options.isProof ? .unproven : .nothing
    let survey = try await RangeSurvey(
      job, stream, list, range: range, again: again, looksBack: purpose == .backfill,
      prints: prints(of: stream), store: store, now: time.now())
    var failed = try await store?.failedWindows(key(of: list, stream)) ?? []
    var missed: [TimeWindow] = []
    if purpose == .goOn {
      let before = WindowPlanner.without([range], failed)
      missed = try await self.missed(before: range, before, of: list, stream, survey.covered)
      // The range is read in order, unless so much of it fails that the newest would never be read.
      failed = failed.filter { !WindowPlanner.without(survey.covered, [$0]).isEmpty }
      let isStuck = WindowPlanner.common(failed, [range]).count >= FillAccount.failuresInARowMax
      if !isStuck { failed = before }
    }
    let isOfOneAnswer = stream.namesWindowEnd && (options.isProof || mayHalve(survey, purpose))
    let hasLocalTimes = try await hasLocalTimes(stream)
    return RangePlan(
      purpose: purpose, survey: survey, missed: missed, failed: failed,
      isOfOneAnswer: isOfOneAnswer, hasLocalTimes: hasLocalTimes && purpose == .goOn)
  }

  /// Whether windows that only a second walk would prove are split to one answer each: if that takes no more days of
  /// the quota.
  private func mayHalve(_ survey: RangeSurvey, _ purpose: WindowFill.Purpose) -> Bool {
    let stream = survey.stream
    guard purpose == .backfill, ProofOutlook(of: stream).proof == .twice, stream.size != nil else {
      return false
    }
    // A daily quota is not spent on what may not be worth it.
    if survey.density == nil, JobQuotas.isScarce(for: stream, in: job) { return false }
    func days(_ isOfOneAnswer: Bool) -> Int? {
      let forecast = FillForecast(
        stream, holes: survey.holes, rate: survey.density, isOfOneAnswer: isOfOneAnswer)
      return JobQuotas.days(forecast.requests, of: stream, in: job)
    }
    guard let plain = days(false), let single = days(true) else { return false }
    return single <= plain
  }

  /// Windows that failed, and holes since the list was last good: a backfill of a later time leaves one.
  private func missed(
    before range: TimeWindow, _ failed: [TimeWindow], of list: Unit, _ stream: Stream,
    _ covered: [TimeWindow]
  ) async throws(StoreError) -> [TimeWindow] {
    var missed = failed.filter { $0.from < range.from }
    let key = key(of: list, stream)
    let goodAt = covered.count > 1 ? try await store?.goodAt(key) : nil
    let good = goodAt.flatMap { at in covered.last { $0.from <= at } }
    if let good, good.to < range.from { missed.append(TimeWindow(from: good.to, to: range.from)) }
    guard let first = missed.map(\.from).min() else { return [] }
    let older = TimeWindow(from: first, to: range.from)
    let survey = try await RangeSurvey(
      job, stream, list, range: older, prints: prints(of: stream), store: store, now: time.now())
    var holes = WindowPlanner.common(survey.holes, missed)
    // As at the start of a range, the overlap is read again: some records are listed late.
    if let good, let index = holes.firstIndex(where: { $0.from == good.to }),
      !failed.contains(where: { $0.from <= good.to && good.to < $0.to })
    {
      holes[index].from = max(good.to - (stream.window?.overlap ?? .zero), good.from)
    }
    return holes
  }

  /// Whether windows share the instant of their end, so that nothing falls between them: if it is not declared whether
  /// the end is included. Only times in steps allow a window without it.
  static func sharesEnd(_ stream: Stream) -> Bool {
    stream.namesWindowEnd && stream.window.map { !$0.includesEnd && $0.step != nil } == true
  }

  /// The requests of a window without its end.
  func aloneBuilder(
    _ window: TimeWindow, of list: Unit, _ stream: Stream
  ) throws -> StepBuilder {
    var (inside, part) = (stream, list)
    inside.window?.includesEnd = true
    part.window = window
    return try StepBuilder(job: job, stream: inside, unit: part)
  }

  // MARK: single answers for many

  /// What is due, one per request if each value has its own.
  static func single(_ due: [DueValue], _ feed: ParentFeed) -> ArraySlice<DueValue> {
    (feed.batch == 1 ? due.flatMap(\.each) : due)[...]
  }

  /// The next values for one request; none if nothing is left. A failed batch may fail for one of its values: each run
  /// halves it, until that value is alone. A value that contains the separator would be taken for two, so it is alone
  /// too.
  static func batch(
    _ feed: ParentFeed, from due: inout ArraySlice<DueValue>
  ) -> [DueValue] {
    var batch: [DueValue] = []
    var most = feed.batch
    while let value = due.first {
      let isApart = value.value.holds(ParentFeed.separator)
      most = isApart ? 1 : min(most, max(1, feed.batch >> value.failures))
      if batch.count >= most { break }
      batch.append(value)
      due.removeFirst()
    }
    return batch
  }

  /// The list that requests a batch.
  func list(
    for batch: [DueValue], _ stream: Stream, _ feed: ParentFeed, values: [String: [String]]
  ) throws(StoreError) -> Unit {
    let joined = batch.map(\.value).joined(separator: ParentFeed.separator)
    let extra =
      [ParameterValue(feed.column, joined)] + (batch.count == 1 ? batch[0].carried[0] : [])
    let named = lists.lists(of: stream, values: values, extra: extra)
    if let why = ListPlanner.whySeveral(stream, named) {
      throw StoreError(.job, "job \(job.name)", why)
    }
    // Without a value of its parent it cannot be built, which `whyUnaskable` says.
    return named.first ?? Unit(stream: stream.name, values: extra)
  }

  func step(_ ordinal: Int, _ list: Unit, _ stream: Stream) throws(StepProblem) -> Step {
    let builder = try StepBuilder(job: job, stream: stream, unit: list)
    return try builder.step(.page, ordinal: ordinal, at: builder.first)
  }
}
