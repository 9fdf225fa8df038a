internal import Base

/// A record that is in no list any more may have moved to a list that was read before it arrived
/// there. So if several lists may hold the records of a table, a record counts as gone when each of
/// them was read whole twice since it left the last one: a record that moves once more in that time
/// is found.
extension RecordStore {
  /// Marks a job's records that are gone by this rule.
  /// - Parameters:
  ///   - named: by stream, the lists that the job's own values name.
  ///   - accepted: how many rows the user accepts as gone, whose values no record gives any more.
  /// - Returns: how many wait, by table; and by stream, how many are not believed to be gone.
  public func markLeavers(
    of job: String, run: RunID, named: [String: NamedLists] = [:], accepting accepted: Int = 0
  ) throws(StoreError) -> (waiting: [String: Int], doubted: [String: Int]) {
    let moment = now
    var doubted: [String: Int] = [:]
    // Parents before children.
    let own = plans.values.filter { $0.job == job }.map { (depth: depth(of: $0), plan: $0) }
    for (_, plan) in own.sorted(by: { $0.depth < $1.depth }) {
      let lists = try leaveLists(
        of: plan, named[plan.stream.name], run, accepting: accepted, at: moment)
      guard plan.stream.marksVanished else { continue }
      let rows = try leaveAnswers(of: plan, run, accepting: accepted, at: moment)
      if lists + rows > 0 { doubted[plan.stream.name] = lists + rows }
    }
    var waiting: [String: Int] = [:]
    for (table, _) in try guarded({ try connection.facts(FactKey(.left, job: job)) }) {
      // The job no longer has this table, so no record can leave it.
      guard let plan = plans.values.first(where: { $0.job == job && $0.table.name == table }) else {
        continue
      }
      let count = try write {
        connection.pendingBook.beginChange()
        let erased = ListedRecords.erased(of: table, job)
        let all = try connection.keys(erased)
        // A list that was not read to its end may hold them.
        var areKnown = true
        for holder in plan.holders where areKnown && all.count > 0 {
          areKnown = try areReadToTheEnd(holder.name, of: job)
        }
        probe.keys = areKnown ? all : KeySet()
        defer { probe.keys = KeySet() }
        let records = ListedRecords(
          plan: plan, connection: connection, withErased: probe.keys.count > 0)
        let lists = try records.listsReadTwice(at: moment)
        let isDecided = lists.count < 2 || !lists.contains { $0 == nil }
        let before = lists.count < 2 ? nil : lists.compactMap(\.self).min()
        let marked =
          isDecided ? try records.mark(before: before, of: run.number, at: moment) : 0
        let count = try records.count()
        if count == 0, areKnown {
          try connection.forget(FactKey(.left, job: job, table))
          try connection.forget(erased)
        }
        if marked > 0 { try forgetAnswers(with: table) }
        return count
      }
      if count > 0 { waiting[table] = count }
    }
    return (waiting, doubted)
  }

  /// The number of streams above it.
  private func depth(of plan: StreamPlan) -> Int {
    var (depth, above) = (0, plan.stream.parent?.stream)
    while let name = above, depth <= plans.count {
      depth += 1
      above = plans[planName(plan.job, name)]?.stream.parent?.stream
    }
    return depth
  }

  /// Marks single answers whose parent has left, since they are not requested any longer. While it is unknown which
  /// parents are present, only those whose parent is marked as gone.
  /// - Returns: how many rows look gone but are too many to be believed.
  private func leaveAnswers(
    of plan: StreamPlan, _ run: RunID, accepting accepted: Int, at moment: Instant
  ) throws(StoreError) -> Int {
    guard plan.isOnlyOwner, let asked = AskedRows(plan, run: run.number) else { return 0 }
    return try write {
      guard let left = try asked.leftByParents(connection) else {
        try connection.forget(tooMany(plan))
        return 0
      }
      var (rows, doubted) = (left.marked, 0)
      if try areReadToTheEnd(left.parents, of: plan.job) {
        let count = try Leavers(table: plan.table, condition: left.unnamed).count(connection)
        if try believes(
          count, isMany: left.areMany, tooMany(plan), accepting: accepted, at: moment)
        {
          rows = "(\(left.marked) OR \(left.unnamed))"
        } else {
          doubted = count
        }
      }
      try leave(rows, of: plan, run.number, at: moment)
      return doubted
    }
  }

  /// Whether rows whose values no record gives any longer count as gone. If they are many: once it has lasted as long
  /// as for an empty list, or if a person accepts it.
  func believes(
    _ count: Int, isMany: Bool, _ key: FactKey, accepting accepted: Int, at moment: Instant
  ) throws(SQLiteError) -> Bool {
    let before = FactFields(try connection.fact(key))
    let runs = (before.integer("walks") ?? 0) + 1
    let since = before.instant("since") ?? moment
    guard isMany, count > accepted, !Emptiness.isForLong(runs, since: since, now: moment) else {
      try connection.forget(key)
      return true
    }
    try connection.note(key, ["walks": SQLValue(runs), "since": .text(since.description)])
    return false
  }

  /// Since when, and for how many runs, too many have left at once.
  func tooMany(_ plan: StreamPlan, _ subject: String = "too many") -> FactKey {
    FactKey(.absent, job: plan.job, stream: plan.stream.name, subject)
  }

  /// Marks rows of single answers as gone.
  func leave(
    _ rows: String, of plan: StreamPlan, _ run: Int64, at moment: Instant
  ) throws(SQLiteError) {
    let leavers = Leavers(table: plan.table, condition: rows, nested: plan.nested)
    let count = try leavers.count(connection)
    guard count > 0 else { return }
    connection.pendingBook.beginChange()
    try leavers.mark([], at: moment.description, connection)
    connection.pendingBook.count(RunCounts.Table(gone: count), of: plan.table.name, in: run)
    try ListPlace.recount(ofRecords: plan.table.name, connection)
    try forgetAnswers(with: plan.table.name)
  }
}
