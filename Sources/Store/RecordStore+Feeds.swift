public import Model
internal import SQLite

/// A value that a child stream is to be asked for, with what its parent carries along.
public struct DueValue: Sendable, Equatable {
  public var value: String
  public var carried: [ParameterValue]
  /// Runs in a row in which asking for it failed.
  public var failures = 0
}

extension RecordStore {
  /// Values that the child stream is due for, in the order in which the parents were stored; those
  /// that were asked for in vain come last, who waits longest first, so that a few that are refused
  /// keep no other from its turn. Those that a page or certificate named in `asked` drop out, and
  /// those that were missed in this run. Ask again until none is left: the list is derived from
  /// what is stored, so it survives a kill, and a pause goes on with the rest.
  public func due(
    _ stream: String, of job: String, run: RunID, limit: Int = 5000
  ) throws(StoreError) -> [DueValue] {
    let child = try plan(job, stream).stream
    guard let feed = child.parent else { return [] }
    if feed.stream == ParentFeed.favorites { return try dueFavorites(job, child, feed, run, limit) }
    let parent = try plan(job, feed.stream)
    guard let column = parent.table.column(feed.column) else {
      throw StoreError(
        .job, "job \(job)",
        "stream \(stream) is asked for each \(feed.stream).\(feed.column), "
          + "and \(parent.table.name) has no such column")
    }
    let round = try round(feed, parent, job, stream, run)
    return try guarded { connection in
      try prepare(feed, parent, run, connection)
      defer { probe.keys = KeySet() }
      let sql = Self.dueSQL(feed, parent, column.name)
      return try connection.rows(
        sql,
        [
          .text(job), .text(stream), .integer(round), .text(Self.staleBefore(feed, now)),
          SQLValue(limit), .integer(run.number), .text(now.description),
        ]
      ) { row in
        let carried = feed.carries.enumerated().compactMap { index, name in
          row.text(index + 1).map { ParameterValue(name, $0) }
        }
        return DueValue(
          value: row.text(0) ?? "", carried: carried,
          failures: row.int(feed.carries.count + 1))
      }
    }
  }

  /// Rows of the parent's table that the parent stream itself brought, and why they are due.
  private static func dueSQL(_ feed: ParentFeed, _ parent: StreamPlan, _ column: String) -> String {
    let value = "CAST(p.\(SQLName.quoted(column)) AS TEXT)"
    let carried = feed.carries.map {
      ", CAST(\(parent.table.column($0) == nil ? "NULL" : "p.\(SQLName.quoted($0))") AS TEXT)"
    }
    // Every parameter occurs in every variant, so that the same values can be bound to all.
    let reason =
      switch feed.when {
      case .new: "a.value IS NULL"
      case .changed: "(a.value IS NULL OR a.is_due = 1)"
      case .stale: "(a.value IS NULL OR a.is_due = 1 OR a.asked_at < ?4)"
      case .all, .run: "(a.value IS NULL OR a.run < ?3)"
      }
    var conditions = [
      "p.\(SQLName.quoted(column)) IS NOT NULL", "p.vanished_at IS NULL", reason,
      "?3 IS NOT NULL", "?4 IS NOT NULL", Self.mayBeTried,
    ]
    if feed.when == .run {
      let key = parent.table.key.map { "p.\(SQLName.quoted($0))" }
      conditions.append("trawl_seen(\(key.joined(separator: ", ")))")
    } else if let own = parent.ownCondition {
      conditions.append(own)
    }
    return "SELECT \(value)\(carried.joined()), \(failures) "
      + "FROM \(SQLName.quoted(parent.table.name)) p "
      + "LEFT JOIN trawl_asked a ON a.job = ?1 AND a.stream = ?2 AND a.value = \(value) "
      + "LEFT JOIN trawl_misses m ON m.job = ?1 AND m.stream = ?2 AND m.value = \(value) "
      + "WHERE \(conditions.joined(separator: " AND ")) GROUP BY \(value) "
      + "ORDER BY coalesce(m.run, 0), min(p.rowid) LIMIT ?5"
  }

  private static let failures = "iif(m.next_attempt_at IS NULL, coalesce(m.tries, 0), 0)"

  /// What was missed is asked once in a run, and what is not there not before its day.
  private static let mayBeTried =
    "(m.value IS NULL OR (m.run < ?6 AND (m.next_attempt_at IS NULL OR m.next_attempt_at <= ?7)))"

  private static func staleBefore(_ feed: ParentFeed, _ now: Instant) -> String {
    guard case .stale(let age) = feed.when else { return "" }
    return (now - age).description
  }

  /// For parents of a run: the keys of every walk of the parent stream on which the run went on, or
  /// which it only brought to its end. A run that was killed has asked for none of the children.
  private func prepare(
    _ feed: ParentFeed, _ parent: StreamPlan, _ run: RunID, _ connection: Connection
  ) throws(SQLiteError) {
    guard feed.when == .run else { return }
    var keys = KeySet()
    let blobs = try connection.rows(
      "WITH walked AS (SELECT unit, traversal FROM trawl_pages WHERE run = ?1 "
        + "UNION SELECT unit, traversal FROM trawl_certificates WHERE run = ?1) "
        + "SELECT keys FROM walked JOIN trawl_pages USING (unit, traversal) "
        + "WHERE unit IN (SELECT unit FROM trawl_units "
        + "JOIN trawl_lists USING (list) WHERE job = ?2 AND stream = ?3)",
      [.integer(run.number), .text(parent.job), .text(parent.stream.name)]
    ) { $0.withBytes(0) { KeyBlob.keys($0) } }
    for blob in blobs { for key in blob { _ = keys.insert(key) } }
    probe.keys = keys
  }

  /// The run in which the round that is going on began; decided once in a run. A round ends when
  /// nothing of it is due, and the next one begins in another run.
  private func round(
    _ feed: ParentFeed, _ parent: StreamPlan, _ job: String, _ stream: String, _ run: RunID
  ) throws(StoreError) -> Int64 {
    guard feed.when == .all || feed.when == .run else { return run.number }
    let name = planName(job, stream)
    if let decided = rounds[name], decided.run == run.number { return decided.round }
    let round = try currentRound(feed, parent, job, stream, run)
    rounds[name] = (run.number, round)
    return round
  }

  private func currentRound(
    _ feed: ParentFeed, _ parent: StreamPlan, _ job: String, _ stream: String, _ run: RunID
  ) throws(StoreError) -> Int64 {
    let key: [SQLValue] = [.text(job), .text(stream)]
    let known = try guarded { connection in
      try connection.integer("SELECT run FROM trawl_rounds WHERE job = ? AND stream = ?", key)
    }
    if let known {
      let rest = try guarded { connection in
        try prepare(feed, parent, run, connection)
        defer { probe.keys = KeySet() }
        let sql = Self.dueSQL(feed, parent, feed.column)
        return try connection.row(
          sql, key + [.integer(known), "", 1, .integer(known), .text(now.description)]
        ) { $0.text(0) } != nil
      }
      // What a pause left over comes first.
      let wasBrokenOff = try hasAskedSince(known, key)
      if rest && wasBrokenOff { return known }
    }
    try write { connection in
      try connection.run(
        "INSERT INTO trawl_rounds (job, stream, run) VALUES (?1, ?2, ?3) "
          + "ON CONFLICT DO UPDATE SET run = ?3",
        key + [.integer(run.number)])
    }
    return run.number
  }

  /// A round of which nothing was asked yet may as well begin anew.
  private func hasAskedSince(_ round: Int64, _ key: [SQLValue]) throws(StoreError) -> Bool {
    try guarded { connection in
      try connection.integer(
        "SELECT 1 FROM trawl_asked WHERE job = ? AND stream = ? AND run >= ? LIMIT 1",
        key + [.integer(round)]) != nil
    }
  }

  private func dueFavorites(
    _ job: String, _ child: Stream, _ feed: ParentFeed, _ run: RunID, _ limit: Int
  ) throws(StoreError) -> [DueValue] {
    let table = try plan(job, child.name).table.name
    let reason =
      switch feed.when {
      case .new, .changed: "a.value IS NULL"
      case .stale: "(a.value IS NULL OR a.asked_at < ?4)"
      case .all, .run: "(a.value IS NULL OR a.run < ?6)"
      }
    return try guarded { connection in
      try connection.rows(
        "SELECT f.record_key, \(Self.failures) FROM trawl_favorites f LEFT JOIN trawl_asked a ON a.job = ?1 "
          + "AND a.stream = ?2 AND a.value = f.record_key LEFT JOIN trawl_misses m ON m.job = ?1 "
          + "AND m.stream = ?2 AND m.value = f.record_key WHERE f.table_name = ?3 AND \(reason) "
          + "AND \(Self.mayBeTried) AND ?4 IS NOT NULL "
          + "ORDER BY coalesce(m.run, 0), f.added_at, f.record_key LIMIT ?5",
        [
          .text(job), .text(child.name), .text(table), .text(Self.staleBefore(feed, now)),
          SQLValue(limit), .integer(run.number), .text(now.description),
        ]
      ) { DueValue(value: $0.text(0) ?? "", carried: [], failures: $0.int(1)) }
    }
  }

  /// Values were asked for, whether their records came or not.
  public func markAsked(
    _ values: [String], _ stream: String, of job: String, run: RunID
  ) throws(StoreError) {
    let stamp = now.description
    try write { connection in
      try Self.mark(values, job, stream, run.number, stamp, connection)
    }
  }

  func markAsked(
    _ values: [String], _ unit: OpenUnit, _ stamp: String, _ connection: Connection
  ) throws(SQLiteError) {
    try Self.mark(values, unit.plan.job, unit.plan.stream.name, unit.run, stamp, connection)
  }

  private static func mark(
    _ values: [String], _ job: String, _ stream: String, _ run: Int64, _ stamp: String,
    _ connection: Connection
  ) throws(SQLiteError) {
    for value in values {
      try connection.run(
        "INSERT INTO trawl_asked (job, stream, value, asked_at, run) VALUES (?, ?, ?, ?, ?) "
          + "ON CONFLICT DO UPDATE SET asked_at = excluded.asked_at, run = excluded.run, "
          + "is_due = 0",
        [.text(job), .text(stream), .text(value), .text(stamp), .integer(run)])
      try connection.run(
        "DELETE FROM trawl_misses WHERE job = ? AND stream = ? AND value = ?",
        [.text(job), .text(stream), .text(value)])
    }
  }

  /// What `@stream` stands for: the distinct values of a column of the stream's records.
  public func storedValues(
    of stream: String, column: String?, in job: String
  ) throws(StoreError) -> [String] {
    let plan = try plan(job, stream)
    let name = column ?? plan.stream.offered ?? plan.stream.key[0]
    guard plan.table.column(name) != nil else {
      throw StoreError(.job, "job \(job)", "@\(stream).\(name): there is no such column")
    }
    let value = "CAST(p.\(SQLName.quoted(name)) AS TEXT)"
    let own = plan.ownCondition.map { " AND \($0)" } ?? ""
    return try guarded { connection in
      try connection.rows(
        "SELECT \(value) FROM \(SQLName.quoted(plan.table.name)) p WHERE "
          + "p.\(SQLName.quoted(name)) IS NOT NULL AND p.vanished_at IS NULL\(own) "
          + "GROUP BY \(value) ORDER BY min(p.rowid)"
      ) { $0.text(0) ?? "" }
    }
  }
}

extension StreamPlan {
  /// What tells the rows of the table `p` that this stream brought from those of others: its own
  /// digest column, or its list. Nil where the table is all its own, or nothing can tell.
  var ownCondition: String? {
    let name = stream.name
    let isShared =
      table.columns.contains { !$0.writers.isEmpty && !$0.writers.contains(name) }
      || table.columns.contains { $0.writers.count > 1 }
    guard isShared else { return nil }
    let own = table.hashes.first { hash in
      hash.columns.contains { table.column($0)?.writers == [name] }
    }
    if let own { return "p.\(own.column) IS NOT NULL" }
    guard let list else { return nil }
    let keys = zip(table.key, list.keyNames).map { key, name in
      "m.\(SQLName.quoted(name)) = p.\(SQLName.quoted(key))"
    }
    return "EXISTS (SELECT 1 FROM \(SQLName.quoted(list.table.name)) m WHERE "
      + "m.vanished_at IS NULL AND \(keys.joined(separator: " AND ")))"
  }
}
