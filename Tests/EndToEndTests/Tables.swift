import Base

/// The content of a database, read as by any user.
struct Tables {
  let path: String

  func rows(_ sql: String) throws -> [[SQLValue]] {
    let connection = try Connection(path, .readOnly)
    defer { connection.close() }
    // As the SQLite shell does.
    try connection.trustSchema()
    return try connection.rows(sql) { row in (0..<row.columnCount).map { row.value($0) } }
  }

  func texts(_ sql: String) throws -> [String] {
    try rows(sql).map { $0.map(\.shown).joined(separator: "|") }
  }

  func count(_ sql: String) throws -> Int {
    guard case .integer(let count)? = try rows(sql).first?.first else { return -1 }
    return Int(count)
  }

  func count(of rows: String) throws -> Int { try count("SELECT count(*) FROM \(rows)") }

  /// All rows of all record tables, relations and images, including times and hashes: any rewrite would show.
  func everyRow() throws -> [String] {
    let names = try texts("SELECT table_name FROM trawl_tables ORDER BY 1")
    return try (names + ["trawl_media", "trawl_media_urls"]).flatMap {
      try texts("SELECT * FROM \($0)").sorted()
    }
  }

  /// All rows of all record tables and relations, and what is known of images and lists, except for times and run
  /// numbers, which differ between equal runs.
  func logicalDump() throws -> [String] {
    var lines: [String] = []
    for table in try texts("SELECT table_name FROM trawl_tables ORDER BY table_name") {
      let columns = try texts(
        "SELECT name FROM pragma_table_info('\(table)') WHERE name NOT IN "
          + "('first_seen_at', 'changed_at', 'trawl_change', 'trawl_hash') ORDER BY cid"
      ).map { $0 == "vanished_at" ? "vanished_at IS NOT NULL" : "\"\($0)\"" }
      lines += try dump(table, columns.joined(separator: ", "))
    }
    lines += try dump("trawl_media", "digest, path, size, type, width, height")
    lines += try dump("trawl_media_urls", "identity, url, digest, status, reason")
    lines += try dump("trawl_trust", "table_name, list, rows, verdict")
    lines += try dump("trawl_rejects", "stream, table_name, column_name, path, reason, raw")
    return lines
  }

  private func dump(_ table: String, _ columns: String) throws -> [String] {
    try texts("SELECT \(columns) FROM \(table)").sorted().map { "\(table): \($0)" }
  }

  /// The last certificate of each list: `followers of octocat` to its verdict.
  func verdicts() throws -> [String: String] {
    var found: [String: String] = [:]
    for row in try rows("SELECT list, verdict FROM trawl_trust") {
      found[row[0].shown] = row[1].shown
    }
    return found
  }
}

extension SQLValue {
  var shown: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let value): value
    case .blob(let bytes): bytes.map { String($0, radix: 16) }.joined(separator: " ")
    }
  }
}
