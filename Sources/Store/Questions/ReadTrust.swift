internal import Base

/// How far the data that was read can be trusted: the lists that fill the tables, with the claim
/// about each.
public struct ReadTrust: Sendable {
  /// Tables of jobs that were read.
  public var tables: [String]
  /// Tables that no job fills: nothing is known about their contents.
  public var others: [String]
  /// Worst first.
  public var lists: [TrustedList]

  public init(tables: [String] = [], others: [String] = [], lists: [TrustedList]) {
    (self.tables, self.others, self.lists) = (tables, others, lists)
  }

  /// Tables that our views read besides the records that they show.
  private static let beside: Set<String> = [
    Book.media.name, Book.mediaURLs.name, Book.changes.name, Book.jobTables.name,
    Book.favorites.name,
  ]

  /// - Parameter names: everything that was read, views included, in lower case.
  static func of(_ names: Set<String>, _ connection: Connection) throws(SQLiteError) -> ReadTrust {
    let made = try connection.rows(
      "SELECT s.name, t.job FROM sqlite_schema s LEFT JOIN trawl_tables t ON t.table_name = s.name "
        + "WHERE s.type = 'table' AND lower(s.name) IN (SELECT value FROM json_each(?)) ORDER BY s.name",
      [.text(names.sorted().jsonText)]
    ) { (name: $0.text(0) ?? "", job: $0.text(1)) }
    let tables = made.filter { $0.job != nil }.map(\.name)
    let book = Set(made.map(\.name).filter { Book.table($0) != nil })
    // A query of the book is about some list, but it does not show which.
    let isOfAll = !(tables.isEmpty ? book : book.subtracting(beside)).isEmpty
    let known = Set(tables)
    let writers = try connection.rows(
      "SELECT DISTINCT t.job, c.written_by FROM trawl_columns c JOIN trawl_tables t USING (table_name) "
        + "WHERE t.table_name IN (SELECT value FROM json_each(?))",
      [.text(tables.jsonText)]
    ) { row in
      (row.text(1) ?? "").split(separator: " ").map { [row.text(0) ?? "", String($0)] }
    }
    let streams = Set(writers.flatMap(\.self))
    let lists = try TrustedList.rows(
      where: isOfAll ? "1" : "l.job IN (SELECT value FROM json_each(?))",
      isOfAll ? [] : [.text(Set(made.compactMap(\.job)).sorted().jsonText)], connection)
    return ReadTrust(
      tables: tables,
      others: made.map(\.name).filter { !known.contains($0) && !book.contains($0) },
      lists: isOfAll
        ? lists
        : lists.filter { list in
          known.contains(list.table) || known.contains(list.place.table)
            || streams.contains([list.job, list.stream])
        })
  }
}

extension RecordStore {
  /// All lists, or one job's; worst first.
  public func trustedLists(of job: String? = nil) throws(StoreError) -> [TrustedList] {
    try guarded {
      try TrustedList.rows(where: "?1 IS NULL OR l.job = ?1", [SQLValue(job)], connection)
    }
  }

  /// The trust of these tables.
  public func trust(in tables: some Sequence<String>) throws(StoreError) -> ReadTrust {
    let names = Set(tables.map { $0.lowercased() })
    return try guarded { try ReadTrust.of(names, connection) }
  }
}
