internal import Base

/// A row of `trawl_pages`.
struct StoredPage: StoredValue {
  let number, traversal: Int64
  var summary: PageSummary
  let keys: [UInt64]
  let address: String
  /// What its walk was handed before it.
  let handed: String?
  let committedAt: Instant?
  /// The last change of records when it was stored.
  let change: Int64
  let etag, lastModified: String?
  let zeroDates, fieldRejects: Int

  /// Records that may have no row: dropped and rejected ones, and those whose list is unknown.
  var withoutRow: Int { summary.counts.dropped + summary.counts.rejected + fieldRejects }

  static let columns =
    "page, traversal, purpose, ordinal, cursor, next_cursor, total, more, new, changed, unchanged, "
    + "repeated, dropped, rejected, is_not_modified, trouble, oldest, newest, is_newest_first, "
    + "reject_reason, ambiguous, altered, ambiguous_key, signs, sort_span, last_cursor, keys, address, "
    + "handed, committed_at, change, etag, last_modified, zero_dates, field_rejects"

  init(_ row: inout ColumnReader) {
    (number, traversal) = (row.next(), row.next())
    summary = PageSummary(
      purpose: row.word() ?? .page, ordinal: row.next(), cursor: row.made { Cursor($0) } ?? .start,
      next: row.made { Cursor($0) }, total: row.next(), more: row.next(), counts: row.next())
    summary.isNotModified = row.next()
    summary.trouble = row.made { TroubleKind(rawValue: $0) ?? .unreadable }
    (summary.oldest, summary.newest, summary.isNewestFirst) = (row.next(), row.next(), row.next())
    summary.rejectReason = row.next()
    (summary.keyClashes.onPage, summary.keyClashes.acrossPages) = (row.next(), row.next())
    summary.keyClashes.example = row.next()
    (summary.signs, summary.order) = (SignText.signs(row.next()), StoredOrder.order(row.next()))
    summary.last = row.made { Cursor($0) }
    keys = row.keys()
    (address, handed, committedAt, change) = (row.next(), row.next(), row.next(), row.next())
    (etag, lastModified, zeroDates, fieldRejects) = (row.next(), row.next(), row.next(), row.next())
    summary.note(keys)
    if summary.purpose.isLook { summary.lookedAt = keys.count }
  }
}

/// A row of `trawl_certificates`.
extension StoredCertificate: StoredValue {
  /// Of a table with the alias `c`.
  static let columns = [
    "certificate", "verdict", "cause", "rule", "why", "pages", "new", "changed", "unchanged",
    "repeated", "dropped", "rejected", "distinct_keys", "first_total", "last_total", "trust",
    "has_moved", "resumes_at", "is_as_declared", "proofs", "pattern", "standing", "issued_at",
    "began_at", "newest", "oldest", "withheld", "whole_at", "pattern_walks", "pattern_since",
    "run", "keys_count", "tries", "empty_since", "unproven_reads", "proving_at", "traversal",
    "rests_on", "request_print", "mapping_print",
  ].map { "c.\($0)" }.joined(separator: ", ")

  init(_ row: inout ColumnReader) {
    number = row.next()
    certificate = Certificate(
      // A word that this version does not know (because of damage) claims nothing.
      verdict: row.word() ?? .failed, cause: row.word(), rule: row.word() ?? .failure,
      why: row.next(), pages: row.next(), counts: row.next(), distinctKeys: row.next(),
      firstTotal: row.next(), lastTotal: row.next(), trust: row.word(), hasMoved: row.next(),
      goesOnAt: row.next(), isAsDeclared: row.next(Bool.self), proofs: ProofList.kinds(row.next()),
      pattern: row.next())
    (standing, issuedAt) = (row.word() ?? .otherRequest, row.next())
    beganAt = row.next(Instant?.self) ?? issuedAt
    (newest, oldest, withheld) = (row.next(), row.next(), row.next())
    wholeAt = row.next(Instant?.self) ?? issuedAt
    (patternWalks, patternSince, run, keysCount) = (row.next(), row.next(), row.next(), row.next())
    (tries, emptySince, unprovenReads, provingAt) = (
      row.next(), row.next(), row.next(), row.next()
    )
    (traversal, restsOn) = (row.next(), row.next())
    prints = Fingerprints(request: row.next(), mapping: row.next())
  }

  /// Those of a window, newest first.
  static func all(
    of window: Int64, _ connection: Connection
  ) throws(SQLiteError) -> [StoredCertificate] {
    try connection.rows(
      "SELECT \(columns) FROM trawl_certificates c WHERE window = ? ORDER BY certificate DESC",
      [.integer(window)])
  }
}

/// The proofs of a certificate as the database stores them: `counted, ends`.
enum ProofList {
  static func text(_ proofs: [ProofKind]) -> String? {
    proofs.isEmpty ? nil : proofs.map(\.rawValue).joined(separator: ", ")
  }

  static func kinds(_ text: String?) -> [ProofKind] {
    (text ?? "").split(separator: ",").compactMap { part in
      ProofKind(rawValue: String(part.drop { $0 == " " }))
    }
  }
}

extension Statement {
  func instant(_ column: Int) -> Instant? { text(column).flatMap { Instant(stored: $0) } }

  /// From this column and the next.
  func window(_ column: Int) -> TimeWindow? {
    guard let from = instant(column), let to = instant(column + 1) else { return nil }
    return TimeWindow(from: from, to: to)
  }

  /// A digest; SQLite stores it as signed.
  func bits(_ column: Int) -> UInt64 { UInt64(bitPattern: integer(column)) }

  func keys(_ column: Int) -> [UInt64] { withBytes(column) { KeyBlob.keys($0) } }
}

extension Connection {
  /// 0 if there is no row, or NULL.
  func count(_ sql: String, _ values: [SQLValue] = []) throws(SQLiteError) -> Int {
    try row(sql, values) { $0.int(0) } ?? 0
  }

  /// How many such rows there are.
  /// - Parameter rows: what follows FROM.
  func count(of rows: String, _ values: [SQLValue] = []) throws(SQLiteError) -> Int {
    try count("SELECT count(*) FROM \(rows)", values)
  }

  /// The keys of pages.
  func keys(_ sql: String, _ values: [SQLValue]) throws(SQLiteError) -> KeySet {
    var keys = KeySet()
    try each(sql, values) { keys.formUnion($0.keys(0)) }
    return keys
  }

  /// Whether there is such a row.
  /// - Parameter rows: what follows FROM.
  func has(_ rows: String, _ values: [SQLValue] = []) throws(SQLiteError) -> Bool {
    try integer("SELECT EXISTS (SELECT 1 FROM \(rows))", values) == 1
  }

  func instant(_ sql: String, _ values: [SQLValue]) throws(SQLiteError) -> Instant? {
    try row(sql, values) { $0.instant(0) } ?? nil
  }
}

extension Instant {
  /// Reads what we wrote: a date, or a date and time with or without its Z.
  init?(stored text: String) {
    var text = text
    let reading = text.withUTF8 { TimeReader.read($0) }
    guard case .moment(let moment) = reading, let instant = moment.civil.instant else {
      return nil
    }
    self = instant
  }

  /// Keeps milliseconds: for times of records, which may have them.
  var storedWithMilliseconds: String {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      let count = TimeWriter.write(CivilTime(self), digits: 3, isUTC: true, to: start)
      return String(decoding: buffer[..<count], as: UTF8.self)
    }
  }
}
