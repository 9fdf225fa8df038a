internal import Base

extension RecordStore {
  /// Every list of the choice, in the order of jobs and lists.
  public func citations(_ choice: ProofChoice = ProofChoice()) throws(StoreError) -> [Citation] {
    try guarded {
      try connection.snapshot {
        var order: [[String]] = []
        var groups: [[String]: [CitedList]] = [:]
        for cited in try connection.rows(CitedList.sql, [], CitedList.init)
        where choice.takes(job: cited.list.job, stream: cited.list.stream) {
          if groups[cited.rows] == nil { order.append(cited.rows) }
          groups[cited.rows, default: []].append(cited)
        }
        return try order.compactMap { try groups[$0].map(citation) }
      }
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
    // Of several the worst decides, as among the windows of one list.
    let decisive =
      lists.map(\.list).min { ($0.rank, $1.asOf ?? "") < ($1.rank, $0.asOf ?? "") }
      ?? lists[0].list
    let (table, place) = (decisive.table, decisive.place)
    let names = try connection.columns(of: table)
    var from = "\(SQLName.quoted(table)) t"
    var alias = "t"
    if place.table != table {
      let key = try connection.text(
        "SELECT key_columns FROM trawl_tables WHERE table_name = ?", [.text(table)])
      alias = "m"
      from +=
        " JOIN \(SQLName.quoted(place.table)) m ON "
        + TableDesign.same(OldTable.names(key), of: "t", place.key, of: "m")
    }
    let sql =
      "SELECT \(CanonicalRow.sql(names, of: "t")) FROM \(from) "
      + "WHERE \(alias).vanished_at IS NULL AND \(place.condition(alias)) ORDER BY 1"
    return Citation(
      job: decisive.job, origin: lists[0].origin, stream: decisive.stream, table: table,
      listName: lists.count > 1 ? "\(lists.count) lists of \(decisive.stream)" : decisive.name,
      listNumbers: Set(lists.map(\.list.number)), verdict: decisive.verdict,
      because: decisive.proof ?? decisive.cause, why: decisive.why, asOf: decisive.asOf ?? "",
      pages: lists.reduce(0) { $0 + $1.pages },
      walked: lists.reduce(0) { sum, list in sum.flatMap { sum in list.walked.map { sum + $0 } } },
      withheld: lists.reduce(0) { $0 + $1.withheld }, sql: sql)
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
  var rows: [String] {
    let place = list.place
    return [list.job, list.stream, list.table, place.table, place.condition("m")] + place.key
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

  init(_ row: Statement) {
    list = TrustedList(row)
    origin = row.text(16) ?? ""
    (pages, walked, withheld) = (row.int(17), row.optionalInt(18), row.int(19))
  }
}
