internal import Base

/// A place where a text still occurs.
public struct Mention: Sendable, Equatable {
  public let table, column: String
  public let count: Int
  /// The lists of the rows, for display.
  public let lists: [String]
  public let owner: Owner

  public enum Owner: Sendable {
    /// A table of records, each with a key of its own.
    case records
    /// Its rows go with their record: a list, a nested table, or what the bookkeeping has of a record.
    case part
    /// The bookkeeping.
    case trawl
    /// Rows that an earlier key left, or a table of the user's own.
    case noJob
  }
}

extension RecordStore {
  /// Searches all text of the file for values that are one of these texts, or have one as a whole part.
  public func mentions(of texts: NamedTexts) throws(StoreError) -> [Mention] {
    let spellings = texts.spellings
    if spellings.isEmpty { return [] }
    return try guarded { () throws(SQLiteError) in
      var found: [Mention] = []
      let known = try StoredTable.all(connection)
      let tables = try connection.texts(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' "
          + "ESCAPE '\\' ORDER BY name")
      for table in tables {
        let owner: Mention.Owner =
          known.first { $0.name == table }.map { $0.kind == "records" ? .records : .part }
          ?? (Book.tables.contains { $0.name == table } ? .trawl : .noJob)
        found += try mentions(of: texts, spellings, in: table, owner)
      }
      return found
    }
  }

  /// Columns of the book with its own words, such as `complete`: they are not keys.
  private static let ofWords: Set<String> = [
    "verdict", "proof", "proofs", "cause", "rule", "purpose", "kind", "type", "role", "trouble",
    "command", "outcome", "job", "stream", "table_name", "column_name", "list_table", "list_key",
    "name", "key_columns", "written_by", "source", "way", "searched", "digests", "volatile",
    "design",
  ]

  /// SQLite refuses an expression of more than 1,000 parts.
  private static let conditionsMax = 800

  private func mentions(
    of texts: NamedTexts, _ spellings: [String], in table: String, _ owner: Mention.Owner
  ) throws(SQLiteError) -> [Mention] {
    let isOwn = owner == .trawl
    let columns = try connection.columns(of: table).filter { !isOwn || !Self.ofWords.contains($0) }
    func isHeld(_ value: SQLValue) -> Bool {
      switch value {
      case .text(let text): texts.areHeld(by: text)
      // The book's own numbers are not keys.
      case .integer(let number): !isOwn && texts.areHeld(by: "\(number)")
      default: false
      }
    }
    let list =
      isOwn && columns.contains("list_number")
      ? "(SELECT list FROM trawl_lists l WHERE l.list_number = t.list_number)"
      : isOwn && columns.contains("window")
        ? "(SELECT list FROM trawl_lists JOIN trawl_windows w USING (list_number) "
          + "WHERE w.window = t.window)" : "NULL"
    let isPart = isOwn && columns.contains("record_key") ? "record_key IS NOT NULL" : "0"
    var counts: [Bool: [String: (count: Int, lists: Set<String>)]] = [:]
    for texts in spellings.chunks(of: Self.conditionsMax / 4) {
      for some in columns.chunks(of: max(1, Self.conditionsMax / texts.count)) {
        let quoted = some.map { SQLName.quoted($0) }
        let has = texts.indices.map { "?\($0 + 1)" }.flatMap { one in
          quoted.map { "instr(\($0), \(one)) > 0" }
        }
        try connection.each(
          "SELECT \(list), \(isPart), \(quoted.joined(separator: ", ")) "
            + "FROM \(SQLName.quoted(table)) t WHERE \(has.joined(separator: " OR "))",
          texts.map { .text($0) }
        ) { row in
          for (index, column) in some.enumerated() where isHeld(row.value(index + 2)) {
            counts[row.boolean(1), default: [:]][column, default: (0, [])].count += 1
            if let name = row.text(0) { counts[row.boolean(1)]?[column]?.lists.insert(name) }
          }
        }
      }
    }
    return [false, true].flatMap { isPart in
      counts[isPart, default: [:]].sorted { $0.key < $1.key }.map { column, found in
        Mention(
          table: table, column: column, count: found.count, lists: found.lists.sorted(),
          owner: isPart ? .part : owner)
      }
    }
  }
}

extension Array {
  fileprivate func chunks(of size: Int) -> [[Element]] {
    stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
  }
}
