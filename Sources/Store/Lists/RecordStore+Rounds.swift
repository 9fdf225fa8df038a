internal import Base

/// A round of requests, one for each parent, may take several runs. What an earlier run has requested in it is not
/// requested again, unless that run was interrupted too long ago: a walk of that age would begin again too.
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
    var hasRunEnded: Bool
    /// Nothing of it was left: what is due since then belongs to the next round.
    var isEnded: Bool

    /// Whether this stream's rounds take more than one run, so that beginning again would never
    /// end.
    var takesLong: Bool { runsBefore.map { $0 > 1 } ?? hasRunEnded }
  }

  /// The run in which the current round began; decided once in a run. A round ends when nothing of it is due, and the
  /// next one begins in another run.
  func round(_ feed: Feed, _ moment: DueMoment) throws(StoreError) -> Int64 {
    let name = planName(feed.job, feed.child.name)
    if let decided = rounds[name], decided.run == moment.run { return decided.round }
    guard Self.hasRounds(feed) else { return moment.run }
    let (old, runsBefore) = try course(feed, moment)
    let round = old?.run ?? moment.run
    try write {
      try connection.note(
        Self.round(of: feed),
        [
          "run": .integer(round), "runs": SQLValue((old?.runs ?? 0) + 1),
          "runs_before": SQLValue(runsBefore),
        ])
    }
    rounds[name] = (moment.run, round)
    return round
  }

  /// Ends the round: nothing of it is due now.
  func endRound(_ feed: Feed) throws(StoreError) {
    guard Self.hasRounds(feed) else { return }
    try write {
      var fact = FactFields(try connection.fact(Self.round(of: feed)))
      if fact.flag("is_ended") == true { return }
      fact["is_ended"] = 1
      try connection.note(Self.round(of: feed), fact.fact)
    }
  }

  private static func round(of feed: Feed) -> FactKey {
    FactKey(.round, job: feed.job, stream: feed.child.name)
  }

  /// The run that began the round which a run at this moment would resume; nil: it would begin one.
  func openRound(_ feed: Feed, _ moment: DueMoment) throws(StoreError) -> Int64? {
    Self.hasRounds(feed) ? try course(feed, moment).resumes?.run : nil
  }

  private static func hasRounds(_ feed: Feed) -> Bool {
    feed.parent != nil && feed.rule.when == .all
  }

  /// An interrupted round with something left to request is resumed, unless its answers are too old by now. One without
  /// an answer may as well begin anew.
  /// - Returns: the round to resume; nil: begin one. And the number of runs of the one before it.
  private func course(
    _ feed: Feed, _ moment: DueMoment
  ) throws(StoreError) -> (resumes: Round?, runsBefore: Int?) {
    guard let round = try lastRound(feed, moment) else { return (nil, nil) }
    if round.isEnded { return (nil, round.runs) }
    guard round.lastRun != nil else { return (nil, round.runsBefore) }
    var then = moment
    (then.round, then.triedBefore, then.portion) = (round.run, round.run, 1)
    // A value that waited then and no longer does belongs to the next round.
    then.now = round.began?.description ?? moment.now
    if try values(feed, then).isEmpty { return (nil, round.runs) }
    let isYoung = round.began.map { now - $0 <= feed.child.tokenLife } ?? false
    // Beginning again is a trial: if that is interrupted too, one run is too short for a round.
    return isYoung || round.takesLong ? (round, round.runsBefore) : (nil, max(2, round.runs))
  }

  private func lastRound(_ feed: Feed, _ moment: DueMoment) throws(StoreError) -> Round? {
    try guarded {
      let fact = FactFields(try connection.fact(Self.round(of: feed)))
      guard let run = fact.integer("run") else { return nil }
      let last =
        moment.isAnew
        ? nil
        : try connection.integer(
          "SELECT max(asked_run) FROM trawl_due WHERE job = ?1 AND stream = ?2 AND asked_run >= ?3",
          feed.key + [SQLValue(run)])
      return Round(
        run: Int64(run),
        began: try connection.instant(
          "SELECT began_at FROM trawl_runs WHERE run = ?", [SQLValue(run)]),
        runs: fact.integer("runs") ?? 1, runsBefore: fact.integer("runs_before"), lastRun: last,
        hasRunEnded: try connection.has(
          "trawl_runs WHERE run = ? AND ended_at IS NOT NULL", [SQLValue(last)]),
        isEnded: fact.flag("is_ended") ?? false)
    }
  }
}
