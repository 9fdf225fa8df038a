internal import SQLite

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
    // Of several the worst decides, as in trawl_trust.
    let decisive = lists.min { ($0.rank, $1.asOf) < ($1.rank, $0.asOf) }
    let units = Set(lists.map(\.list))
    let label =
      units.count > 1 ? "\(units.count) lists of \(rows.stream)" : lists.first?.listName ?? ""
    let names = try connection.rows(
      "SELECT name FROM pragma_table_info(?)", [.text(rows.table)]
    ) { $0.text(0) ?? "" }
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
      listNumbers: units,
      verdict: decisive?.claim ?? "unfinished", why: decisive?.why ?? "",
      asOf: decisive?.asOf ?? "", pages: lists.reduce(0) { $0 + $1.pages }, sql: sql)
  }
}

/// A unit of a list with its last certificate.
struct CitedList {
  /// Which rows are meant: lists with the same ones are quoted together.
  struct Rows: Hashable {
    var job, origin, stream, table, listTable, listKey, listWhere: String
    var digest: String?

    var place: ListPlace {
      ListPlace(table: listTable, key: listKey, own: listWhere, digest: digest)
    }
  }

  var rows: Rows
  var list: Int64
  var listName, claim, why, asOf: String
  var pages: Int

  /// The view `trawl_trust` ranks them the same way.
  private static let worst = [
    "failed", "void", "unfinished", "paused", "short", "drifted", "absent", "capped", "gap",
  ]

  var rank: Int { Self.worst.firstIndex(of: claim) ?? Self.worst.count }

  static let sql =
    "SELECT l.job, j.origin, l.stream, l.table_name, l.list_table, l.list_key, l.list_where, "
    + "l.list_digest, l.list, l.found_by, CASE WHEN c.certificate IS NULL THEN 'unfinished' "
    + "WHEN c.standing = 'other request' THEN 'void' ELSE c.verdict END, coalesce(c.why, ''), "
    + "coalesce(c.issued_at, ''), coalesce(c.pages, 0) FROM trawl_lists l "
    + "JOIN trawl_jobs j USING (job) JOIN trawl_units u USING (list) "
    + "LEFT JOIN trawl_certificates c ON c.certificate = "
    + "(SELECT max(certificate) FROM trawl_certificates x WHERE x.unit = u.unit) "
    + "ORDER BY l.job, l.list, u.window_from"

  init(_ row: Statement) {
    rows = Rows(
      job: row.text(0) ?? "", origin: row.text(1) ?? "", stream: row.text(2) ?? "",
      table: row.text(3) ?? "", listTable: row.text(4) ?? "", listKey: row.text(5) ?? "",
      listWhere: row.text(6) ?? "", digest: row.text(7))
    list = row.integer(8)
    listName = row.text(9) ?? ""
    claim = row.text(10) ?? ""
    why = row.text(11) ?? ""
    asOf = row.text(12) ?? ""
    pages = row.int(13)
  }
}
