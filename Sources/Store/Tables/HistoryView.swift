internal import Base

/// The values that volatile columns have had: `<table>_history`, a view over the changes in
/// `trawl_changes` and over the present rows.
enum HistoryView {
  static let end = "_history"

  static func view(of records: String) -> String { records + end }

  /// Seconds of `trawl_changes` in the form of the tables.
  static func time(_ seconds: String) -> String {
    "strftime('%Y-%m-%dT%H:%M:%SZ', \(seconds), 'unixepoch')"
  }

  private static let columns = [
    TableDesign.Column(name: "column_name", type: "TEXT", comment: "the volatile column"),
    TableDesign.Column(
      name: "at", type: "TEXT", comment: "when this value was seen first; NULL: before what is kept"
    ),
    TableDesign.Column(name: "value", type: "ANY", comment: "as it was then"),
  ]

  /// The view's columns besides the key, which may have a column of the same name.
  static func shown(besides key: [String]) -> [TableDesign.Column] {
    columns.map { column in
      var column = column
      if key.contains(column.name) { column.name = "history_\(column.name)" }
      return column
    }
  }

  static func viewSQL(of stored: StoredTable, volatile: [String]) -> String {
    let (table, number, key) = (stored.name, stored.number, stored.key)
    let names = key.map { SQLName.quoted($0) }
    let own = names.map { "t.\($0)" }.joined(separator: ", ")
    func isOfRow(_ change: String) -> String {
      "\(change).table_number = \(number) AND \(change).record_key = \(ViewDesign.keyText(key))"
    }
    // The time when a column got the value that a change replaced: that of the change before.
    func before(_ column: String, _ condition: String) -> String {
      "(SELECT b.at FROM trawl_changes b WHERE \(isOfRow("b"))\(condition) "
        + "AND instr(b.old, '\"' || \(column) || '\":') > 0 ORDER BY b.change DESC LIMIT 1)"
    }
    let columns = volatile.map { SQLName.literal($0) }.joined(separator: ", ")
    let earlier =
      "SELECT \(own), e.key AS trawl_column, \(before("e.key", " AND b.change < c.change")) AS trawl_seen, "
      + "t.first_seen_at, e.value AS trawl_value FROM \(SQLName.quoted(table)) t "
      // Not the other way round: no index finds the row of a change.
      + "CROSS JOIN trawl_changes c ON \(isOfRow("c")), json_each(c.old) e "
      + "WHERE e.key IN (\(columns))"
    let now = volatile.map { column in
      "SELECT \(own), \(SQLName.literal(column)), \(before(SQLName.literal(column), "")), "
        + "t.first_seen_at, t.\(SQLName.quoted(column)) FROM \(SQLName.quoted(table)) t"
    }
    let all = ([earlier] + now).joined(separator: "\n  UNION ALL ")
    let shownNames = (names + shown(besides: key).map(\.name)).joined(separator: ", ")
    // Unknown for a record from before the last forgotten change.
    let forgotten =
      "(SELECT \(time("forgotten_at")) FROM trawl_tables WHERE table_number = \(number))"
    let instant =
      "ifnull(\(time("trawl_seen")), iif(first_seen_at <= ifnull(\(forgotten), ''), NULL, first_seen_at))"
    // A column that was empty from the beginning had no value.
    return "CREATE VIEW \(SQLName.quoted(view(of: table))) (\(shownNames)) AS\n"
      + "  SELECT \((names + ["trawl_column", instant, "trawl_value"]).joined(separator: ", ")) FROM (\n"
      + "  \(all))\n  WHERE trawl_value IS NOT NULL OR trawl_seen IS NOT NULL"
  }
}

extension ViewDesign {
  /// For tables with volatile columns.
  static func makeHistories(_ connection: Connection, of job: String?) throws(SQLiteError) {
    let found = try StoredTable.all(
      connection, where: "volatile IS NOT NULL AND job = ifnull(?, job)", [SQLValue(job)])
    for table in found {
      // A removed table is a finding of the proof.
      let columns = try connection.columns(of: table.name)
      let there = table.volatile.filter(columns.contains)
      guard !there.isEmpty else { continue }
      try connection.execute(HistoryView.viewSQL(of: table, volatile: there))
    }
  }
}
