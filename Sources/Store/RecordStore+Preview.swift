public import Model
internal import SQLite

/// Where a unit stands, for a plan that is only shown.
public struct WalkOverview: Sendable, Equatable {
  /// The last page of a walk that stands in the middle.
  public var openAfterPage: Int?
  /// Pages of the last walk that came to an end.
  public var lastPages: Int?
}

/// Questions about a job whose tables need not be there, and are not made.
extension RecordStore {
  public func previewWalk(_ unit: Unit, of job: String) throws(StoreError) -> WalkOverview {
    let key: [SQLValue] = [
      .text(job), .text(unit.stream), .text(unit.parameterText),
      .text(unit.window?.from.description ?? ""), .text(unit.window?.to.description ?? ""),
    ]
    let unit =
      "FROM trawl_units u JOIN trawl_lists l USING (list) WHERE l.job = ? AND l.stream = ? "
      + "AND l.parameters = ? AND u.window_from = ? AND u.window_to = ?"
    return try guarded { connection in
      WalkOverview(
        openAfterPage: try connection.row(
          "SELECT (SELECT max(ordinal) FROM trawl_pages p WHERE p.unit = u.unit "
            + "AND p.traversal = u.traversal) \(unit) AND u.is_open = 1", key
        ) { $0.optionalInt(0) } ?? nil,
        lastPages: try connection.row(
          "SELECT (SELECT c.pages FROM trawl_certificates c WHERE c.unit = u.unit AND c.verdict "
            + "NOT IN ('paused', 'failed') ORDER BY c.certificate DESC LIMIT 1) \(unit)", key
        ) { $0.optionalInt(0) } ?? nil)
    }
  }

  /// What `@stream` would stand for; nothing where there is no such table or column yet.
  public func previewValues(
    table: String, column: String, limit: Int = 10_000
  ) throws(StoreError) -> [String] {
    try guarded { connection in
      guard try has(table, column, connection) else { return [] }
      let name = SQLName.quoted(column)
      return try connection.rows(
        "SELECT DISTINCT CAST(\(name) AS TEXT) FROM \(SQLName.quoted(table)) "
          + "WHERE \(name) IS NOT NULL LIMIT ?", [SQLValue(limit)]
      ) { $0.text(0) ?? "" }
    }
  }

  /// How many values of a parent's column a child stream has not been asked for yet.
  public func previewDue(
    _ stream: String, of job: String, table: String, column: String
  ) throws(StoreError) -> Int {
    try guarded { connection in
      guard try has(table, column, connection) else { return 0 }
      let name = SQLName.quoted(column)
      let waits =
        try Bookkeeping.has("trawl_misses", connection)
        ? " UNION ALL SELECT value FROM trawl_misses WHERE job = ?1 AND stream = ?2 "
          + "AND next_attempt_at > ?3" : ""
      return Int(
        try connection.integer(
          "SELECT count(DISTINCT \(name)) FROM \(SQLName.quoted(table)) WHERE \(name) IS NOT NULL "
            + "AND CAST(\(name) AS TEXT) NOT IN (SELECT value FROM trawl_asked "
            + "WHERE job = ?1 AND stream = ?2 AND is_due = 0 AND ?3 IS NOT NULL\(waits))",
          [.text(job), .text(stream), .text(now.description)]) ?? 0)
    }
  }

  private func has(
    _ table: String, _ column: String, _ connection: Connection
  ) throws(SQLiteError) -> Bool {
    try connection.integer(
      "SELECT 1 FROM pragma_table_info(?) WHERE name = ?", [.text(table), .text(column)]) != nil
  }
}
