/// A record that is in no list any more may have moved to a list that was read before it arrived
/// there. So if several lists may hold the records of a table, a record counts as gone when each of
/// them was read whole twice since it left the last one: a record that moves once more in that time
/// is found.
extension RecordStore {
  /// Marks a job's records that are gone by this rule.
  /// - Returns: how many wait, by table.
  public func markLeavers(of job: String, run: RunID) throws(StoreError) -> [String: Int] {
    let moment = now
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
}
