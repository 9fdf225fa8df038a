internal import Base

/// A record that a search found.
public struct SearchHit: Sendable, Equatable {
  public var job: String
  public var table: String
  /// The key as text; for several columns a JSON list.
  public var key: String
  public var title: String?
  public var link: String?
  public var imagePath: String?
  public var publishedAt: String?
  /// When it left its last list.
  public var vanishedAt: String?
  /// The columns that were searched, in order; nil if one is empty.
  public var texts: [String?]
}

/// What a search found.
public struct SearchResult: Sendable, Equatable {
  public var hits: [SearchHit]
  /// There are more than requested.
  public var hasMore: Bool
  /// Tables that could be searched, and their columns.
  public var tables: [String: [String]]
}

extension RecordStore {
  /// Records that have all of these words, each anywhere in a searched column. Best first in each
  /// table, vanished records last.
  public func search(
    _ words: [String], in job: String? = nil, limit: Int
  ) throws(StoreError) -> SearchResult {
    try snapshot { try found(words, in: job, limit: limit) }
  }

  /// The same, with the trust of the searched tables in that moment.
  public func searchWithTrust(
    _ words: [String], in job: String? = nil, limit: Int
  ) throws(StoreError) -> (found: SearchResult, trust: ReadTrust) {
    try snapshot {
      let found = try found(words, in: job, limit: limit)
      return (found, try ReadTrust.of(Set(found.tables.keys.map { $0.lowercased() }), connection))
    }
  }

  private func found(
    _ words: [String], in job: String?, limit: Int
  ) throws(SQLiteError) -> SearchResult {
    let words = SearchWords(words)
    try words.define(on: connection)
    var result = SearchResult(hits: [], hasMore: false, tables: [:])
    let searched = try StoredTable.all(
      connection, where: "searched IS NOT NULL AND (?1 IS NULL OR job = ?1)", [SQLValue(job)])
    for table in searched {
      // A person may have removed a table or a column that no job fills any more.
      let there = try connection.columns(of: table.name)
      let columns = table.searched.filter(there.contains)
      if columns.isEmpty { continue }
      result.tables[table.name] = columns
      guard !result.hasMore else { continue }
      result.hits += try hits(in: table, columns, limit: limit - result.hits.count + 1)
      if result.hits.count > limit {
        result.hits.removeLast(result.hits.count - limit)
        result.hasMore = true
      }
    }
    return result
  }

  private func hits(
    in table: StoredTable, _ columns: [String], limit: Int
  ) throws(SQLiteError) -> [SearchHit] {
    let texts = columns.map { "t.\(SQLName.quoted($0))" }.joined(separator: ", ")
    let sql =
      ViewDesign.itemQuery(
        table.item, table: table.name, key: table.key, adding: "t.vanished_at, \(texts)")
      + " JOIN (SELECT t.rowid AS place, trawl_score(\(texts)) AS score "
      // cut: nothing; the limit has each row looked at once
      + "FROM \(SQLName.quoted(table.name)) t LIMIT -1) found "
      + "ON t.rowid = found.place WHERE found.score > 0 "
      // cut: one more is asked for than is shown, and hasMore says so
      + "ORDER BY t.vanished_at IS NOT NULL, found.score DESC, t.rowid LIMIT \(limit)"
    return try connection.rows(sql) { row in
      let own = 1 + columns.count
      return SearchHit(
        job: table.job, table: table.name, key: row.text(own + 8) ?? "", title: row.text(own),
        link: row.text(own + 2), imagePath: row.text(own + 4), publishedAt: row.text(own + 5),
        vanishedAt: row.text(0), texts: columns.indices.map { row.text(1 + $0) })
    }
  }
}
