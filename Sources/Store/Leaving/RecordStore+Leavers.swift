internal import Base

/// A record that is in no list any more may have moved to a list that was read before it arrived
/// there. So if several lists may hold the records of a table, a record counts as gone when each of
/// them was read whole twice since it left the last one: a record that moves once more in that time
/// is found.
extension RecordStore {
  /// Marks a job's records that are gone by this rule.
  /// - Parameter named: by stream, the lists that the job's own values name.
  /// - Returns: how many wait, by table.
  public func markLeavers(
    of job: String, run: RunID, named: [String: NamedLists] = [:]
  ) throws(StoreError) -> [String: Int] {
    let moment = now
    // Those of a record behind it.
    let own = plans.values.filter { $0.job == job }.map { (depth: depth(of: $0), plan: $0) }
    for (_, plan) in own.sorted(by: { $0.depth < $1.depth }) {
      try leaveLists(of: plan, named[plan.stream.name], run, at: moment)
      guard plan.stream.marksVanished else { continue }
      try leaveAnswers(of: plan, run, at: moment)
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
        probe.keys = try connection.keys(erased)
        defer { probe.keys = KeySet() }
        let records = ListedRecords(
          plan: plan, connection: connection, withErased: probe.keys.count > 0)
        let lists = try records.lists(at: moment)
        let isDecided = lists.count < 2 || lists.readTwice != nil
        let before = lists.count < 2 ? nil : lists.readTwice
        let marked =
          isDecided ? try records.mark(before: before, of: run.number, at: moment) : 0
        let count = try records.count()
        if count == 0 {
          try connection.forget(FactKey(.left, job: job, table))
          try connection.forget(erased)
        }
        if marked > 0 { try forgetAnswers(with: table) }
        return count
      }
      if count > 0 { waiting[table] = count }
    }
    return waiting
  }

  /// How many streams are above it.
  private func depth(of plan: StreamPlan) -> Int {
    var (depth, above) = (0, plan.stream.parent?.stream)
    while let name = above, depth <= plans.count {
      depth += 1
      above = plans[planName(plan.job, name)]?.stream.parent?.stream
    }
    return depth
  }

  /// Single answers to requests for a parent that has left are not requested any more either.
  private func leaveAnswers(
    of plan: StreamPlan, _ run: RunID, at moment: Instant
  ) throws(StoreError) {
    guard plan.isOnlyOwner,
      let asked = AskedRows(plan, run: run.number),
      let left = try guarded({
        try asked.leftByParents(
          areRead: { parents throws(SQLiteError) in try areReadToTheEnd(parents, of: plan.job) },
          connection)
      })
    else { return }
    try write { try leave(left, of: plan, run.number, at: moment) }
  }

  /// Marks rows of single answers as gone.
  func leave(
    _ rows: String, of plan: StreamPlan, _ run: Int64, at moment: Instant
  ) throws(SQLiteError) {
    let table = SQLName.quoted(plan.table.name)
    let count = try connection.count("SELECT count(*) FROM \(table) WHERE \(rows)")
    guard count > 0 else { return }
    connection.pendingBook.beginChange()
    try Leavers(table: plan.table, condition: rows, nested: plan.nested)
      .mark([], at: moment.description, connection)
    connection.pendingBook.count(RunCounts.Table(gone: count), of: plan.table.name, in: run)
    let left = try connection.count("SELECT count(*) FROM \(table) WHERE vanished_at IS NULL")
    try connection.set(
      Book.lists, [("rows", SQLValue(left))], where: "job = ? AND stream = ?",
      [.text(plan.job), .text(plan.stream.name)])
    try forgetAnswers(with: plan.table.name)
  }
}
