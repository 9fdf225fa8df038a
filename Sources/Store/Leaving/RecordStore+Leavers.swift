internal import Base

/// A record that is in no list any more may have moved to a list that was read before it arrived
/// there. So if several lists may hold the records of a table, a record counts as gone when each of
/// them was read whole twice since it left the last one: a record that moves once more in that time
/// is found.
extension RecordStore {
  /// Marks a job's records that are gone by this rule.
  /// - Returns: how many wait, by table.
  public func markLeavers(of job: String, run: RunID) throws(StoreError) -> [String: Int] {
    let moment = now
    for plan in plans.values where plan.job == job && plan.stream.marksVanished {
      try leaveLists(of: plan, at: moment)
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
        let records = ListedRecords(plan: plan, connection: connection)
        let lists = try records.lists(at: moment)
        let isDecided = lists.count < 2 || lists.readTwice != nil
        let before = lists.count < 2 ? nil : lists.readTwice
        let marked =
          isDecided ? try records.mark(before: before, of: run.number, at: moment) : 0
        let count = try records.count()
        if count == 0 { try connection.forget(FactKey(.left, job: job, table)) }
        if marked > 0 { try forgetAnswers(with: table) }
        return count
      }
      if count > 0 { waiting[table] = count }
    }
    return waiting
  }

  /// Single answers to requests for a parent that has left are not requested any more either.
  private func leaveAnswers(
    of plan: StreamPlan, _ run: RunID, at moment: Instant
  ) throws(StoreError) {
    let stamp = moment.description
    guard plan.isOnlyOwner,
      let asked = AskedRows(plan, run: run.number),
      let left = try guarded({ try asked.leftByParents(connection) })
    else { return }
    let table = SQLName.quoted(plan.table.name)
    let count = try guarded { try connection.count("SELECT count(*) FROM \(table) WHERE \(left)") }
    guard count > 0 else { return }
    try write {
      connection.pendingBook.beginChange()
      try Leavers(table: plan.table, condition: left, nested: plan.nested)
        .mark([], at: stamp, connection)
      connection.pendingBook.count(
        RunCounts.Table(gone: count), of: plan.table.name, in: run.number)
      try forgetAnswers(with: plan.table.name)
    }
  }

  /// A list whose parent has left is not requested any more: its records are in it no longer, as
  /// long as the parent does not come back.
  private func leaveLists(of plan: StreamPlan, at moment: Instant) throws(StoreError) {
    guard !plan.stream.isAskedInBatches, let list = plan.list,
      plan.otherLists.count(where: { $0.table == list.table.name }) == 1,
      let feed = try Feed(plan.stream.name, design(of: plan.job)),
      let living = feed.living, let left = feed.left,
      let column = plan.stream.membership?.columns.first(where: {
        $0.source == .parameter(feed.rule.hole) && $0.expression == nil
      })
    else { return }
    let value = "CAST(l.list_where ->> ?3 AS TEXT)"
    let lists = try guarded {
      try connection.rows(
        "SELECT l.list_number, \(ListPlace.columns) FROM trawl_lists l WHERE l.job = ?1 "
          + "AND l.stream = ?2 AND l.rows > 0 AND \(value) IN (\(left)) "
          + "AND \(value) NOT IN (\(living))", feed.key + [.text(column.name)]
      ) { (number: Int64, place: ListPlace) in (number, place) }
    }
    guard !lists.isEmpty else { return }
    try write {
      connection.pendingBook.beginChange()
      for (number, place) in lists {
        let own = place.condition(SQLName.quoted(place.table))
        try Leavers(table: list.table, condition: "vanished_at IS NULL AND \(own)")
          .mark([], at: moment.description, connection)
        try connection.set(
          Book.lists, [("rows", .integer(0))], where: "list_number = ?", [.integer(number)])
        let last = try connection.integer(
          "SELECT max(certificate) FROM trawl_certificates JOIN trawl_windows USING (window) "
            + "WHERE list_number = ?", [.integer(number)])
        try connection.note(
          ListedRecords.parentLeft(number, plan), .integer(last ?? 0))
        try forgetAnswers(with: plan.table.name, validatorsOf: number)
      }
      try connection.note(FactKey(.left, job: plan.job, plan.table.name), .integer(1))
    }
  }
}
