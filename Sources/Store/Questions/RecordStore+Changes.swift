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
        for run in runs {
          for (table, counts) in run.counts.tables { start.counts.add(counts, of: table) }
        }
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

  /// What runs that ended since an instant, or have not ended, have changed, table by table.
  public func changeCounts(since: Instant) throws(StoreError) -> [ChangeCount] {
    try guarded {
      let runs = try connection.rows(
        "SELECT job, counts FROM trawl_runs WHERE counts IS NOT NULL AND ifnull(ended_at, began_at) >= ? "
          + "ORDER BY run DESC", [.text(since.description)]
      ) { (job: $0.text(0) ?? "", counts: RunCounts($0.text(1))) }
      var sums: [ChangeCount] = []
      for (job, counts) in runs {
        for (table, own) in counts.tables.sorted(by: { $0.key < $1.key }) {
          let place = sums.firstIndex { $0.table == table } ?? sums.endIndex
          if place == sums.endIndex { sums.append(ChangeCount(job: job, table: table)) }
          sums[place].new += own.new
          sums[place].changed += own.changed
          sums[place].gone += own.gone
          sums[place].back += own.back
        }
      }
      return sums
    }
  }
}

/// How many records came, changed, went and came back in a table.
public struct ChangeCount: Sendable, Equatable {
  public var job: String
  public var table: String
  public var new = 0
  public var changed = 0
  public var gone = 0
  public var back = 0
}
