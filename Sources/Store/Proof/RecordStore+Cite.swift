internal import Base

extension RecordStore {
  /// Every list of the choice, in the order of jobs and lists.
  public func citations(_ choice: ProofChoice = ProofChoice()) throws(StoreError) -> [Citation] {
    try guarded { connection in
      try connection.snapshot {
        var order: [CitedList.Rows] = []
        var groups: [CitedList.Rows: [CitedList]] = [:]
        for list in try connection.rows(CitedList.sql, [], CitedList.init)
        where choice.takes(job: list.rows.job, stream: list.rows.stream) {
          if groups[list.rows] == nil { order.append(list.rows) }
          groups[list.rows, default: []].append(list)
        }
        return try order.map { try Self.citation($0, groups[$0] ?? [], connection) }
      }
    }
  }

  /// Hands over each line of a citation's query with its line end, and counts them.
  public func lines(
    of citation: Citation, _ take: @Sendable (UnsafeRawBufferPointer) -> Void
  ) throws(StoreError) -> Int {
    try guarded { connection in
      let rows = try connection.statement(citation.sql)
      defer { rows.clear() }
      var count = 0
      while try rows.step() {
        count += 1
        rows.withBytes(0) { bytes in if let bytes { take(bytes) } }
        withUnsafeBytes(of: UInt8(ascii: "\n")) { take($0) }
      }
      return count
    }
  }

  private static func citation(
    _ rows: CitedList.Rows, _ lists: [CitedList], _ connection: Connection
  ) throws -> Citation {
    // Of several the worst decides, as among the windows of one list.
    let decisive = lists.min { ($0.rank, $1.asOf) < ($1.rank, $0.asOf) }
    let label =
      lists.count > 1 ? "\(lists.count) lists of \(rows.stream)" : lists.first?.listName ?? ""
    let names = try connection.columns(of: rows.table)
    let place = rows.place
    var from = "\(SQLName.quoted(rows.table)) t"
    var alias = "t"
    if place.table != rows.table {
      let key = try connection.text(
        "SELECT key_columns FROM trawl_tables WHERE table_name = ?", [.text(rows.table)])
      let pairs = zip(OldTable.names(key ?? ""), place.key).map {
        "t.\(SQLName.quoted($0)) = m.\(SQLName.quoted($1))"
      }
      alias = "m"
      from += " JOIN \(SQLName.quoted(place.table)) m ON \(pairs.joined(separator: " AND "))"
    }
    let sql =
      "SELECT \(CanonicalRow.sql(names, of: "t")) FROM \(from) "
      + "WHERE \(alias).vanished_at IS NULL AND \(place.condition(alias)) ORDER BY 1"
    return Citation(
      job: rows.job, origin: rows.origin, stream: rows.stream, table: rows.table, listName: label,
      listNumbers: Set(lists.map(\.number)),
      verdict: decisive?.verdict ?? "unfinished", because: decisive?.because,
      why: decisive?.why ?? "",
      asOf: decisive?.asOf ?? "", pages: lists.reduce(0) { $0 + $1.pages },
      walked: lists.reduce(0) { sum, list in sum.flatMap { sum in list.walked.map { sum + $0 } } },
      withheld: lists.reduce(0) { $0 + $1.withheld }, sql: sql)
  }
}

/// A list with what may be claimed of it.
struct CitedList {
  /// Which rows are meant: lists with the same ones are quoted together.
  struct Rows: Hashable {
    var job, origin, stream, table, listTable, listKey, listWhere: String
    var part: Int?

    var place: ListPlace {
      ListPlace(table: listTable, key: listKey, own: listWhere, part: part)
    }
  }

  var rows: Rows
  var number: Int64
  var listName, verdict, why, asOf: String
  var pages: Int
  /// Of the verdict, from the worst.
  var rank: Int
  /// Nil: it is read in parts.
  var walked: Int?
  var because: String?
  var withheld: Int

  /// Only what was certified stands under an instant and on pages.
  static let sql =
    "SELECT l.job, j.origin, l.stream, l.table_name, l.list_table, l.list_key, l.list_where, "
    + "l.list_part, l.list_number, l.list, ifnull(t.verdict, 'unfinished'), ifnull(t.why, ''), "
    + "ifnull(t.as_of, ''), (SELECT ifnull(sum(c.pages), 0) FROM trawl_windows w "
    + "JOIN trawl_certificates c ON c.certificate = (SELECT max(certificate) "
    + "FROM trawl_certificates x WHERE x.window = w.window) WHERE w.list_number = l.list_number), "
    + "(SELECT c.new + c.changed + c.unchanged FROM trawl_windows w "
    + "JOIN trawl_certificates c USING (window) WHERE w.list_number = l.list_number "
    + "AND w.window_from = '' AND c.rule <> 'lastCompleteRange' "
    + "AND NOT EXISTS (SELECT 1 FROM trawl_windows x WHERE x.list_number = l.list_number "
    + "AND x.window_from <> '') ORDER BY c.certificate DESC LIMIT 1), "
    + "ifnull(t.proof, t.cause), (SELECT ifnull(sum(c.withheld), 0) FROM trawl_windows w "
    + "JOIN trawl_certificates c ON c.certificate = (SELECT max(certificate) "
    + "FROM trawl_certificates x WHERE x.window = w.window "
    + "AND x.verdict NOT IN ('paused', 'failed')) WHERE w.list_number = l.list_number) "
    + "FROM trawl_lists l JOIN trawl_jobs j USING (job) "
    + "LEFT JOIN trawl_trust t USING (list_number) "
    + "ORDER BY l.job, l.list_number"

  init(_ row: Statement) {
    rows = Rows(
      job: row.text(0) ?? "", origin: row.text(1) ?? "", stream: row.text(2) ?? "",
      table: row.text(3) ?? "", listTable: row.text(4) ?? "", listKey: row.text(5) ?? "",
      listWhere: row.text(6) ?? "", part: row.optionalInt(7))
    number = row.integer(8)
    listName = row.text(9) ?? ""
    let verdict = row.text(10) ?? ""
    self.verdict = verdict
    why = row.text(11) ?? ""
    asOf = row.text(12) ?? ""
    pages = row.int(13)
    rank = Book.claims.firstIndex { $0.0 == verdict } ?? 0
    walked = row.optionalInt(14)
    because = row.text(15)
    withheld = row.int(16)
  }
}
