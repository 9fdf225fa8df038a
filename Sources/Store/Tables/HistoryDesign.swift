internal import Base

/// The values that volatile columns had. `<table>_history` is what people read: a view. What it shows
/// is kept in `<table>_history_rows`, with numbers in the place of a column's name and of an instant,
/// since there is a row for each change.
enum HistoryDesign {
  static let end = "_history"
  static let rowsEnd = "_history_rows"

  /// The view's name, of the table of the records or of the history's own.
  static func view(of records: String) -> String { records + end }

  static func view(ofRows table: String) -> String {
    table.hasSuffix(rowsEnd) ? String(table.dropLast(rowsEnd.count)) + end : table
  }

  /// What the view shows beside the key.
  static let shown = [
    TableDesign.Column(name: "column_name", type: "TEXT", comment: "the volatile column"),
    TableDesign.Column(name: "at", type: "TEXT", comment: "when this value was seen first"),
    TableDesign.Column(name: "value", type: "ANY", comment: "as it was then"),
  ]

  /// No job may call a column so.
  static let number = "trawl_column"
  private static let ownKey = [number, "at"]

  static func table(of records: String, key: [TableDesign.Column]) -> TableDesign {
    let names = key.map(\.name)
    return TableDesign(
      name: records + rowsEnd, kind: .history,
      columns: key + [
        TableDesign.Column(
          name: number, type: "INTEGER", isNeeded: true, comment: "in trawl_history_columns"),
        TableDesign.Column(
          name: "at", type: "INTEGER", isNeeded: true,
          comment: "when this value was seen first: seconds since 1970 in UTC"),
        TableDesign.Column(name: "value", type: "ANY", comment: "as it was then"),
        TableDesign.sealColumn("digest of the row"),
      ], key: names + ownKey,
      references: [TableDesign.Reference(columns: names, table: records, to: names)])
  }

  /// The key of the records, of that of the rows.
  static func recordKey(_ key: [String]) -> [String] { key.filter { !ownKey.contains($0) } }

  /// What tells the view's rows apart.
  static func shownKey(_ key: [String]) -> [String] { recordKey(key) + ["column_name", "at"] }

  /// What reads the rows `h` as people do. The name is looked up row by row: whatever a query asks for,
  /// SQLite goes by the rows' key.
  static func viewSQL(of table: String, key: [String]) -> String {
    let names = recordKey(key).map(SQLName.quoted)
    return "CREATE VIEW \(SQLName.quoted(view(ofRows: table))) "
      + "(\((names + shown.map(\.name)).joined(separator: ", "))) AS\n  SELECT "
      + (names.map { "h.\($0)" } + [
        "(SELECT c.column_name FROM trawl_history_columns c WHERE c.table_name = "
          + "\(SQLName.literal(table)) AND c.column_number = h.\(number))", instant("h.at"),
        "h.value",
      ]).joined(separator: ", ") + " FROM \(SQLName.quoted(table)) h"
  }

  /// As the other tables write it.
  static func instant(_ seconds: String) -> String {
    "strftime('%Y-%m-%dT%H:%M:%SZ', \(seconds), 'unixepoch')"
  }

  /// Of an instant as the other tables write it.
  static func seconds(_ instant: String) -> String {
    "CAST(strftime('%s', \(instant)) AS INTEGER)"
  }

  /// Gives numbers to those that have none.
  static func number(
    _ columns: [String], of table: String, _ connection: Connection
  ) throws(SQLiteError) {
    for column in columns {
      try connection.run(
        "INSERT INTO trawl_history_columns (table_name, column_number, column_name) "
          + "SELECT ?1, (SELECT ifnull(max(column_number), 0) + 1 FROM trawl_history_columns "
          + "WHERE table_name = ?1), ?2 WHERE NOT EXISTS (SELECT 1 FROM trawl_history_columns "
          + "WHERE table_name = ?1 AND column_name = ?2)", [.text(table), .text(column)])
    }
  }
}

extension ViewDesign {
  /// Of the histories whose rows are there.
  static func makeHistories(_ connection: Connection, of job: String?) throws(SQLiteError) {
    let found = try connection.rows(
      "SELECT table_name, key_columns FROM trawl_tables WHERE kind = 'history' "
        + "AND job = ifnull(?, job) AND table_name IN "
        + "(SELECT name FROM sqlite_schema WHERE type = 'table') ORDER BY table_name",
      [SQLValue(job)]
    ) { (table: $0.text(0) ?? "", key: OldTable.names($0.text(1) ?? "[]")) }
    for (table, key) in found {
      try connection.execute(HistoryDesign.viewSQL(of: table, key: key))
    }
  }
}
