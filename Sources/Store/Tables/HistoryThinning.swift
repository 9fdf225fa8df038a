public import Base

/// Takes the values out of one column's history that are older than the job keeps in full, but for the
/// last of each day: part by part, each in a transaction of its own. What is thinned is written down
/// before the first of them goes, and a kill leaves a rest for the next run.
struct HistoryThinning {
  /// The rows.
  let table: TableDesign
  let number: Int64
  /// The first instant of a day: what is older may go.
  let limit: Instant

  private static let day: Int64 = 86_400
  /// So many rows are looked at in one transaction.
  private static let partRows = 20_000

  private var name: String { SQLName.quoted(table.name) }
  private var key: [String] { HistoryDesign.recordKey(table.key).map { SQLName.quoted($0) } }
  private var own: [SQLValue] { [.text(table.name), .integer(number)] }

  /// The beginning of the day that lies so far back.
  static func limit(_ full: Duration, before now: Instant) -> Instant {
    let seconds = (now - full).seconds
    return Instant(seconds: seconds - ((seconds % day) + day) % day)
  }

  /// From which instant on there may be something to take out; nil: nothing is due.
  func from(_ connection: Connection) throws(SQLiteError) -> Instant? {
    let known = try connection.row(
      "SELECT done_to FROM trawl_thinned WHERE table_name = ? AND column_number = ?", own
    ) { $0.text(0).flatMap { Instant(stored: $0) } }
    let from = (known ?? nil) ?? Instant(seconds: 0)
    return from < limit ? from : nil
  }

  func begin(_ connection: Connection) throws(SQLiteError) {
    try connection.run(
      "INSERT INTO trawl_thinned (table_name, column_number, thinned_to, removed) "
        + "VALUES (?1, ?2, ?3, 0) ON CONFLICT DO UPDATE SET thinned_to = excluded.thinned_to",
      own + [.text(limit.description)])
  }

  func end(_ connection: Connection) throws(SQLiteError) {
    try connection.run(
      "UPDATE trawl_thinned SET done_to = ?3 WHERE table_name = ?1 AND column_number = ?2",
      own + [.text(limit.description)])
  }

  /// One part of the records, in the order of their keys.
  /// - Parameter after: the key of the last record of the part before.
  /// - Returns: how many values went, and the key of its last record; nil: it was the last part.
  func thin(
    after: [SQLValue]?, from: Instant, _ connection: Connection
  ) throws(SQLiteError) -> (removed: Int, last: [SQLValue]?) {
    let names = key.joined(separator: ", ")
    func holes(_ first: Int) -> String {
      "(\(key.indices.map { "?\(first + $0)" }.joined(separator: ", ")))"
    }
    let above = after == nil ? "" : "(\(names)) > \(holes(1))"
    let last = try connection.row(
      "SELECT \(names) FROM \(name) \(above.isEmpty ? "" : "WHERE \(above)") "
        // cut: the next part begins behind it
        + "ORDER BY \(names) LIMIT 1 OFFSET \(Self.partRows)", after ?? []
    ) { row in key.indices.map { row.value($0) } }
    let same = key.map { "n.\($0) = \(name).\($0)" }.joined(separator: " AND ")
    let later =
      "SELECT 1 FROM \(name) n WHERE \(same) AND n.trawl_column = \(number) "
      + "AND n.at > \(name).at AND n.at < (\(name).at / \(Self.day) + 1) * \(Self.day)"
    let sound = table.sealSQL { "\(name).\(SQLName.quoted($0))" }
    var conditions: [String] = [
      "trawl_column = \(number)", "at >= \(from.seconds)", "at < \(limit.seconds)",
      // What was damaged stays, and is told by every proof.
      "\(name).\(TableDesign.seal) IS \(sound)", "EXISTS (\(later))",
    ]
    if !above.isEmpty { conditions.append(above) }
    if last != nil {
      conditions.append("(\(names)) <= \(holes((after?.count ?? 0) + 1))")
    }
    try connection.run(
      "DELETE FROM \(name) WHERE \(conditions.joined(separator: " AND "))",
      (after ?? []) + (last ?? []))
    let removed = connection.changedRows
    if removed > 0 {
      try connection.run(
        "UPDATE trawl_thinned SET removed = removed + ?3 WHERE table_name = ?1 AND column_number = ?2",
        own + [SQLValue(removed)])
    }
    return (removed, last)
  }
}

extension JobDesign {
  /// What its streams let thin: of what several streams say of a column the longest holds.
  var keepings: [(table: TableDesign, column: String, full: Duration)] {
    var found: [(table: TableDesign, column: String, full: Duration)] = []
    for rows in tables where rows.kind == .history {
      let records = String(rows.name.dropLast(HistoryDesign.rowsEnd.count))
      let streams = job.streams.filter { fullName($0.table) == records }
      for column in volatileColumns(of: records) {
        let filling = streams.filter { $0.column(column)?.isVolatile == true }
        let said = filling.compactMap(\.history).filter { $0.columns.contains(column) }.map(\.full)
        // One that says nothing keeps all.
        guard said.count == filling.count, let full = said.max() else { continue }
        found.append((table: rows, column: column, full: full))
      }
    }
    return found
  }
}

extension RecordStore {
  /// Takes out of the histories what the job does not keep. Gives how many values went.
  /// - Parameter isStopped: asked between two parts; the next run goes on.
  public func thinHistories(
    of job: String, isStopped: @Sendable () -> Bool = { false }
  ) throws(StoreError) -> Int {
    let moment = now
    var removed = 0
    for (table, column, full) in try design(of: job).keepings {
      let number = try guarded { connection in
        try connection.integer(
          "SELECT column_number FROM trawl_history_columns WHERE table_name = ? AND column_name = ?",
          [.text(table.name), .text(column)])
      }
      guard let number else { continue }
      let thinning = HistoryThinning(
        table: table, number: number, limit: HistoryThinning.limit(full, before: moment))
      guard let from = try guarded({ try thinning.from($0) }) else { continue }
      try write { try thinning.begin($0) }
      var after: [SQLValue]?
      repeat {
        if isStopped() { return removed }
        let part = try write { try thinning.thin(after: after, from: from, $0) }
        removed += part.removed
        after = part.last
      } while after != nil
      try write { try thinning.end($0) }
    }
    return removed
  }

  /// Large histories, and what would go if values older than 30 days were thinned to one a day.
  /// - Parameter file: histories that it lets thin are left out.
  public func thinnable(
    of job: String, _ file: Job?, now: Instant
  ) throws(StoreError) -> [ThinnableHistory] {
    let limit = HistoryThinning.limit(ThinnableHistory.age, before: now)
    var declared: Set<String> = []
    if let file {
      for keeping in try JobDesign(file).keepings { declared.insert(keeping.table.name) }
    }
    let known = declared
    return try guarded { connection in
      let large = try connection.rows(
        "SELECT t.table_name, t.key_columns, c.rows FROM trawl_tables t JOIN trawl_row_counts c "
          + "USING (table_name) WHERE t.job = ? AND t.kind = 'history' AND c.rows >= ? ORDER BY 1",
        [.text(job), SQLValue(Self.largeHistory)]
      ) {
        (
          name: $0.text(0) ?? "", key: OldTable.names($0.text(1) ?? "[]"), rows: $0.int(2)
        )
      }
      return try large.filter { !known.contains($0.name) }.compactMap {
        (name, key, rows) -> ThinnableHistory? in
        let own = HistoryDesign.recordKey(key).map { SQLName.quoted($0) }
        let list = (own + [HistoryDesign.number]).joined(separator: ", ")
        let length = own.map { "ifnull(length(\($0)), 0)" }.joined(separator: " + ")
        let sums = try connection.row(
          "SELECT count(*), ifnull(sum(bytes), 0) FROM (SELECT at / 86400 AS day, \(length) + 24 AS bytes, "
            + "lead(at) OVER (PARTITION BY \(list) ORDER BY at) / 86400 AS next "
            + "FROM \(SQLName.quoted(name)) WHERE at >= 0 AND at < ?) WHERE day = next",
          [.integer(limit.seconds)]
        ) { ($0.int(0), $0.int(1)) }
        guard let sums, sums.0 > 0 else { return nil }
        return ThinnableHistory(
          name: HistoryDesign.view(ofRows: name), values: rows, removable: sums.0, bytes: sums.1)
      }
    }
  }

  /// From so many values on `status` looks.
  private static let largeHistory = 100_000
}
