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
    for plan in plans.values where plan.job == job {
      try leaveLists(of: plan, run, at: moment)
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

  /// A list whose parent has left is not requested any more, as long as the parent does not come back,
  /// and its records are in it no longer.
  private func leaveLists(
    of plan: StreamPlan, _ run: RunID, at moment: Instant
  ) throws(StoreError) {
    guard !plan.stream.isAskedInBatches,
      let feed = try Feed(plan.stream.name, design(of: plan.job)),
      let living = feed.living, let left = feed.left
    else { return }
    let lists = try guarded {
      let gone = Set(try connection.rows("\(left) EXCEPT \(living)") { $0.text(0) ?? "" })
      return gone.isEmpty
        ? []
        : try connection.rows(
          "SELECT l.list_number, l.parameters, (SELECT max(certificate) FROM trawl_windows w JOIN "
            + "trawl_certificates USING (window) WHERE w.list_number = l.list_number) "
            + "FROM trawl_lists l WHERE l.job = ?1 AND l.stream = ?2 "
            + "AND l.list_number NOT IN (SELECT list_number FROM (\(Book.orphans)))", feed.key
        ) { (number: $0.integer(0), values: Self.values($0.text(1) ?? ""), last: $0.int(2)) }
        .filter { list in
          list.values.contains { $0.name == feed.rule.hole && gone.contains($0.value) }
        }
    }
    let rows = plan.stream.marksVanished ? rowsLeft(of: plan, feed) : nil
    let count = try guarded { try rows?.count(connection) ?? 0 }
    guard !lists.isEmpty || count > 0 else { return }
    try write {
      connection.pendingBook.beginChange()
      for list in lists {
        try connection.note(
          FactKey(.absent, job: plan.job, stream: feed.child.name, list: list.number, "parent"),
          SQLValue(list.last))
        try forgetAnswers(with: plan.table.name, validatorsOf: list.number)
        guard rows != nil else { continue }
        try connection.set(
          Book.lists, [("rows", .integer(0))], where: "list_number = ?", [.integer(list.number)])
      }
      guard let rows, count > 0 else { return }
      try rows.mark([], at: moment.description, connection)
      if plan.list != nil {
        return try connection.note(FactKey(.left, job: plan.job, plan.table.name), .integer(1))
      }
      connection.pendingBook.count(
        RunCounts.Table(gone: count), of: plan.table.name, in: run.number)
    }
  }

  /// Those whose parent has left, by themselves: a list that was never read to its end, or that was reset, has
  /// some too. Nil: they do not say whose list they are of, or not of which stream.
  private func rowsLeft(of plan: StreamPlan, _ feed: Feed) -> Leavers? {
    let columns = plan.list == nil ? plan.stream.columns : plan.stream.membership?.columns
    guard let living = feed.living, let left = feed.left,
      let column = columns?.first(where: {
        $0.source == .parameter(feed.rule.hole) && $0.expression == nil
      }), plan.list != nil || plan.isOnlyOwner && plan.table.key.contains(column.name)
    else { return nil }
    let table = plan.list?.table ?? plan.table
    let own = plan.list?.own([]) ?? []
    let others = plans.values.compactMap { $0 === plan ? nil : $0.list }.filter {
      $0.table.name == table.name
    }
    let areApart = others.allSatisfy { other in
      let values = other.own([])
      return own.contains { one in
        one.value != .null
          && values.contains { $0.name == one.name && ![.null, one.value].contains($0.value) }
      }
    }
    guard areApart else { return nil }
    let name = SQLName.quoted(column.name)
    // The first condition finds them by the index of the key.
    let conditions =
      ["vanished_at IS NULL", "\(name) IN (\(left))"]
      + ["CAST(\(name) AS TEXT) IN (\(left))", "CAST(\(name) AS TEXT) NOT IN (\(living))"]
      + own.filter { $0.value != .null }.map {
        "\(SQLName.quoted($0.name)) IS \(ListPlace.literal($0.value))"
      }
    return Leavers(
      table: table, condition: conditions.joined(separator: " AND "),
      nested: plan.list == nil ? plan.nested : [])
  }
}
