internal import Base

/// A round of requests, one for each parent, may take several runs. What an earlier run has
/// requested in it is not requested again. But what a run that was broken off last night has
/// requested is a day old by now, and a walk of that age would begin again too.
extension RecordStore {
  /// What the book knows of the last round of a stream.
  private struct Round {
    var run: Int64
    /// When it began; nil: that run is no longer known.
    var began: Instant?
    /// Runs that requested something in it.
    var runs: Int
    /// The runs of the round before it; nil: there was none. A round that was given up counts as
    /// two at least.
    var runsBefore: Int?
    /// The last run that requested something in it; nil: none did.
    var lastRun: Int64?
    /// That run ended by itself.
    var isEnded: Bool

    /// Whether this stream's rounds take more than one run, so that beginning again would never
    /// end.
    var takesLong: Bool { runsBefore.map { $0 > 1 } ?? isEnded }
  }

  /// What a run does about the round that it found.
  private enum Course {
    case resumes(Round)
    /// With the number of runs of the round before.
    case begins(after: Int?)
  }

  /// The run in which the current round began; decided once per run. A round ends when nothing of
  /// it is due, and the next one begins in another run.
  func round(_ feed: Feed, _ moment: DueMoment) throws(StoreError) -> Int64 {
    let name = planName(feed.job, feed.child.name)
    if let decided = rounds[name], decided.run == moment.run { return decided.round }
    guard Self.hasRounds(feed) else { return moment.run }
    let round: Int64
    switch try course(feed, moment) {
    case .resumes(let old):
      round = old.run
      try note(old.run, runs: old.runs + 1, runsBefore: old.runsBefore, of: feed)
    case .begins(let runsBefore):
      round = moment.run
      try note(round, runs: 1, runsBefore: runsBefore, of: feed)
    }
    rounds[name] = (moment.run, round)
    return round
  }

  private func note(
    _ run: Int64, runs: Int, runsBefore: Int?, of feed: Feed
  ) throws(StoreError) {
    try write {
      try connection.note(
        Self.round(of: feed),
        ["run": .integer(run), "runs": SQLValue(runs), "runs_before": SQLValue(runsBefore)])
    }
  }

  private static func round(of feed: Feed) -> FactKey {
    FactKey(.round, job: feed.job, stream: feed.child.name)
  }

  /// The run in which the round began that a run at this moment would resume; nil: it begins one.
  func openRound(_ feed: Feed, _ moment: DueMoment) throws(StoreError) -> Int64? {
    guard Self.hasRounds(feed), case .resumes(let round) = try course(feed, moment) else {
      return nil
    }
    return round.run
  }

  private static func hasRounds(_ feed: Feed) -> Bool {
    feed.parent != nil && (feed.rule.when == .all || feed.rule.when == .run)
  }

  /// A round that an earlier run broke off, with values left to request, is resumed, unless that
  /// run's requests are too old by now. A round without any request yet may as well begin anew.
  private func course(_ feed: Feed, _ moment: DueMoment) throws(StoreError) -> Course {
    guard let round = try lastRound(feed, moment) else { return .begins(after: nil) }
    guard round.lastRun != nil else { return .begins(after: round.runsBefore) }
    var then = moment
    (then.round, then.triedBefore, then.portion) = (round.run, round.run, 1)
    // A value that waited then and no longer does belongs to the next round.
    if moment.now != DueMoment.always { then.now = round.began?.description ?? moment.now }
    if try values(feed, then).isEmpty { return .begins(after: round.runs) }
    let isYoung = round.began.map { now - $0 <= feed.child.tokenLife } ?? false
    // Beginning again is an attempt: if that is broken off as well, one run is too short.
    return isYoung || round.takesLong ? .resumes(round) : .begins(after: max(2, round.runs))
  }

  private func lastRound(_ feed: Feed, _ moment: DueMoment) throws(StoreError) -> Round? {
    try guarded {
      let fact = FactFields(try connection.fact(Self.round(of: feed)))
      guard let run = fact.integer("run") else { return nil }
      let began = try connection.instant(
        "SELECT began_at FROM trawl_runs WHERE run = ?", [SQLValue(run)])
      var round = Round(
        run: Int64(run), began: began, runs: fact.integer("runs") ?? 1,
        runsBefore: fact.integer("runs_before"), lastRun: nil, isEnded: false)
      round.lastRun =
        moment.isNothingAsked
        ? nil
        : try connection.integer(
          "SELECT max(asked_run) FROM trawl_due WHERE job = ?1 AND stream = ?2 AND asked_run >= ?3",
          feed.key + [.integer(round.run)])
      guard let last = round.lastRun else { return round }
      round.isEnded =
        try connection.integer(
          "SELECT ended_at IS NOT NULL FROM trawl_runs WHERE run = ?", [.integer(last)]) == 1
      return round
    }
  }
}
