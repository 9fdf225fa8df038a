public import Base

extension RecordStore {
  /// How many records one transaction deletes.
  public static let outlivedAtOnce = 500

  /// By table, records that no page, even a deleted one, has shown since their retention limit, and that were neither
  /// stored nor changed since. None if the time is unknown.
  public func outlived(
    of job: Job, by moment: Instant?
  ) throws(StoreError) -> [(table: KeyedTable, keys: [[SQLValue]], retain: Duration)] {
    guard let moment, job.isRetaining else { return [] }
    var found: [(table: KeyedTable, keys: [[SQLValue]], retain: Duration)] = []
    for table in try keyedTables() where table.job == job.name {
      guard let retain = job.retention(of: table.name) else { continue }
      let limit = moment - retain
      let log = try guarded { SeenLog(job: job.name, table: table.name, connection: connection) }
      probe.keys = try guarded { try log.keys(since: limit) }
      defer { probe.keys = KeySet() }
      let keys = try keys(
        of: table,
        where: "first_seen_at < ?1 AND ifnull(changed_at, '') < ?1 AND NOT "
          + "trawl_seen(\(TableDesign.list(table.key.map(\.name))))"
          + Self.notWaiting(in: table.name, of: job), [.text(limit.description)])
      if !keys.isEmpty { found.append((table, keys, retain)) }
      let seen = probe.keys
      try write {
        try log.sweep(before: limit)
        let rejects = try connection.rows(
          "SELECT reject, key_digest FROM trawl_rejects WHERE job = ? AND table_name = ? AND first_seen_at < ?",
          [.text(job.name), .text(table.name), .text(limit.description)]
        ) { (reject: $0.integer(0), digest: $0.bits(1)) }
        // Those that are still rejected stay.
        let outlived = rejects.filter { !seen.contains($0.digest) }
        for old in outlived {
          try connection.delete(Book.rejects, where: "reject = ?", [.integer(old.reject)])
        }
        if !outlived.isEmpty { try noteUnwiped([]) }
      }
    }
    return found
  }

  /// What answers of this run left out may still be there, until it was requested alone: it stays for a run.
  private static func notWaiting(in table: String, of job: Job) -> String {
    let name = SQLName.literal(job.name)
    return job.streams.filter { "\(job.tablePrefix)_\($0.table)" == table }.compactMap {
      stream -> String? in
      guard let column = AnsweredValues.Column(stream, of: job)?.name else { return nil }
      return " AND ifnull(CAST(\(SQLName.quoted(column)) AS TEXT), '') NOT IN "
        + "(SELECT value FROM trawl_due WHERE job = \(name) "
        + "AND stream = \(SQLName.literal(stream.name)) AND reason = 'left out' "
        + "AND next_attempt_at IS NULL "
        + "AND missed_run = (SELECT max(run) FROM trawl_runs WHERE job = \(name)))"
    }.joined()
  }
}

extension Job {
  /// Whether records of any table are kept for a limited time.
  public var isRetaining: Bool { retain != nil || streams.contains { $0.retain != nil } }

  /// How long records of a table are kept without being seen: the shortest time of its streams; the job's own if no
  /// stream fills it.
  func retention(of table: String) -> Duration? {
    let own = streams.filter { "\(tablePrefix)_\($0.table)" == table }
    return own.isEmpty ? retain : own.compactMap(\.retain).min()
  }
}
