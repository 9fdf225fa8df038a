internal import Base

/// A list with what may be claimed of it, as `trawl_trust` says.
public struct TrustedList: Sendable, StoredValue {
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
  /// What was read, where only a range of time was: of other times nothing is known. The end alone: all up to then.
  public var readFrom: String?
  public var readTo: String?
  let place: ListPlace

  /// All that `verdict` may be, worst first.
  public static let verdicts = Book.claims

  /// The rank of the verdict, worst first.
  public var rank: Int { Book.claims.firstIndex(of: verdict) ?? 0 }

  /// `complete (ends)`, `complete (joined) from 2026-11-19T00:00:00Z to 2026-11-29T12:00:00Z`
  public var claim: String { claim(of: readFrom, readTo) ?? bareClaim }

  /// Without a range of time.
  var bareClaim: String { verdict + ((proof ?? cause).map { " (\($0))" } ?? "") }

  /// The claim for a range of time, or for all up to a time; nil: it claims nothing of what was read, or of all of it.
  func claim(of from: String?, _ to: String?) -> String? {
    guard Self.claimsOfRange.contains(verdict), let to else { return nil }
    return "\(bareClaim) \(from.map { "from \($0) to" } ?? "up to") \(to)"
  }

  /// The verdicts that say something of all that was read.
  static let claimsOfRange = ["complete", "unproven", "limited"]

  /// `followers of octocat: complete (ends), 812 rows, as of 2026-11-21T10:00:00Z`
  public var sentence: String {
    let when = asOf.map { "as of \($0)" } ?? "never read to its end"
    return "\(name): \(claim), \(Wording.count(rows, "row")), \(when)"
  }

  static let columns =
    "l.list_number, l.job, l.stream, l.table_name, l.list, l.rows, "
    + "ifnull(t.verdict, 'unfinished'), t.proof, t.cause, ifnull(t.why, ''), t.as_of, "
    + "t.complete_as_of, t.read_from, t.read_to, \(ListPlace.columns)"
  static let source = "trawl_lists l LEFT JOIN trawl_trust t USING (list_number)"

  /// From a row of `columns`.
  init(_ row: inout ColumnReader) {
    (number, job, stream, table) = (row.next(), row.next(), row.next(), row.next())
    (name, rows, verdict, proof) = (row.next(), row.next(), row.next(), row.next())
    (cause, why, asOf, completeAsOf) = (row.next(), row.next(), row.next(), row.next())
    (readFrom, readTo) = (row.next(), row.next())
    place = row.next()
  }

  /// Worst first; equal ones in the order in which they came to the file.
  static func rows(
    where condition: String, _ values: [SQLValue], _ connection: Connection
  ) throws(SQLiteError) -> [TrustedList] {
    let lists: [TrustedList] = try connection.rows(
      "SELECT \(columns) FROM \(source) WHERE \(condition)", values)
    return lists.sorted { ($0.rank, $0.number) < ($1.rank, $1.number) }
  }
}
