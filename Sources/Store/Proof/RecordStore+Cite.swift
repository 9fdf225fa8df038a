internal import Base

extension RecordStore {
  /// Every list of the choice, in the order of jobs and lists.
  public func citations(_ choice: ProofChoice = ProofChoice()) throws(StoreError) -> [Citation] {
    try snapshot {
      var order: [[SQLValue]] = []
      var groups: [[SQLValue]: [CitedList]] = [:]
      for cited in try connection.rows(CitedList.sql, as: CitedList.init)
      where choice.takes(job: cited.list.job, stream: cited.list.stream) {
        if groups[cited.rows] == nil { order.append(cited.rows) }
        groups[cited.rows, default: []].append(cited)
      }
      return try order.compactMap { try groups[$0].map(citation) }
    }
  }

  /// Passes each line of a citation's query with its line end, and counts them.
  public func lines(
    of citation: Citation, _ take: @Sendable (UnsafeRawBufferPointer) -> Void
  ) throws(StoreError) -> Int {
    try guarded {
      var count = 0
      try connection.each(citation.sql) { row in
        count += 1
        row.withBytes(0) { bytes in if let bytes { take(bytes) } }
        withUnsafeBytes(of: UInt8(ascii: "\n")) { take($0) }
      }
      return count
    }
  }

  private func citation(_ lists: [CitedList]) throws -> Citation {
    // Of several lists the worst decides, as among the windows of one list.
    let decisive =
      lists.map(\.list).min { ($0.rank, $1.asOf ?? "") < ($1.rank, $0.asOf ?? "") }
      ?? lists[0].list
    let range = Self.range(lists.map(\.list), decisive)
    let (table, place) = (decisive.table, decisive.place)
    let names = try connection.columns(of: table)
    let alias = place.table == table ? "t" : "m"
    var from = "\(SQLName.quoted(table)) t"
    if place.table != table { from += place.join(try StoredTable.key(of: table, connection)) }
    let sql =
      "SELECT \(CanonicalRow.sql(names, of: "t")) FROM \(from) "
      + "WHERE \(alias).vanished_at IS NULL AND \(place.condition(alias)) ORDER BY 1"
    return Citation(
      job: decisive.job, origin: lists[0].origin, stream: decisive.stream, table: table,
      listName: lists.count > 1 ? "\(lists.count) lists of \(decisive.stream)" : decisive.name,
      listNumbers: Set(lists.map(\.list.number)), verdict: decisive.verdict,
      because: decisive.proof ?? decisive.cause, claim: range.claim,
      readFrom: range.from, readTo: range.to, why: decisive.why,
      asOf: decisive.asOf ?? "",
      pages: lists.reduce(0) { $0 + $1.pages },
      walked: lists.reduce(0) { sum, list in sum.flatMap { sum in list.walked.map { sum + $0 } } },
      withheld: lists.reduce(0) { $0 + $1.withheld }, sql: sql)
  }

  /// The range of time for which a claim holds for every list cited in one line; nil: no range needs to be named, or
  /// the lists have none in common.
  private static func range(
    _ lists: [TrustedList], _ decisive: TrustedList
  ) -> (from: String?, to: String?, claim: String) {
    let bare = decisive.bareClaim
    if lists.count == 1 { return (decisive.readFrom, decisive.readTo, decisive.claim) }
    guard let last = lists.compactMap(\.readTo).min(),
      TrustedList.claimsOfRange.contains(decisive.verdict)
    else { return (nil, nil, bare) }
    let first = lists.compactMap(\.readFrom).max()
    if let first, first >= last {
      return (nil, nil, "\(bare), each for a range of time of its own")
    }
    return (first, last, decisive.claim(of: first, last) ?? bare)
  }
}

/// A list and what a citation says of it.
struct CitedList {
  let list: TrustedList
  let origin: String
  let pages: Int
  /// Nil: it is read in parts.
  let walked: Int?
  let withheld: Int

  /// What selects its rows: lists with the same rows are cited together.
  var rows: [SQLValue] {
    let place = list.place
    let texts = [list.job, list.stream, list.table, place.table, place.condition("m")] + place.key
    return texts.map { .text($0) }
  }

  /// Only certified lists are cited.
  static let sql =
    "SELECT \(TrustedList.columns), j.origin, (SELECT ifnull(sum(c.pages), 0) FROM trawl_windows w "
    + "JOIN trawl_certificates c ON c.certificate = (SELECT max(certificate) "
    + "FROM trawl_certificates x WHERE x.window = w.window) WHERE w.list_number = l.list_number), "
    + "(SELECT c.new + c.changed + c.unchanged FROM trawl_windows w "
    + "JOIN trawl_certificates c USING (window) WHERE w.list_number = l.list_number "
    + "AND w.window_from = '' AND c.rule <> 'lastCompleteRange' "
    + "AND NOT EXISTS (SELECT 1 FROM trawl_windows x WHERE x.list_number = l.list_number "
    + "AND x.window_from <> '') ORDER BY c.certificate DESC LIMIT 1), "
    + "(SELECT ifnull(sum(c.withheld), 0) FROM trawl_windows w "
    + "JOIN trawl_certificates c ON c.certificate = (SELECT max(certificate) "
    + "FROM trawl_certificates x WHERE x.window = w.window "
    + "AND x.verdict NOT IN ('paused', 'failed')) WHERE w.list_number = l.list_number) "
    + "FROM \(TrustedList.source) JOIN trawl_jobs j ON j.job = l.job "
    + "ORDER BY l.job, l.list_number"
}

/// A list as it may be quoted under a chart: what it holds, what may be claimed of it, and the
/// query whose lines give its digest.
public struct Citation: Sendable, Equatable {
  public var job: String
  public var origin: String
  public var stream: String
  public var table: String
  /// The list in words; several lists whose rows cannot be distinguished are quoted as one.
  public var listName: String
  public var listNumbers: Set<Int64>
  public var verdict: String
  /// Its proof, or the cause why it is less.
  public var because: String?
  /// Both in one; with the range of time that was read, if only a range was (for several lists, the common one).
  public var claim: String
  public var readFrom: String?
  public var readTo: String?
  public var why: String
  /// Empty: no walk has come to its end.
  public var asOf: String
  public var pages: Int
  /// Rows that the last walks returned. There are more if earlier walks left some that no proof shows as gone. Nil if a
  /// list is read in parts.
  public var walked: Int?
  /// Rows that the last walks did not return and that are too many to be marked as gone.
  public var withheld: Int
  /// Gives one line for each row, in the order of their bytes.
  public var sql: String
}

/// The canonical form of a row, in SQL that any SQLite runs: the columns that the job fills, in the
/// table's order, joined by `|`; a text is `x` and its bytes in hexadecimal, a number and NULL are
/// what `quote()` makes of them. No byte of it depends on a locale, a shell or a terminal.
enum CanonicalRow {
  static let ours = ["first_seen_at", "changed_at", "vanished_at"]

  static func isOfJob(_ column: String) -> Bool {
    !ours.contains(column) && !column.hasPrefix("trawl_")
  }

  static func sql(_ columns: [String], of alias: String) -> String {
    columns.filter(isOfJob).map { column in
      let name = "\(alias).\(SQLName.quoted(column))"
      return "iif(typeof(\(name)) = 'text', 'x' || hex(\(name)), quote(\(name)))"
    }.joined(separator: " || '|' || ")
  }
}
