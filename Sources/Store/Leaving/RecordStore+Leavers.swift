/// A record that is in no list any more may be in one that was read before it came there. So where several
/// lists may hold the records of a table, one counts as gone when each of them was read whole twice since it
/// left its last one: one that moves once more in that time is found.
extension RecordStore {
  /// Marks those of a job of which that is so now.
  /// - Returns: how many wait, by table.
  public func markLeavers(of job: String, run: RunID) throws(StoreError) -> [String: Int] {
    let moment = now
    var waiting: [String: Int] = [:]
    for (table, _) in try guarded({ try connection.facts(FactKey(.left, job: job)) }) {
      // A table that the job has no more has nobody who could leave it.
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
