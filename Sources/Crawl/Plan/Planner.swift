internal import Base
internal import Store
internal import Walk

/// Says what a run asks, step by step, from the job, what a person set, and what is stored. A run
/// takes its next step from here, and a `Plan` takes all of them at once: the two cannot differ.
/// It reads, and writes nothing.
final class Planner: Sendable {
  let lists: ListPlanner
  /// Nil: nothing is stored yet.
  let store: RecordStore?
  let time: Timekeeper
  private let prints = Locked<[String: Fingerprints]>([:])

  var job: Job { lists.job }
  var options: CrawlOptions { lists.options }

  init(
    job: Job, options: CrawlOptions, store: RecordStore?, time: Timekeeper
  ) {
    lists = ListPlanner(job: job, options: options)
    self.store = store
    self.time = time
  }

  /// Of a stream of the job; counted once, however many lists it has.
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

  /// The values of a stream's holes, with `@stream` replaced by what is stored.
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

  /// The lists of a stream that is asked for by its values alone; those that a limit has kept waiting longest come
  /// first. A look takes the first few.
  func roots(of stream: Stream) async throws -> [Unit] {
    let named = lists.lists(of: stream, values: try await values(of: stream))
    let turns = named.count > 1 ? try await lastTurns(of: stream) : [:]
    let all = named.enumerated().sorted { one, other in
      let keys = [one, other].map { (turns[$0.element.parameterText] ?? 0, $0.offset) }
      return keys[0] < keys[1]
    }.map(\.element)
    let most = options.listsMax ?? options.unitsMax
    return all.enumerated().filter { $0.offset < most ?? .max }.map(\.element)
  }

  /// Whether the run takes another list, parent or batch of a stream behind so many: a look takes
  /// the first few, and leaves the rest due.
  func takesMore(after count: Int) -> Bool { count < options.unitsMax ?? .max }

  /// The records of its parent for which the run asks a stream, of those that are stored now.
  /// - Parameter isOfAll: each of them.
  func dueNow(_ stream: Stream, isOfAll: Bool = false) async throws -> [DueValue] {
    try await store?.previewDue(
      stream.name, of: job.name, request: try await request(of: stream), again: options.isRefill,
      isOfAll: isOfAll || readsAll(stream)) ?? []
  }

  /// Why a run that came to a stream has read no list of it.
  func whyResting(_ stream: Stream) -> String {
    guard let feed = stream.parent, !lists.needsWindow(stream) || fillsAll(stream) else {
      return resting(stream)
    }
    return "idle, since it is due for "
      + (feed.stream == ParentFeed.favorites ? "no favorite" : "no \(feed.stream).\(feed.column)")
  }

  /// A range of time is filled for every record of the parent: that its list was asked before says nothing
  /// of the range.
  func fillsAll(_ stream: Stream) -> Bool { options.window != nil && stream.window != nil }

  /// Lists of values that the run alone was given: what is due says nothing of them, and they nothing of it.
  func isOfOtherValues(_ stream: Stream) -> Bool {
    !stream.isAskedInBatches
      && stream.holes.contains { lists.isSetOtherwise(job.parameter(filling: $0)?.name ?? $0) }
  }

  /// Whether the run comes to every record of the parent.
  func readsAll(_ stream: Stream) -> Bool { fillsAll(stream) || isOfOtherValues(stream) }

  /// The lists of a stream for a value of its parent.
  func children(
    of stream: Stream, _ feed: ParentFeed, _ due: DueValue, values: [String: [String]]
  ) -> [Unit] {
    due.carried.flatMap { carried in
      lists.lists(
        of: stream, values: values, extra: [ParameterValue(feed.hole, due.value)] + carried)
    }
  }

  /// Why no request can be made for this list, where that is for a value of its parent's record;
  /// nil: one can, or none could for any record, which the error of making it says.
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
    let names = [feed.hole] + feed.carries
    let others = list.values.filter { !names.contains($0.name) }
    return problem(others + names.map { ParameterValue($0, "1") }) == nil ? found.sentence : nil
  }

  // MARK: one list

  /// How a list is asked.
  enum Course: Sendable {
    case whole
    case range(RangePlan)
    /// It cannot be asked without a window, until a backfill has begun it.
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

  /// The requests of a whole list, or of one window, and where an earlier run left it.
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

  /// What a run without a range asks of a list that was certified before: from the last certified
  /// end, less the job's overlap, to now, however long ago that was. A list that can only be asked for in
  /// windows begins with its last day. Nil: the list is walked whole.
  private func sinceLastEnd(
    _ list: Unit, _ stream: Stream
  ) async throws(StoreError) -> TimeWindow? {
    guard let rule = stream.window, !options.isRefill else { return nil }
    var last: Instant?
    if let store, options.pagesMax == nil {
      let covered = try await store.coverage(
        of: stream.name, job: job.name, parameters: list.parameterText,
        prints: prints(of: stream))
      last = covered.all.last?.to
      if last == nil {
        // A list that the API cuts says nothing of what lies behind the cut; but all that is newer than
        // its first walk can be asked for.
        last = try await store.cutWalk(RangeSurvey.key(stream, list, of: job))
          .map { $0 - rule.delay }
      }
    }
    guard last != nil || lists.beginsWithLastDay(stream) else { return nil }
    // A reading of the whole list that was begun is brought to its end first.
    if !lists.needsWindow(stream),
      try await store?.preview(list, stream, of: job.name, prints: prints(of: stream)).isWanting
        == true
    {
      return nil
    }
    if let store, last != nil, stream.cap == nil, !lists.needsWindow(stream),
      ProofOutlook(of: stream).proof != nil,
      try await store.isHalfProven(
        RangeSurvey.key(stream, list, of: job), again: LastCompleteRange.unprovenAgeMax)
    {
      return nil
    }
    return WindowPlanner(rule).incremental(
      after: try await certain(last, list, stream, rule), now: time.now(), first: .seconds(86400))
  }

  /// What a night did not bring, or not surely, is asked once more in the next ones: their windows begin earlier.
  private func certain(
    _ last: Instant?, _ list: Unit, _ stream: Stream, _ rule: Window
  ) async throws(StoreError) -> Instant? {
    guard let store, let last else { return last }
    let proof = ProofOutlook(of: stream).proof
    let first = try await store.firstDoubtful(
      RangeSurvey.key(stream, list, of: job), since: last - Self.lookBackMax,
      isProvable: proof != nil && proof != .twice)
    return first.map { max(min($0 + rule.overlap, last), last - Self.lookBackMax) } ?? last
  }

  private static let lookBackMax = Duration.seconds(3 * 86_400)

  /// Whether a list is read whole for its proof, though new records alone would do, and whether a second reading
  /// follows where that proves nothing.
  func proof(
    of list: Unit, _ stream: Stream
  ) async throws(StoreError) -> (isDue: Bool, isOfTwo: Bool) {
    guard let every = LastCompleteRange.provesEvery(stream), options.pagesMax == nil else {
      return (false, false)
    }
    let last = try await store?.lastProving(of: list, job: job.name)
    // A timer does not fire at the same minute each week.
    let isOfTwo =
      last.map { last in
        last.isAhead(of: time.now()) || time.now() - last >= every - .seconds(43_200)
      } ?? true
    guard !isOfTwo, stream.newestFirst != nil, let store else { return (isOfTwo, isOfTwo) }
    return (try await store.isHalfProvenByNews(RangeSurvey.key(stream, list, of: job)), false)
  }

  private func plan(
    _ range: TimeWindow, _ purpose: RangePlan.Purpose, of list: Unit, _ stream: Stream
  ) async throws(StoreError) -> RangePlan {
    let again: RangeSurvey.Again =
      options.isRefill
      ? .olderMapping : purpose == .goOn ? .everything : options.isProof ? .unproven : .nothing
    let survey = try await RangeSurvey(
      job, stream, list, range: range, again: again, looksBack: purpose == .backfill,
      prints: prints(of: stream), store: store, now: time.now())
    let missed = purpose == .goOn ? try await missed(before: range, of: list, stream) : []
    let isOfOneAnswer = stream.namesWindowEnd && (options.isProof || mayHalve(survey, purpose))
    return RangePlan(
      purpose: purpose, survey: survey, missed: missed, isOfOneAnswer: isOfOneAnswer)
  }

  /// A window of several pages that only a second walk would prove is cut to one answer each, where that
  /// takes no more days of the quota.
  private func mayHalve(_ survey: RangeSurvey, _ purpose: RangePlan.Purpose) -> Bool {
    let stream = survey.stream
    guard purpose == .backfill, ProofOutlook(of: stream).proof == .twice, stream.size != nil else {
      return false
    }
    // Of a quota of days nothing is spent on what is not known to be worth it.
    if survey.density == nil, JobQuotas.isScarce(for: stream, in: job) { return false }
    func days(_ isOfOneAnswer: Bool) -> Int? {
      let forecast = FillForecast(
        stream, holes: survey.holes, rate: survey.density, isOfOneAnswer: isOfOneAnswer)
      return JobQuotas.days(forecast.requests, of: stream, in: job)
    }
    guard let plain = days(false), let single = days(true) else { return false }
    return single <= plain
  }

  private func missed(
    before range: TimeWindow, of list: Unit, _ stream: Stream
  ) async throws(StoreError) -> [TimeWindow] {
    let key = RangeSurvey.key(stream, list, of: job)
    let failed = try await store?.failedWindows(key).filter { $0.from < range.from } ?? []
    guard let first = failed.map(\.from).min() else { return [] }
    let older = TimeWindow(from: first, to: range.from)
    let survey = try await RangeSurvey(
      job, stream, list, range: older, prints: prints(of: stream), store: store, now: time.now())
    return WindowPlanner.common(survey.holes, failed)
  }

  /// If it is not declared whether a window's end belongs to it, windows share that instant, so
  /// that nothing falls between them. Only of times in steps a window can do without it.
  static func sharesEnd(_ stream: Stream) -> Bool {
    stream.namesWindowEnd && stream.window.map { !$0.includesEnd && $0.step != nil } == true
  }

  /// The requests of a window without the instant of its end.
  func aloneBuilder(
    _ window: TimeWindow, of list: Unit, _ stream: Stream
  ) throws -> StepBuilder {
    var (inside, part) = (stream, list)
    inside.window?.includesEnd = true
    part.window = window
    return try StepBuilder(job: job, stream: inside, unit: part)
  }

  // MARK: single answers for many

  /// What is due, one for each request if each has its own.
  static func single(_ due: [DueValue], _ feed: ParentFeed) -> ArraySlice<DueValue> {
    (feed.batch == 1 ? due.flatMap(\.each) : due)[...]
  }

  /// The next values that one request asks for; none when nothing is left. A batch that fails may
  /// fail for one of its values: each run halves it, until that one is alone and the others have
  /// come. A value that holds the separator itself would be taken for two: it is alone, too.
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

  /// What one request asks for a batch.
  func list(
    for batch: [DueValue], _ stream: Stream, _ feed: ParentFeed, values: [String: [String]]
  ) throws(StoreError) -> Unit {
    let joined = batch.map(\.value).joined(separator: ParentFeed.separator)
    let extra = [ParameterValue(feed.hole, joined)] + (batch.count == 1 ? batch[0].carried[0] : [])
    let named = lists.lists(of: stream, values: values, extra: extra)
    if let why = ListPlanner.whySeveral(stream, named) {
      throw StoreError(.job, "job \(job.name)", why)
    }
    guard var list = named.first else {
      throw StoreError(
        .job, "job \(job.name)",
        "the stream \(stream.name) has a hole that neither its parent nor --set fills")
    }
    if stream.window != nil { list.window = options.window }
    return list
  }

  func step(_ ordinal: Int, _ list: Unit, _ stream: Stream) throws(StepProblem) -> Step {
    let builder = try StepBuilder(job: job, stream: stream, unit: list)
    return try builder.step(.page, ordinal: ordinal, at: builder.first)
  }
}
