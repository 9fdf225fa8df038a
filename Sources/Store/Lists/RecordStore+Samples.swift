internal import Base

/// Rows as they are stored, to be shown.
public struct StoredSample: Sendable, Equatable {
  public var table: String
  public var columns: [String]
  /// Values as SQLite's own text; nil is NULL.
  public var rows: [[String?]]
}

extension RecordStore {
  /// The rows that a stream's pages returned in this run, with the columns that the stream fills.
  /// Keys of rejected or dropped records have no row.
  public func sample(
    of stream: String, in job: String, limit: Int
  ) throws(StoreError) -> StoredSample {
    let plan = try plan(job, stream)
    return try guarded {
      probe.keys = try connection.keys(
        "SELECT p.keys FROM trawl_pages p JOIN trawl_windows u USING (window) "
          + "JOIN trawl_lists l USING (list_number) WHERE l.job = ? AND l.stream = ?", plan.ofStream
      )
      defer { probe.keys = KeySet() }
      let names = plan.names
      let columns = names.map { "CAST(\(SQLName.quoted($0)) AS TEXT)" }.joined(separator: ", ")
      let rows = try connection.rows(
        "SELECT \(columns) FROM \(SQLName.quoted(plan.table.name)) "
          // cut: only samples are shown
          + "WHERE trawl_seen(\(TableDesign.list(plan.table.key))) LIMIT ?", [SQLValue(limit)]
      ) { row in names.indices.map { row.text($0) } }
      return StoredSample(table: plan.table.name, columns: names, rows: rows)
    }
  }
}
