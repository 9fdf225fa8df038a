public import Base

/// Walks one unit to its end, as a value: the engine makes the request of a `Move`, commits the answer, and reports it
/// here. No wait, clock or network; the same events give the same moves.
public struct Walker: Sendable {
  public enum Move: Sendable, Equatable {
    case ask(Step)
    case conclude(Certificate)
  }

  /// Why a step returned no page, after all its tries.
  public struct Trouble: Sendable, Equatable {
    public var kind: TroubleKind
    /// For messages. It is not stored.
    public var message: String
    /// The answer's status; not stored either.
    public var status: Int?

    public init(_ kind: TroubleKind, _ message: String = "", status: Int? = nil) {
      (self.kind, self.message, self.status) = (kind, message, status)
    }

    /// As it is stored and judged. Behind page 1 the list is known to exist, so `then: "skip"`, for lists that do not,
    /// adds nothing to the status. Only these statuses, and what a rule reads in a 2xx, may mean that the list ended.
    public func at(_ step: Step) -> Trouble {
      let isNotThere = status.map { [404, 410, 451].contains($0) } ?? true
      guard step.ordinal > 1, kind == .refused || kind == .absent && !isNotThere else {
        return self
      }
      var trouble = self
      let mayEndLists = status.map { $0 < 300 || [400, 404, 410, 416, 422].contains($0) } ?? false
      trouble.kind = mayEndLists ? .refused : .denied
      if kind == .absent {
        trouble.message += "; then: \"skip\" is for a list that is not there, and this one is"
      }
      return trouble
    }
  }

  public typealias Limits = WalkRules.Limits

  public let rules: WalkRules
  let steps: any StepMaking
  /// As it was when the walk began, was resumed or started over.
  public internal(set) var handed: Handed
  var state: WalkState
  var phase = Phase.walking
  /// The last page again, where the run before was resumed and stopped.
  var seam: PageSummary?
  /// Where the walk continues after a seam.
  var afterSeam: Cursor?
  /// The first step after resuming from a stored token: if it is refused, the token died.
  var isFirstAfterResume = false
  /// The last page, to be looked at before page 2 is requested.
  var lookLeft: Cursor?
  var hasRepaired = false
  /// Pages that the walk had read before it was resumed.
  var pagesBefore = 0
  /// Each is reported once.
  public internal(set) var warnings: [String] = []
  /// How often the walk started over at page 1, because its token died, the list moved, or page 1 came from a cache:
  /// each time the unit's stored pages become void.
  public internal(set) var restarts = 0
  public var startsAgain: Bool { restarts > 0 }

  /// A 304 of this walk was wrong: from now on each page is requested whole.
  public internal(set) var hasFalse304 = false

  /// The sums so far, including earlier runs.
  public var counts: Counts { state.counts }
  /// Pages of other sizes show nothing for this API: for later walks.
  var ignoresSizes = false

  enum Phase: Sendable, Equatable {
    case walking
    /// The last page is looked at before the walk continues.
    case looking(Outcome)
    case repairing([Int], WalkEnd)
    /// The end has not been shown: what is requested for it.
    case seekingEnd(WalkEnd)
    case checking(WalkEnd)
    case concluded(Certificate)
  }

  /// What follows from a page or a trouble.
  enum Outcome: Sendable, Equatable {
    case next(Cursor)
    case end(WalkEnd)
  }

  /// Resumes from the stored pages of an unfinished unit, in order, if there are any.
  init(
    _ rules: WalkRules, _ steps: any StepMaking, _ handed: Handed,
    resuming stored: [PageSummary] = []
  ) {
    self.rules = rules
    self.steps = steps
    self.handed = handed
    state = WalkState(rules)
    if !rules.isNewestFirst { self.handed.range = nil }
    if !stored.isEmpty { resume(stored) }
  }

  /// - Parameters:
  ///   - walkBreak: how that walk had stopped.
  ///   - lastCompleteRange: for newest-first feeds: what an earlier certificate of this list covers, less the job's
  ///     overlap at its end.
  ///   - memory: what earlier walks left to prove this one.
  ///   - whole: the certificate of the last walk that reached the list's end.
  public init(
    _ builder: StepBuilder, resuming stored: [PageSummary] = [],
    after walkBreak: WalkBreak = WalkBreak(), lastCompleteRange: TimeWindow? = nil,
    memory: WalkMemory = WalkMemory(), whole: Int? = nil,
    limits: Limits = Limits()
  ) {
    var rules = builder.rules
    rules.limits = limits
    var handed = Handed(rules: rules.digest, whole: whole)
    handed.memory = memory
    handed.range = lastCompleteRange
    (handed.isResumed, handed.walkBreak) = (!stored.isEmpty, walkBreak)
    if builder.unit.window != nil { handed.walkBreak.isWindow = true }
    self.init(rules, builder, handed, resuming: stored)
    if !stored.isEmpty, beginsAgain { startFresh() }
  }

  /// The first move: page 1, or where a resumed walk continues.
  public mutating func begin() -> Move {
    if case .concluded(let certificate) = phase { return .conclude(certificate) }
    switch state.pending {
    case nil: return askNext(rules.first)
    case .end(let ending): return finish(ending)
    case .next(let cursor):
      guard isPositioned, let last = state.lastRead else {
        isFirstAfterResume = true
        return lookOrGoOn(.next(cursor))
      }
      afterSeam = cursor
      // With one request in a run, each run would read this page again and come no further.
      if let seam, !state.isSeamOther || !mayReadAgain {
        return lookOrGoOn(outcomeOfSeam(seam))
      }
      return ask(.seam, ordinal: last.ordinal, at: last.cursor)
    }
  }

  /// What follows a page, after its commit; also an unreadable page stored as such.
  public mutating func received(_ page: PageSummary) -> Move {
    switch (phase, page.purpose) {
    case (.concluded(let certificate), _): return .conclude(certificate)
    case (.repairing(let left, let ending), .repair):
      if !page.isUnreadable { repair(page) }
      return repairNext(Array(left.dropFirst()), ending)
    case (.checking(let ending), .closingCheck):
      if page.isUnreadable {
        state.checkProblem = "page 1 could not be read again"
      } else if page.ordinal == 1 {
        state.close(page, isFirm: isFirm, showsMove: readsPositions)
      } else {
        state.readOn(page)
      }
      return frontMove(page) ?? conclude(ending)
    case (.looking(let outcome), .lastPage):
      note(look: page)
      phase = .walking
      return moveOn(outcome)
    case (.seekingEnd(let ending), .signOfMore):
      note(look: page)
      return look(endLook(behind: ending), ending)
    case (.seekingEnd(let ending), .lastRecord), (.seekingEnd(let ending), .pageBefore):
      note(look: page)
      return checkPageOne(ending)
    case (.walking, .seam):
      if page.isUnreadable {
        state.move("the page that the walk resumes from cannot be read")
      } else {
        state.readSeam(
          page, credit: credit(page, overlap: state.lastRead?.overlap), isFirm: isFirm)
      }
      if state.isSeamOther, mayReadAgain { return passAgain() }
      return lookOrGoOn(outcomeOfSeam(page))
    default:
      isFirstAfterResume = false
      if page.ordinal == 1, page.age != nil, !handed.carried.hasPassedCaches {
        handed.carried.hasPassedCaches = true
        startFresh()
        return askNext(rules.first)
      }
      if page.isUnreadable { return moveOn(outcomeOfUnreadable(page.ordinal, page.cursor, nil)) }
      let outcome = outcome(of: page)
      noteSize(page, isFollowed: outcome.isNext)
      lookLeft = lastPageToLookAt(page, outcome)
      return lookOrGoOn(outcome)
    }
  }

  /// What follows a step without a page.
  public mutating func troubled(_ trouble: Trouble, at step: Step) -> Move {
    if case .concluded(let certificate) = phase { return .conclude(certificate) }
    if trouble.kind == .restart, !step.purpose.isLook { return startOver(trouble.message) }
    switch (phase, step.purpose) {
    case (.repairing(let left, let ending), _):
      return repairNext(Array(left.dropFirst()), ending)
    case (.checking(let ending), _):
      state.checkProblem = "page 1 could not be requested again (\(trouble.message))"
      return conclude(ending)
    case (.looking(let outcome), _):
      // Only what it would have shown is missing.
      phase = .walking
      return moveOn(outcome)
    case (.seekingEnd(let ending), let purpose):
      // An API that refuses it counts as the job says.
      if purpose == .pageBefore {
        (state.recordsBefore, state.isFirstShown) = (0, trouble.kind != .unreadable)
      }
      return checkPageOne(ending)
    case (.walking, .seam):
      if trouble.kind == .refused || trouble.kind == .denied {
        return finish(.failure(trouble.message))
      }
      state.move("the page that the walk resumes from no longer exists")
      if mayReadAgain { return passAgain() }
      return moveOn(.next(afterSeam ?? step.cursor))
    default:
      return moveOn(outcome(of: trouble, at: step))
    }
  }

  // MARK: moves

  /// The last page is looked at between page 1 and page 2, or never: after a kill, too.
  private mutating func lookOrGoOn(_ outcome: Outcome) -> Move {
    guard let last = lookLeft else { return moveOn(outcome) }
    lookLeft = nil
    guard outcome.isNext else { return moveOn(outcome) }
    phase = .looking(outcome)
    return ask(.lastPage, ordinal: 1, at: last)
  }

  mutating func moveOn(_ outcome: Outcome) -> Move {
    switch outcome {
    case .next(let cursor): askNext(cursor)
    case .end(let ending): finish(ending)
    }
  }

  mutating func ask(_ purpose: Step.Purpose, ordinal: Int, at cursor: Cursor) -> Move {
    do {
      return .ask(try steps.step(purpose, ordinal: ordinal, at: cursor))
    } catch {
      return finish(.failure(error.sentence))
    }
  }

  private mutating func startOver(_ message: String) -> Move {
    guard !handed.carried.hasTokenDied else {
      return finish(.failure("the walk began again once, and again: \(message)"))
    }
    handed.carried.hasTokenDied = true
    startFresh()
    return askNext(rules.first)
  }

  /// Another pass over a list that moved during this one.
  mutating func passAgain() -> Move {
    handed.carried.passes += 1
    startFresh()
    return askNext(rules.first)
  }

  mutating func startFresh() {
    restarts += 1
    state = WalkState(rules)
    phase = .walking
    hasRepaired = false
    isFirstAfterResume = false
    (handed.isResumed, handed.walkBreak) = (false, WalkBreak(isWindow: handed.walkBreak.isWindow))
    afterSeam = nil
    lookLeft = nil
  }

  // MARK: rules

  /// Pages are addressed by position, so they shift when the list changes.
  var isPositioned: Bool { rules.isPositioned }

  var memory: WalkMemory { handed.memory }

  var isCounted: Bool { rules.trust == .counted }

  /// The total should change only with the list.
  var isFirm: Bool { isCounted || rules.trust == .steady }

  /// The positions that a page covers: at most those requested, since the next page begins after them, and without
  /// those that the previous page covered.
  func credit(_ page: PageSummary, overlap: Int? = nil) -> Int {
    let received = page.counts.received
    guard isPositioned else { return received }
    // A walk that steps back covers only what is new.
    if stepsBack { return page.unseen }
    let positions = rules.size(at: page.cursor).map { min(received, $0) } ?? received
    return max(0, positions - (overlap ?? self.overlap(into: page.cursor) ?? 0))
  }

  /// How many records of the previous page a page by offset should begin with; nil for the first page, and if pages do
  /// not overlap.
  func overlap(into cursor: Cursor) -> Int? {
    if case .number = rules.paging { return variedOverlap(into: cursor) }
    guard rules.pagesOverlap, case .offset(let offset) = cursor, let last = state.lastRead,
      case .offset(let before) = last.cursor, before <= offset
    else { return nil }
    return before + last.positions > offset ? 1 : 0
  }

  mutating func repair(_ page: PageSummary) {
    let repeated = max(0, page.counts.received - page.unseen)
    // It may have been requested to begin with records of the previous page.
    let led =
      page.cursor.isSized ? repeated : rules.pagesOverlap && page.ordinal > 1 ? min(1, repeated) : 0
    state.repair(page, credit: credit(page, overlap: led), isCounted: isCounted, led: led)
    noteGrowth(page)
  }
}

extension Walker.Outcome {
  var isNext: Bool { if case .next = self { true } else { false } }
}
