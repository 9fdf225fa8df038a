internal import Base

/// A table of a job, as `trawl_tables` describes it.
struct StoredTable {
  let name: String
  /// In `trawl_changes`.
  let number: Int64
  let job: String
  /// `records`, `list`, `child`
  let kind: String
  let key: [String]
  /// Its part of the view `items`.
  let item: String?
  /// The view `<table>_media`.
  let media: String?
  let searched: [String]
  let volatile: [String]

  /// In the order of their names.
  /// - Parameter schema: `source.` of an attached file.
  static func all(
    _ connection: Connection, where condition: String = "1", _ values: [SQLValue] = [],
    of schema: String = ""
  ) throws(SQLiteError) -> [StoredTable] {
    try connection.rows(
      "SELECT table_name, table_number, job, kind, key_columns, item_sql, media_sql, searched, volatile "
        + "FROM \(schema)trawl_tables WHERE \(condition) ORDER BY table_name", values,
      as: StoredTable.init)
  }

  static func of(_ name: String, _ connection: Connection) throws(SQLiteError) -> StoredTable? {
    try all(connection, where: "table_name = ?", [.text(name)]).first
  }

  /// The key columns of a table; empty if the file does not have it.
  static func key(of name: String, _ connection: Connection) throws(SQLiteError) -> [String] {
    try of(name, connection)?.key ?? []
  }
}
