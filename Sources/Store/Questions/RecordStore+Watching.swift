public import Base

/// A row of a watched query.
public struct WatchedRow: Sendable, Equatable {
  /// A JSON list of the values that identify it.
  public var key: String
  /// The whole row as a JSON object.
  public var content: String
  /// When it came or changed; nil: it was there when the watch began.
  public var changedAt: Instant?

  public init(key: String, content: String, changedAt: Instant? = nil) {
    self.key = key
    self.content = content
    self.changedAt = changedAt
  }
}

/// What a look at a watched query found.
public struct WatchNews: Sendable, Equatable {
  public var isFirst = false
  public var new = 0
  public var changed = 0
  /// New and changed rows that were not delivered yet, the oldest first.
  public var due: [WatchedRow] = []
  /// More are due than were given.
  public var hasMore = false
}

extension RecordStore {
  /// Rows that one run delivers; the others come with the next.
  static let deliveredMax = 1_000
  /// Rows of a feed.
  static let feedMax = 100

  /// Compares what a query returned with what it returned before.
  /// - Parameter isWhole: nothing of the query's rows was cut off.
  public func note(
    watched rows: [WatchedRow], of watch: String, job: String, isWhole: Bool
  ) throws(StoreError) -> WatchNews {
    let moment = now.description
    let key: [SQLValue] = [.text(job), .text(watch)]
    return try write { connection in
      let stored = try connection.rows(
        "SELECT row_key, content, is_there FROM trawl_watched WHERE job = ? AND watch = ?", key
      ) { (key: $0.text(0) ?? "", content: $0.text(1) ?? "", isThere: $0.boolean(2)) }
      let known = Dictionary(stored.map { ($0.key, $0) }) { one, _ in one }
      var news = WatchNews()
      news.isFirst = known[""] == nil
      if news.isFirst {
        try connection.run(
          "INSERT INTO trawl_watched (job, watch, row_key, content, is_there) VALUES (?, ?, '', '', 1)",
          key)
      }
      for row in rows {
        let old = known[row.key]
        if let old, old.isThere, old.content.utf8.elementsEqual(row.content.utf8) { continue }
        if old?.isThere == true { news.changed += 1 } else { news.new += 1 }
        try connection.run(
          "INSERT INTO trawl_watched (job, watch, row_key, content, changed_at, delivered_at, is_there) "
            + "VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1) ON CONFLICT (job, watch, row_key) DO UPDATE SET "
            + "content = ?4, changed_at = ?5, delivered_at = ?6, is_there = 1",
          key + [
            .text(row.key), .text(row.content), news.isFirst ? .null : .text(moment),
            news.isFirst ? .text(moment) : .null,
          ])
      }
      if isWhole { try forget(key, known.keys, besides: rows, connection) }
      if news.isFirst { (news.new, news.changed) = (0, 0) }
      news.due = try due(key, connection)
      if news.due.count > Self.deliveredMax {
        news.due.removeLast()
        news.hasMore = true
      }
      return news
    }
  }

  /// A row that the query no longer returns is new when it comes back. It stays where it was not
  /// delivered yet, or still is in the feed.
  private func forget(
    _ key: [SQLValue], _ known: some Sequence<String>, besides rows: [WatchedRow],
    _ connection: Connection
  ) throws(SQLiteError) {
    let there = Set(rows.map(\.key))
    for gone in known where gone.hasPrefix("[") && !there.contains(gone) {
      try connection.run(
        "UPDATE trawl_watched SET is_there = 0 WHERE job = ? AND watch = ? AND row_key = ? AND is_there",
        key + [.text(gone)])
    }
    try connection.run(
      "DELETE FROM trawl_watched WHERE job = ?1 AND watch = ?2 AND NOT is_there "
        + "AND row_key LIKE '[%' AND delivered_at IS NOT NULL AND (changed_at IS NULL OR row_key NOT IN "
        + "(SELECT row_key FROM trawl_watched WHERE job = ?1 AND watch = ?2 "
        // cut: a feed holds its newest entries
        + "AND changed_at IS NOT NULL ORDER BY changed_at DESC, row_key LIMIT \(Self.feedMax)))",
      key)
  }

  private func due(
    _ key: [SQLValue], _ connection: Connection
  ) throws(SQLiteError) -> [WatchedRow] {
    try connection.rows(
      "SELECT row_key, content, changed_at FROM trawl_watched WHERE job = ? AND watch = ? "
        + "AND row_key LIKE '[%' AND delivered_at IS NULL ORDER BY changed_at, row_key "
        // cut: one more than is delivered, and hasMore says so
        + "LIMIT \(Self.deliveredMax + 1)", key, Self.row)
  }

  private static func row(_ statement: Statement) -> WatchedRow {
    WatchedRow(
      key: statement.text(0) ?? "", content: statement.text(1) ?? "",
      changedAt: statement.text(2).flatMap { Instant(stored: $0) })
  }

  /// What was due has been taken.
  public func delivered(_ rows: [WatchedRow], of watch: String, job: String) throws(StoreError) {
    let moment = now.description
    try write { connection in
      for row in rows {
        // One that has changed meanwhile is due again.
        try connection.run(
          "UPDATE trawl_watched SET delivered_at = ? WHERE job = ? AND watch = ? AND row_key = ? "
            + "AND content = ?",
          [.text(moment), .text(job), .text(watch), .text(row.key), .text(row.content)])
      }
    }
  }

  /// The rows that came or changed last, the newest first.
  public func feed(of watch: String, job: String) throws(StoreError) -> [WatchedRow] {
    try guarded { connection in
      try connection.rows(
        "SELECT row_key, content, changed_at FROM trawl_watched WHERE job = ? AND watch = ? "
          // cut: a feed holds its newest entries
          + "AND changed_at IS NOT NULL ORDER BY changed_at DESC, row_key LIMIT \(Self.feedMax)",
        [.text(job), .text(watch)], Self.row)
    }
  }

  /// Whether a problem of a watch is another than the one that was told last; nil: it has none now.
  public func note(problem: String?, of watch: String, job: String) throws(StoreError) -> Bool {
    let key: [SQLValue] = [.text(job), .text(watch)]
    let last = try guarded {
      try $0.text(
        "SELECT content FROM trawl_watched WHERE job = ? AND watch = ? AND row_key = '~problem'",
        key)
    }
    if (last ?? "").utf8.elementsEqual((problem ?? "").utf8) { return false }
    try write { connection in
      try connection.run(
        "INSERT INTO trawl_watched (job, watch, row_key, content, delivered_at, is_there) "
          + "VALUES (?, ?, '~problem', ?, '', 1) ON CONFLICT (job, watch, row_key) DO UPDATE SET "
          + "content = excluded.content", key + [.text(problem ?? "")])
    }
    return problem != nil
  }

  /// What happened behind a run turned its exit code.
  public func amend(run name: String, of job: String, exitCode: Int) throws(StoreError) {
    try write {
      try $0.run(
        "UPDATE trawl_runs SET exit_code = ? WHERE job = ? AND name = ?",
        [.integer(Int64(exitCode)), .text(job), .text(name)])
    }
  }
}
