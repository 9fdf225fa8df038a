public import Base
public import Store
internal import Walk

/// The state of a job now, from what is stored: which lists are too old, and what to do. The only source for report,
/// `trawl status`, index, alert and `--max-age`.
public struct Telling: Sendable {
  let overview: JobOverview
  /// The job file; nil if there is none.
  let job: Job?
  /// Since when streams have something due; those without a time rest. Nil if that is not known yet.
  private var dueSince: [String: Instant]?
  let now: Instant
  private let streams: [String: Declared]
  private let ofStream: [String: [ListOverview]]

  /// What the file says of a stream, as far as its lists' age depends on it: a whole stream is too large to be copied
  /// for each list.
  private struct Declared {
    /// Lists that a run without `--set` reads; nil: all.
    var named: Set<String>?
    var when: ParentFeed.When?
    /// Its lists are requested by time.
    var isByTime: Bool
    /// How late records may arrive in its lists, and how long its answers stay valid.
    var ageAllowed: Duration

    init(_ stream: Base.Stream, named: Set<String>?) {
      (self.named, when, isByTime) = (named, stream.parent?.when, stream.window != nil)
      ageAllowed = stream.window?.delay ?? .zero
      if case .stale(let period) = when { ageAllowed += period }
    }
  }

  public init(_ overview: JobOverview, _ job: Job?, now: Instant) {
    var overview = overview
    overview.lists.removeAll { list in
      list.isOrphaned || job.map { $0.stream(list.stream) == nil } ?? false
    }
    self.overview = overview
    ofStream = Dictionary(grouping: overview.lists, by: \.stream)
    self.job = job
    self.now = now
    var streams: [String: Declared] = [:]
    if let job {
      let planner = ListPlanner(job: job, options: CrawlOptions())
      for stream in job.streams {
        streams[stream.name] = Declared(stream, named: planner.named(stream))
      }
    }
    self.streams = streams
  }

  /// Streams that may rest: not every run requests all their lists.
  private var quiet: [String] {
    job?.streams.filter { $0.parent?.when.mayRest ?? false }.map(\.name) ?? []
  }

  /// Whether a list seems old or worse, here or to the caller, that may have nothing due.
  public func mayRest(_ late: [ListOverview] = []) -> Bool {
    !quiet.isEmpty
      && (!late.isEmpty || !less.isEmpty || overview.lists.contains { passesLimit($0) })
  }

  /// Notes what is due now, and since when at most: the last run that came to all began then.
  public mutating func note(due: [DueChildren], since lastWhole: Instant?) {
    dueSince = [:]
    for children in due where children.count > 0 {
      dueSince?[children.stream] = lastWhole ?? .beginning
    }
  }

  // MARK: age

  /// A list that runs read now: lists that are no longer named, or are read only once, do not age.
  private func isAsked(_ list: ListOverview) -> Bool {
    // Lists of streams that the file no longer has were left out.
    streams[list.stream]?.named?.contains(list.parameters) ?? true
  }

  /// When the list was last good; before any certificate, when runs began to be cut off.
  private func goodAt(_ list: ListOverview) -> Instant? {
    list.course?.goodAt ?? overview.cutOffSince
  }

  private func age(_ list: ListOverview) -> Duration? {
    goodAt(list).map { $0.isAhead(of: now) ? .zero : now - $0 }
  }

  private func limit(_ list: ListOverview) -> Duration {
    (list.course?.limit(every: job?.every) ?? ListCourse.limit(every: job?.every))
      + ageAllowed(list)
  }

  private func ageAllowed(_ list: ListOverview) -> Duration {
    streams[list.stream]?.ageAllowed ?? .zero
  }

  private func passesLimit(_ list: ListOverview) -> Bool {
    // While the clock is wrong nothing counts as old.
    guard overview.troubles[.clock] == nil, let age = age(list) else { return false }
    return age > limit(list) && isAsked(list) && !rests(list, passesLimit)
  }

  /// Nothing of its stream is due, or not for long, and its parents are not late. A list that is worse than before
  /// rests if it was read to its end, or lacks only single answers, each of which stays due until it comes.
  private func rests(_ list: ListOverview, _ isOld: (ListOverview) -> Bool) -> Bool {
    guard let dueSince, quiet.contains(list.stream), let stream = job?.stream(list.stream) else {
      return false
    }
    let since = dueSince[list.stream]
    if list.course?.isLess ?? false {
      let staysDue = stream.isAskedInBatches && stream.parent?.when != .run
      guard since == nil, staysDue || Verdict(rawValue: list.verdict)?.isWhole == true else {
        return false
      }
    } else if let since, now - since > limit(list) {
      return false
    }
    guard let parent = stream.parent, parent.when == .run else { return true }
    return !(ofStream[parent.stream] ?? []).contains(where: isOld)
  }

  /// A job without a timer is not late if it has not run.
  private func ages(_ list: ListOverview, _ kinds: Set<RunOutcome.Kind> = []) -> Bool {
    job?.every != nil || list.course?.isLess ?? true
      || !kinds.isSubset(of: [.asDeclared, .lessThanDeclared, .failed])
  }

  /// Lists that are shorter or worse than before.
  public var less: [ListOverview] {
    overview.lists.filter { $0.course?.isLess ?? false && isAsked($0) }
  }

  /// The lists among those of a run whose windows it read as declared that are worse as a whole: of other times less is
  /// known. An end that the job expects is not worse.
  func behind(_ units: [UnitFacts]) -> [ListOverview] {
    var read: [ListName: Verdict] = [:]
    for unit in units where unit.window != nil && unit.isAsDeclared {
      read[unit.name] = unit.certificate.verdict
    }
    if read.isEmpty { return [] }
    let order = Verdict.worstFirst
    return overview.lists.filter { list in
      guard let own = read[list.name] else { return false }
      guard let verdict = Verdict(rawValue: list.verdict) else { return true }
      let isExpected = verdict == .limited && job?.stream(list.stream)?.cap?.expected != nil
      return !isExpected && order.firstIndex(of: verdict) ?? 0 < order.firstIndex(of: own) ?? 0
    }
  }

  /// Nothing is known of a list that runs read: its coverage was reset, or no walk has ended.
  public var isUnread: Bool {
    overview.lists.contains { $0.verdict == "unfinished" && $0.asOf == nil && isAsked($0) }
  }

  /// Lists older than they may be.
  /// - Parameters:
  ///   - most: nil: each by its own limit.
  ///   - isOnTimer: also for a job without `every`.
  public func old(over most: Duration?, isOnTimer: Bool = false) -> [ListOverview] {
    overview.lists.filter { isOld($0, over: most, isOnTimer: isOnTimer) }
  }

  private func isOld(_ list: ListOverview, over most: Duration?, isOnTimer: Bool) -> Bool {
    // The API offers no way to read it.
    if list.rule == .outOfReach { return false }
    guard let most else { return passesLimit(list) && (isOnTimer || ages(list)) }
    guard let end = list.lastGoodEnd, let age = age(list) else { return true }
    if end.isAhead(of: now) { return true }
    // What the API does not list yet cannot be stored.
    return age > most + ageAllowed(list)
      && !rests(list) { isOld($0, over: most, isOnTimer: isOnTimer) }
  }

  // MARK: what follows

  /// - Parameters:
  ///   - word: what a person called the job by.
  ///   - kinds: how the last run ended.
  public func steps(
    command: String = "run", on word: String? = nil, _ kinds: Set<RunOutcome.Kind>
  ) -> [NextStep] {
    let lists = overview.lists.filter { !isOver($0) }.map { list -> NextSteps.List in
      let verdict = Verdict(rawValue: list.verdict)
      let isLess = list.course?.isLess ?? false
      var told = NextSteps.List(
        name: list.listName, verdict: verdict,
        cause: list.cause.flatMap(Shortfall.init(rawValue:)),
        isAsDeclared: verdict?.isWhole ?? false || verdict == .limited && !isLess,
        resumesAt: list.goesOnAt.flatMap { $0 > now ? $0 : nil })
      told.isLess = isLess
      told.goodAt = goodAt(list)
      told.isOld = passesLimit(list) && ages(list, kinds)
      (told.withheld, told.rows, told.rule) = (list.withheld, list.rows, list.rule)
      (told.areTogether, told.isEmptied) = (list.areTogether, list.isEmptied)
      let stream = streams[list.stream]
      (told.when, told.isByTime) = (stream?.when, stream?.isByTime ?? false)
      told.isOfRange = told.isByTime && verdict != list.wholeVerdict
      return told
    }
    return NextSteps(
      job: word ?? overview.job, command: command, kinds: kinds, lists: lists,
      rejects: overview.rejects,
      others: others, knowsKey: job.map { $0.authentication != nil } ?? true,
      isElsewhere: job.map { $0.base.origin.description != overview.origin } ?? false
    ).all
  }

  /// What it lacked is not requested any more.
  private func isOver(_ list: ListOverview) -> Bool {
    list.course?.isLess ?? false && rests(list, passesLimit)
  }

  private var others: [NextSteps.Other] {
    Trouble.allCases.compactMap { trouble -> NextSteps.Other? in
      guard let times = overview.troubles[trouble] else { return nil }
      let span = times.upperBound - times.lowerBound
      // One run may be wrong about the time.
      if trouble == .clock, span < Self.clockSpan { return nil }
      // Runs that could not judge it do not make it older.
      let isOld = span > ListCourse.limit(every: job?.every)
      return NextSteps.Other(trouble, since: times.lowerBound, isOld: isOld)
    }
  }

  /// An hour, less some slack for a timer.
  private static let clockSpan = Duration.seconds(3000)
}

extension ListOverview {
  var name: ListName { ListName(stream: stream, parameters: parameters) }
}

extension UnitFacts {
  var name: ListName { ListName(stream: stream, parameters: parameterText) }
}
