public import Base

extension RecordStore {
  /// What is new, changed, gone or back since an instant, table by table; tables without news are left out.
  /// Works for jobs without a file, too.
  /// - Parameters:
  ///   - file: says which records lists name; without it their rows are shown by their keys.
  ///   - run: only changes since this run began, by its change numbers.
  ///   - withLists: nil: all tables of the job; else those that the runs have counted, with or without lists.
  ///   - most: records of each kind in each table. The counts are complete.
  ///   - withMoving: also records of which only volatile columns have changed.
  public func changes(
    of job: String, _ file: Job? = nil, since: Instant, run: RunID? = nil,
    withLists: Bool? = nil, most: Int, withMoving: Bool
  ) throws(StoreError) -> [TableChanges] {
    let links = try file.map { file throws(StoreError) in try JobDesign(file).links } ?? [:]
    return try snapshot {
      var start = ChangedTable.Start(instant: since)
      if let run {
        let runs = try connection.rows(
          "SELECT first_change, counts FROM trawl_runs WHERE job = ? AND run >= ? "
            + "AND first_change IS NOT NULL ORDER BY run", [.text(job), .integer(run.number)]
        ) { (first: $0.integer(0), counts: RunCounts($0.text(1))) }
        guard let first = runs.first else { return [] }
        start.change = first.first
        // A run that makes or rebuilds a table does so in its first second, before it counts.
        let began = since.milliseconds / 1000
        start.rebuilt = Set(try generations(of: job).filter { $0.value / 1000 > began }.keys)
        for run in runs { start.counts.add(run.counts) }
      }
      return try ChangedTable.all(of: job, links, connection)
        .filter { table in
          withLists.map { start.counts.tables[table.table.name] != nil || $0 && table.isList }
            ?? true
        }
        .map { try $0.changes(start, most, withMoving) }
        .filter { !$0.isEmpty }
    }
  }

  /// By job, what runs that ended since an instant, or have not ended, have changed.
  public func changeCounts(since: Instant) throws(StoreError) -> [String: RunCounts] {
    try guarded {
      let runs = try connection.rows(
        "SELECT job, counts FROM trawl_runs WHERE counts IS NOT NULL "
          + "AND ifnull(ended_at, began_at) >= ?", [.text(since.description)]
      ) { (job: $0.text(0) ?? "", counts: RunCounts($0.text(1))) }
      var sums: [String: RunCounts] = [:]
      for (job, counts) in runs { sums[job, default: RunCounts()].add(counts) }
      return sums
    }
  }
}
