public import Model
internal import SQLite

/// A parent's value that a child stream is to be asked for.
public struct DueValue: Sendable, Equatable {
  public var value: String
  public var carried: [ParameterValue]
  public init(value: String, carried: [ParameterValue]) {
    self.value = value; self.carried = carried
  }
}

extension RecordStore {
  public func due(_ stream: String, of job: String, run: RunID, limit: Int) throws(StoreError)
    -> [DueValue]
  {
    let plan = try plan(job, stream)
    guard let feed = plan.stream.parent else { return [] }
    let parent = try self.plan(job, feed.stream)
    return try guarded { connection in
      var condition = "\"\(feed.column)\" IS NOT NULL"
      if case .run = feed.when {
        var keys = KeySet()
        for blob in try connection.rows(
          "SELECT keys FROM trawl_pages p JOIN trawl_units u USING (unit) JOIN trawl_lists l USING (list) WHERE p.run = ? AND l.job = ? AND l.stream = ?",
          [.integer(run.number), .text(job), .text(feed.stream)],
          { row in row.withBytes(0) { KeyBlob.keys($0) } })
        {
          for key in blob { _ = keys.insert(key) }
        }
        probe.keys = keys
        condition += " AND trawl_seen(\(TableDesign.list(parent.table.key)))"
      } else {
        condition +=
          " AND CAST(\"\(feed.column)\" AS TEXT) NOT IN (SELECT value FROM trawl_asked WHERE job = '\(job)' AND stream = '\(stream)' AND is_due = 0)"
      }
      defer { probe.keys = KeySet() }
      let columns = ([feed.column] + feed.carries).map { "CAST(\"\($0)\" AS TEXT)" }.joined(
        separator: ", ")
      return try connection.rows(
        "SELECT \(columns) FROM \(SQLName.quoted(parent.table.name)) WHERE \(condition) LIMIT \(limit)",
        []
      ) { row in
        DueValue(
          value: row.text(0) ?? "",
          carried: feed.carries.enumerated().map { ParameterValue($1, row.text($0 + 1) ?? "") })
      }
    }
  }
  public func markAsked(_ values: [String], _ stream: String, of job: String) throws(StoreError) {
    let stamp = now.description
    try write { connection in
      for value in values {
        try connection.run(
          "INSERT INTO trawl_asked (job, stream, value, asked_at) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET asked_at = excluded.asked_at, is_due = 0",
          [.text(job), .text(stream), .text(value), .text(stamp)])
      }
    }
  }
  public func storedValues(of stream: String, column: String?, in job: String) throws(StoreError)
    -> [String]
  {
    let plan = try plan(job, stream)
    let name = column ?? plan.stream.offered ?? plan.stream.key[0]
    return try guarded { connection in
      try connection.rows(
        "SELECT DISTINCT CAST(\"\(name)\" AS TEXT) FROM \(SQLName.quoted(plan.table.name)) WHERE \"\(name)\" IS NOT NULL LIMIT 10000",
        []
      ) { $0.text(0) ?? "" }
    }
  }
  public func lastLengths(of job: String) throws(StoreError) -> [String: Int] {
    try guarded { connection in
      var lengths: [String: Int] = [:]
      for (stream, length) in try connection.rows(
        "SELECT l.stream, max(c.received) FROM trawl_certificates c JOIN trawl_units u USING (unit) JOIN trawl_lists l USING (list) WHERE l.job = ? GROUP BY l.stream",
        [.text(job)], { ($0.text(0) ?? "", $0.int(1)) })
      { lengths[stream] = length }
      return lengths
    }
  }
  public func rejects(of job: String, run: RunID, limit: Int) throws(StoreError) -> [RejectSample] {
    try guarded { connection in
      try connection.rows(
        "SELECT table_name, path, reason, substr(raw, 1, 300) FROM trawl_rejects WHERE job = ? AND run = ? LIMIT ?",
        [.text(job), .integer(run.number), SQLValue(limit)]
      ) {
        RejectSample(
          table: $0.text(0) ?? "", path: $0.text(1) ?? "", reason: $0.text(2) ?? "",
          raw: $0.text(3) ?? "")
      }
    }
  }
}
