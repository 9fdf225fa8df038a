internal import Base

/// Descriptions of tables, for writers of queries.
extension RecordStore {
  /// `tables`: all of the jobs, or one, with their keys and the numbers of present rows; `columns`
  /// of the one, with units and where in the answer each comes from; `links` from it to others.
  public func description(of table: String?) throws(StoreError) -> [(
    name: String, rows: [NamedRow]
  )] {
    try guarded {
      let tables = try connection.named(
        "SELECT t.table_name AS \"table\", t.job, t.kind, t.key_columns AS key, t.searched "
          + "FROM trawl_tables t JOIN sqlite_schema s ON s.name = t.table_name "
          + "WHERE ?1 IS NULL OR t.table_name = ?1 ORDER BY t.job, t.kind <> 'records', t.table_name",
        [SQLValue(table)])
      let counted = try tables.map { row in
        row + [("rows", SQLValue(try PresentRows.rows(of: row[0].value.text ?? "", connection)))]
      }
      let columns = try connection.named(
        "SELECT i.name AS \"column\", i.type, CASE "
          + "WHEN c.source LIKE '%(time%' OR i.type = 'TEXT' AND i.name LIKE '%!_at' ESCAPE '!' "
          + "THEN 'time in UTC, RFC 3339' WHEN c.source LIKE '%(date)%' THEN 'date, RFC 3339' "
          + "WHEN c.source LIKE '%(boolean)%' THEN '1 is true, 0 is false' "
          + "WHEN c.source LIKE '%(json)%' THEN 'JSON' END AS unit, c.source, c.written_by AS streams "
          + "FROM pragma_table_info(?1) i JOIN trawl_columns c ON c.table_name = ?1 "
          + "AND c.column_name = i.name ORDER BY i.cid", [SQLValue(table)])
      // Links that are not declared (a row may come before the one that it names) are in a column's source.
      let links = try connection.named(
        "SELECT \"from\" AS \"column\", \"table\", ifnull(\"to\", \"from\") AS \"to\" "
          + "FROM pragma_foreign_key_list(?) UNION ALL SELECT column_name, substr(source, instr(source, ' of ') + 4), "
          + "substr(source, 1, instr(source, ' of ') - 1) FROM trawl_columns WHERE table_name = ?1 "
          + "AND substr(source, instr(source, ' of ') + 4) IN (SELECT table_name FROM trawl_tables) "
          + "AND NOT EXISTS (SELECT 1 FROM pragma_foreign_key_list(?1))", [SQLValue(table)])
      return [("tables", counted), ("columns", columns), ("links", links)]
    }
  }

  /// All views, ours and the user's own.
  public func viewNames() throws(StoreError) -> [String] {
    try guarded { try connection.definitions(of: "view").keys.sorted() }
  }
}
