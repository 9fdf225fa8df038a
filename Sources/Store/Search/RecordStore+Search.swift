internal import Model
internal import SQLite

/// A record that a search found.
public struct SearchHit: Sendable, Equatable {
  public var job: String
  public var table: String
  /// The key as text; of several columns a JSON list.
  public var key: String
  public var title: String?
  public var link: String?
  public var imagePath: String?
  public var publishedAt: String?
  /// When it was no longer in any list.
  public var vanishedAt: String?
  /// The columns that were searched, in order; nil where one is empty.
  public var texts: [String?]
}

/// What a search found.
public struct SearchResult: Sendable, Equatable {
  public var hits: [SearchHit]
  /// There are more than were asked for.
  public var hasMore: Bool
  /// Tables that could be searched, and their columns.
  public var tables: [String: [String]]
}

extension RecordStore {
  /// Records that hold all of these words, each anywhere in a searched column. Best first in each
  /// table, records that vanished last.
  public func search(
    _ words: [String], in job: String? = nil, limit: Int
  ) throws(StoreError) -> SearchResult {
    try guarded { connection in
      try connection.snapshot {
        let words = SearchWords(words)
        try words.define(on: connection)
        var result = SearchResult(hits: [], hasMore: false, tables: [:])
        for table in try SearchedTable.all(of: job, connection) {
          result.tables[table.name] = table.columns
          guard !result.hasMore else { continue }
          let room = limit - result.hits.count
          result.hits += try table.hits(of: words, limit: room + 1, connection)
          if result.hits.count > limit {
            result.hits.removeLast(result.hits.count - limit)
            result.hasMore = true
          }
        }
        return result
      }
    }
  }

  /// Indexes whose rows have other places than they knew are made anew: the database was copied
  /// as SQL text.
  func mendSearch(of design: JobDesign) throws(StoreError) -> [String] {
    let broken = try guarded { connection in
      try design.tables.filter { table in
        try SearchIndex(table).map { try !$0.isSound(connection) } ?? false
      }
    }
    guard !broken.isEmpty else { return [] }
    return try write { connection in
      try broken.map { table in
        _ = try SearchIndex.upgrade(table, connection)
        return "the search index of \(table.name) did not fit its rows; it is made anew"
      }
    }
  }

  /// Brings what the job's indexes do not know yet into them, one transaction for each group: a kill
  /// leaves the rest to the next run, and until then a search looks at its rows one by one.
  func bringUpSearch(of design: JobDesign) throws(StoreError) {
    for index in design.tables.compactMap(SearchIndex.init) {
      while try guarded({ try index.hasRest($0) }) {
        try write { connection in
          try index.bringUp(connection)
          settings.faults.reach(.beforeSearchGroup)
        }
      }
    }
  }
}

/// A table that has a search index, as the file holds it.
private struct SearchedTable {
  var name: String
  var job: String
  var key: [String]
  var item: String?
  var columns: [String]

  static func all(of job: String?, _ connection: Connection) throws -> [SearchedTable] {
    let found = try connection.rows(
      "SELECT t.table_name, t.job, t.key_columns, t.item_sql FROM trawl_tables t "
        + "JOIN sqlite_schema s ON s.name = \(SQLName.literal(RowChanges.uncountedPrefix)) "
        + "|| t.table_name WHERE t.kind = 'records' AND (?1 IS NULL OR t.job = ?1) "
        + "ORDER BY t.table_name", [SQLValue(job)]
    ) { row in
      SearchedTable(
        name: row.text(0) ?? "", job: row.text(1) ?? "",
        key: OldTable.names(row.text(2) ?? "[]"), item: row.text(3), columns: [])
    }
    return try found.map { table in
      var table = table
      table.columns = try connection.columns(of: SearchIndex.name(of: table.name))
      return table
    }
  }

  func hits(
    of words: SearchWords, limit: Int, _ connection: Connection
  ) throws(SQLiteError) -> [SearchHit] {
    let index = SearchIndex(table: name, columns: columns)
    let texts = columns.map { "t.\(SQLName.quoted($0))" }.joined(separator: ", ")
    var values: [SQLValue] = []
    var candidates = ""
    if let query = words.query, try index.isSound(connection) {
      candidates =
        " WHERE t.rowid IN (SELECT rowid FROM \(index.name) WHERE \(index.name) MATCH ?1 "
        + "UNION ALL SELECT place FROM \(index.rest))"
      values = [.text(query)]
    }
    let sql =
      ViewDesign.itemQuery(item, table: name, key: key, adding: "t.vanished_at, \(texts)")
      + " JOIN (SELECT t.rowid AS place, trawl_score(\(texts)) AS score "
      // cut: nothing; the limit has each row looked at once
      + "FROM \(SQLName.always(quoted: name)) t\(candidates) LIMIT -1) found "
      + "ON t.rowid = found.place WHERE found.score > 0 "
      // cut: one more is asked for than is shown, and hasMore says so
      + "ORDER BY t.vanished_at IS NOT NULL, found.score DESC, t.rowid LIMIT \(limit)"
    return try connection.rows(sql, values) { row in
      let own = 1 + columns.count
      return SearchHit(
        job: job, table: name, key: row.text(own + 8) ?? "", title: row.text(own),
        link: row.text(own + 2), imagePath: row.text(own + 4), publishedAt: row.text(own + 5),
        vanishedAt: row.text(0), texts: columns.indices.map { row.text(1 + $0) })
    }
  }
}
