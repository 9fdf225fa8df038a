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
    of words: [String], limit: Int, _ connection: Connection
  ) throws(SQLiteError) -> [SearchHit] {
    let index = SearchIndex.name(of: name)
    let isSound = try SearchIndex(table: name, columns: columns).isSound(connection)
    // The index knows runs of three characters; shorter words are looked for row by row.
    let long = isSound ? words.filter { $0.unicodeScalars.count >= 3 } : []
    let short = words.filter { !isSound || $0.unicodeScalars.count < 3 }
    var values: [SQLValue] = []
    var conditions: [String] = []
    if !long.isEmpty {
      values.append(.text(long.map(Self.phrase).joined(separator: " ")))
      conditions.append("\(index) MATCH ?1")
    }
    for word in short {
      var either: [String] = []
      for spelling in Self.spellings(of: word) {
        values.append(.text(Self.pattern(spelling)))
        either += columns.map { "t.\(SQLName.quoted($0)) LIKE ?\(values.count) ESCAPE '\\'" }
      }
      conditions.append("(\(either.joined(separator: " OR ")))")
    }
    let texts = columns.map { "t.\(SQLName.quoted($0))" }.joined(separator: ", ")
    let join = long.isEmpty ? "" : " JOIN \(index) ON \(index).rowid = t.rowid"
    let order = long.isEmpty ? "t.rowid" : "\(index).rank, t.rowid"
    let sql =
      ViewDesign.itemQuery(item, table: name, key: key, adding: "t.vanished_at, \(texts)")
      + "\(join) WHERE \(conditions.joined(separator: " AND ")) "
      // cut: one more is asked for than is shown, and hasMore says so
      + "ORDER BY t.vanished_at IS NOT NULL, \(order) LIMIT \(limit)"
    return try connection.rows(sql, values) { row in
      let own = 1 + columns.count
      return SearchHit(
        job: job, table: name, key: row.text(own + 8) ?? "", title: row.text(own),
        link: row.text(own + 2), imagePath: row.text(own + 4), publishedAt: row.text(own + 5),
        vanishedAt: row.text(0), texts: columns.indices.map { row.text(1 + $0) })
    }
  }

  /// In quotes nothing is an operator.
  private static func phrase(_ word: String) -> String { SQLName.always(quoted: word) }

  /// LIKE folds the case of ASCII alone.
  private static func spellings(of word: String) -> [String] {
    var all: [String] = []
    for form in [word, word.lowercased(), word.uppercased()]
    where !all.containsBytes(form) {
      all.append(form)
    }
    return all
  }

  private static func pattern(_ word: String) -> String {
    var text = "%"
    for scalar in word.unicodeScalars {
      if scalar == "%" || scalar == "_" || scalar == "\\" { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
    return text + "%"
  }
}
