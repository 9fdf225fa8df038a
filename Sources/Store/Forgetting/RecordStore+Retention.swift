public import Base

/// Records of a table that have not been seen for as long as its job may keep them.
public struct OutlivedRecords: Sendable {
  public var table: KeyedTable
  public var keys: [[SQLValue]]
  public var retain: Duration
}

extension RecordStore {
  /// The number that one transaction deletes.
  public static let outlivedAtOnce = 500

  /// By table: records that no page, stored or deleted, has shown since then, and that were neither
  /// stored nor changed since. None if the time is not known.
  public func outlived(
    of job: Job, by moment: Instant?
  ) throws(StoreError) -> [OutlivedRecords] {
    guard let moment, job.streams.contains(where: { $0.retain != nil }) else { return [] }
    var found: [OutlivedRecords] = []
    for table in try keyedTables() where table.job == job.name {
      guard let retain = job.retention(of: table.name) else { continue }
      let limit = moment - retain
      let log = try guarded { SeenLog(job: job.name, table: table.name, connection: connection) }
      probe.keys = try guarded { try log.keys(since: limit) }
      defer { probe.keys = KeySet() }
      let keys = try keys(
        of: table,
        where: "first_seen_at < ?1 AND ifnull(changed_at, '') < ?1 AND NOT "
          + "trawl_seen(\(TableDesign.list(table.key.map(\.name))))", [.text(limit.description)])
      if !keys.isEmpty { found.append(OutlivedRecords(table: table, keys: keys, retain: retain)) }
      try write { try log.sweep(before: limit) }
    }
    return found
  }
}

extension Job {
  /// How long records of a table are kept without being seen: the shortest time that a stream of it
  /// allows.
  func retention(of table: String) -> Duration? {
    streams.filter { "\(tablePrefix)_\($0.table)" == table }.compactMap(\.retain).min()
  }
}
