internal import Base

/// A list with the claim about it, as `trawl_trust` shows it.
public struct TrustedList: Sendable {
  public var number: Int64
  public var job: String
  public var stream: String
  public var table: String
  public var name: String
  public var rows: Int
  public var verdict: String
  /// Its proof; only of a `complete` list.
  public var proof: String?
  /// Why it is `limited` or `incomplete`.
  public var cause: String?
  public var why: String
  public var asOf: String?
  public var completeAsOf: String?
  let place: ListPlace

  /// The rank of the verdict, worst first.
  public var rank: Int { Book.claims.firstIndex { $0.0 == verdict } ?? 0 }

  /// `followers of octocat: complete (ends), 812 rows, as of 2026-11-21T10:00:00Z`
  public var sentence: String {
    let because = (proof ?? cause).map { " (\($0))" } ?? ""
    let when = asOf.map { "as of \($0)" } ?? "never read to its end"
    return "\(name): \(verdict)\(because), \(Wording.count(rows, "row")), \(when)"
  }

  static let columns =
    "l.list_number, l.job, l.stream, l.table_name, l.list, l.rows, "
    + "ifnull(t.verdict, 'unfinished'), t.proof, t.cause, ifnull(t.why, ''), t.as_of, "
    + "t.complete_as_of, l.list_table, l.list_key, l.list_where, l.list_part"
  static let source = "trawl_lists l LEFT JOIN trawl_trust t USING (list_number)"

  /// A row of `columns`.
  init(_ row: Statement) {
    number = row.integer(0)
    (job, stream, table) = (row.text(1) ?? "", row.text(2) ?? "", row.text(3) ?? "")
    (name, rows) = (row.text(4) ?? "", row.int(5))
    (verdict, proof, cause) = (row.text(6) ?? "", row.text(7), row.text(8))
    (why, asOf, completeAsOf) = (row.text(9) ?? "", row.text(10), row.text(11))
    place = ListPlace(
      table: row.text(12) ?? "", key: row.text(13) ?? "", own: row.text(14) ?? "",
      part: row.optionalInt(15))
  }

  /// Worst first; equal ones in the order in which they came to the file.
  static func rows(
    where condition: String, _ values: [SQLValue], _ connection: Connection
  ) throws(SQLiteError) -> [TrustedList] {
    let sql = "SELECT \(columns) FROM \(source) WHERE \(condition)"
    return try connection.rows(sql, values, TrustedList.init).sorted {
      ($0.rank, $0.number) < ($1.rank, $1.number)
    }
  }
}
