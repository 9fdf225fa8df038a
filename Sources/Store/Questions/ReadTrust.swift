internal import Base

/// How far the data that was read can be trusted: the lists that fill the tables, with the claim
/// about each.
public struct ReadTrust: Sendable {
  /// Tables of jobs that were read.
  public var tables: [String]
  /// Tables that no job fills: nothing is known about their contents.
  public var others: [String]
  /// Worst first; with those for whose records others of them were requested.
  public var lists: [TrustedList]
  /// By job and stream, the job and stream for whose records it is requested.
  private var parents: [[String]: [String]] = [:]

  public init(tables: [String] = [], others: [String] = [], lists: [TrustedList]) {
    (self.tables, self.others, self.lists) = (tables, others, lists)
  }

  /// Its parents, their parents, and so on.
  private func ancestors(of list: TrustedList) -> [[String]] {
    var found: [[String]] = []
    while let next = parents[found.last ?? list.streamName], !found.contains(next) {
      found.append(next)
    }
    return found
  }

  /// A list for whose records this one was requested and that may lack some: then this one lacks theirs.
  public func lackingParent(of list: TrustedList) -> TrustedList? {
    let streams = ancestors(of: list)
    return lists.first { other in
      streams.contains(other.streamName)
        && (!["complete", "orphaned"].contains(other.verdict) || other.readTo != nil)
    }
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
    var trust = ReadTrust(
      tables: tables,
      others: made.map(\.name).filter { !known.contains($0) && !book.contains($0) },
      lists: lists)
    trust.parents = try connection.dictionary(
      "SELECT job, stream, fact FROM trawl_facts WHERE kind = 'parent'"
    ) { ([$0.text(0) ?? "", $0.text(1) ?? ""], [$0.text(0) ?? "", $0.text(2) ?? ""]) }
    if isOfAll { return trust }
    let own = lists.filter { list in
      known.contains(list.table) || known.contains(list.place.table)
        || streams.contains(list.streamName)
    }
    let numbers = Set(own.map(\.number))
    let above = Set(own.flatMap(trust.ancestors))
    trust.lists.removeAll { !numbers.contains($0.number) && !above.contains($0.streamName) }
    return trust
  }
}

extension TrustedList {
  fileprivate var streamName: [String] { [job, stream] }
}

extension RecordStore {
  /// All lists, or one job's; worst first.
  public func trustedLists(of job: String? = nil) throws(StoreError) -> [TrustedList] {
    try guarded {
      try TrustedList.rows(where: "?1 IS NULL OR l.job = ?1", [SQLValue(job)], connection)
    }
  }
}
