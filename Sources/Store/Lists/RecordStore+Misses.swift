public import Base

/// Values that an answer left out.
public struct LeftOut: Sendable, Equatable {
  /// For the first time, or by a doubtful answer: the next run requests them again.
  public var waiting = 0
  /// In several runs, also when requested alone: they do not exist.
  public var gone = 0
  /// As in an earlier run, but never when requested alone, which this run does next.
  public var again: Set<ExactText> = []
  /// Most of the records that came are of other values.
  public var isOfOthers = false
  /// None of these is requested before this.
  public var nextAttempt: Instant?

  public var count: Int { waiting + gone + again.count }
}

extension RecordStore {
  /// Marks values that were requested in vain: they stay due.
  /// - Parameters:
  ///   - isAbsent: they do not exist, and are requested again after 1, 2, 4 … 30 days.
  ///   - until: when an absent one is requested again, if already known.
  /// - Returns: how many of them were not missing before; none is requested before `nextAttempt`, nil: in the next run.
  @discardableResult
  public func markMissed(
    _ values: [String], _ stream: String, of job: String, run: RunID, isAbsent: Bool,
    until: Instant? = nil
  ) throws(StoreError) -> (new: Int, nextAttempt: Instant?) {
    let stamp = now
    return try write {
      try miss(values, stream, job, run.number, at: stamp, isAbsent: isAbsent, until: until)
    }
  }

  /// The same within a transaction.
  @discardableResult
  func miss(
    _ values: [String], _ stream: String, _ job: String, _ run: Int64, at stamp: Instant,
    isAbsent: Bool = false, until: Instant? = nil
  ) throws(SQLiteError) -> (new: Int, nextAttempt: Instant?) {
    var misses: (new: Int, nextAttempt: Instant?) = (0, nil)
    for value in values {
      let key: [SQLValue] = [.text(job), .text(stream), .text(value)]
      let before = try connection.row(
        "SELECT missed_run, tries, reason = 'absent' AND next_attempt_at IS NOT NULL, missed_at "
          + "FROM trawl_due WHERE job = ? AND stream = ? AND value = ? AND missed_run IS NOT NULL",
        key
      ) { (run: $0.int(0), tries: $0.int(1), isAbsent: $0.boolean(2), since: $0.text(3)) }
      var tries = 1
      let isSame = before?.isAbsent == isAbsent
      if let before, isSame {
        // A second request in one run is not another try.
        tries = before.tries + (Int64(before.run) < run ? 1 : 0)
      }
      if !isSame { misses.new += 1 }
      misses.nextAttempt = isAbsent ? until ?? stamp + RetryTimes.absent(after: tries) : nil
      try save(
        key, reason: isAbsent ? "absent" : "failed", tries, run,
        since: isSame ? before?.since : nil, at: stamp, until: misses.nextAttempt)
    }
    return misses
  }

  private func save(
    _ key: [SQLValue], reason: String, _ tries: Int, _ run: Int64, since: String? = nil,
    at stamp: Instant, until: Instant?
  ) throws(SQLiteError) {
    try connection.put(
      Book.due,
      [
        ("job", key[0]), ("stream", key[1]), ("value", key[2]),
        ("missed_at", .text(since ?? stamp.description)), ("missed_run", .integer(run)),
        ("reason", .text(reason)), ("tries", SQLValue(tries)),
        ("next_attempt_at", SQLValue(until?.description)),
      ])
  }

  /// Values that an answer left out stay due: once may be an error of the API, so the next run
  /// requests them again; then after 1, 2, 4 … 30 days. An answer to several may be cut short: what
  /// it leaves out is believed only once an answer to a request for it alone has left it out, too.
  /// - Parameter isDoubtful: the answer itself says that it lacks something, so it counts as the
  ///   first.
  /// - Parameter isAll: nothing else came: as with an empty list, that is believed only after a long time.
  func markLeftOut(
    _ values: [String], _ unit: OpenUnit, at stamp: Instant, isDoubtful: Bool, isAll: Bool,
    isAlone: Bool
  ) throws(SQLiteError) -> LeftOut {
    var leftOut = LeftOut()
    for value in values {
      let key: [SQLValue] = [.text(unit.plan.job), .text(unit.plan.stream.name), .text(value)]
      let before = try connection.row(
        "SELECT missed_run, tries, missed_at, next_attempt_at IS NOT NULL FROM trawl_due "
          + "WHERE job = ? AND stream = ? AND value = ? "
          + "AND reason IN ('left out'\(isAll ? "" : ", 'absent'"))", key
      ) { (run: $0.integer(0), tries: $0.int(1), since: $0.text(2), isBelieved: $0.boolean(3)) }
      let tries = isDoubtful ? 1 : before.map { $0.tries + ($0.run < unit.run ? 1 : 0) } ?? 1
      let since = tries > 1 ? before?.since : nil
      let isBelieved =
        isAll
        ? Emptiness.isForLong(tries, since: since.flatMap { Instant(stored: $0) }, now: stamp)
        : tries > 1 && (isAlone || before?.isBelieved == true)
      let until = isBelieved ? stamp + RetryTimes.absent(after: tries - 1) : nil
      try save(key, reason: "left out", tries, unit.run, since: since, at: stamp, until: until)
      if isBelieved {
        leftOut.gone += 1
      } else if tries > 1, !isAlone {
        leftOut.again.insert(ExactText(value))
      } else {
        leftOut.waiting += 1
      }
      leftOut.nextAttempt = [until, leftOut.nextAttempt].compactMap { $0 }.min()
    }
    return leftOut
  }

  /// If the request has changed, all is due again: earlier answers do not count, and what did not exist may exist.
  /// - Parameter request: a digest of all that is requested for each value.
  public func noteRequest(
    _ stream: String, of job: String, _ request: UInt64, run: RunID
  ) throws(StoreError) {
    let (key, now) = (FactKey(.request, job: job, stream: stream), SQLValue(bits: request))
    guard let last = try guarded({ try connection.fact(key) }) else {
      return try write { try connection.note(key, now) }
    }
    if last == now { return }
    let stamp = self.now.description
    try write {
      // When they were requested stays known: the oldest come first.
      try connection.update(
        Book.due,
        [
          ("changed_run", "\(run.number)"),
          ("next_attempt_at", "iif(next_attempt_at IS NULL OR reason = 'left out', NULL, ?3)"),
        ], where: "job = ?1 AND stream = ?2", [.text(job), .text(stream), .text(stamp)])
      try connection.note(key, now)
    }
  }

  /// Whether all that was requested so far was requested by a different request than this one.
  func isOfAnotherRequest(_ feed: Feed, _ request: UInt64) throws(StoreError) -> Bool {
    let key = FactKey(.request, job: feed.job, stream: feed.child.name)
    return try guarded { try connection.fact(key) }.map { $0 != SQLValue(bits: request) } ?? false
  }

  /// When the first of the stream's absent values is requested again.
  public func nextAttempt(_ stream: String, of job: String) throws(StoreError) -> Instant? {
    try guarded {
      try connection.instant(
        "SELECT min(next_attempt_at) FROM trawl_due WHERE job = ? AND stream = ?",
        [.text(job), .text(stream)])
    }
  }
}
