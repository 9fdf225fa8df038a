public import Base

extension RecordStore {
  /// What is new, changed or gone since an instant, table by table; tables without any of it are left
  /// out. It is known of jobs whose file is gone, too.
  /// - Parameters:
  ///   - file: what lists with two ends lead to; without it their rows are shown by their keys.
  ///   - tables: only these; nil: all of the job.
  ///   - most: records of each kind in each table. The counts are whole.
  ///   - withMoving: also records of which only volatile columns have other values.
  public func changes(
    of job: String, _ file: Job? = nil, since: Instant, in tables: Set<String>? = nil, most: Int,
    withMoving: Bool
  ) throws(StoreError) -> [TableChanges] {
    let links = try file.map { file throws(StoreError) in try JobDesign(file).links } ?? []
    return try guarded { connection in
      try connection.snapshot {
        try ChangedTable.all(of: job, links, connection)
          .filter { tables?.contains($0.name) ?? true }
          .map { table in
            // What this run has not touched is as it was when the run began.
            let isOfRun = notedSince.map { since >= $0 } ?? false
            var touched = isOfRun ? table.touched(connection) : nil
            // Of those that are only counted it is not known when they came.
            if touched?.all == nil, since.seconds != notedSince?.seconds { touched = nil }
            return try table.changes(since.description, most, withMoving, touched, connection)
          }
          .filter { !$0.isEmpty }
      }
    }
  }

  /// Of each list what runs since an instant, at most two days ago, have found new, changed and gone.
  public func changeCounts(since: Instant) throws(StoreError) -> [ChangeCount] {
    try guarded { connection in
      try connection.rows(
        "SELECT l.job, l.list, sum(new), sum(changed), sum(vanished) "
          + "FROM trawl_tallies JOIN trawl_lists l USING (list_number) WHERE minute >= ? "
          + "GROUP BY l.list_number ORDER BY max(minute) DESC, l.list_number",
        [.text(Tally.minute(since.description))]
      ) {
        ChangeCount(
          job: $0.text(0) ?? "", list: $0.text(1) ?? "", new: $0.int(2), changed: $0.int(3),
          gone: $0.int(4))
      }
    }
  }

  /// Whether an earlier run of the job may have written in the second in which this one began. Rows tell
  /// whole seconds: which of the two brought them nobody knows.
  public func isSecondShared(_ run: RunID) throws(StoreError) -> Bool {
    try guarded { connection in
      try connection.integer(
        "SELECT max(ifnull(r.ended_at, r.began_at)) >= b.began_at "
          + "FROM trawl_runs b JOIN trawl_runs r ON r.job = b.job AND r.run < b.run "
          + "WHERE b.run = ?", [.integer(run.number)]) == 1
    }
  }

  /// The lists that a job's records are in.
  public func listTables(of job: String) throws(StoreError) -> [String] {
    try guarded { connection in
      try connection.rows(
        "SELECT table_name FROM trawl_tables WHERE job = ? AND kind = 'list'", [.text(job)]
      ) { $0.text(0) ?? "" }
    }
  }
}

/// How much came, changed and went in a list.
public struct ChangeCount: Sendable, Equatable {
  public var job: String
  public var list: String
  public var new: Int
  public var changed: Int
  public var gone: Int
}
