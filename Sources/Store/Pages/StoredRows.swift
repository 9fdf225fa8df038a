internal import Base

/// Reads a row of `trawl_pages`.
enum PageRow {
  static let columns =
    "purpose, ordinal, cursor, next_cursor, total, more, new, changed, unchanged, repeated, "
    + "dropped, rejected, is_not_modified, trouble, oldest, is_newest_first, reject_reason, "
    + "ambiguous, altered, ambiguous_key, signs, sort_span, last_cursor, newest, keys"
  static let count = 25

  /// With its keys.
  static func page(_ row: Statement) -> (summary: PageSummary, keys: [UInt64]) {
    let keys = row.keys(count - 1)
    var summary = summary(row)
    summary.note(keys)
    if summary.purpose.isLook { summary.lookedAt = keys.count }
    return (summary, keys)
  }

  private static func summary(_ row: Statement) -> PageSummary {
    var summary = PageSummary(
      purpose: Step.Purpose(rawValue: row.text(0) ?? "") ?? .page, ordinal: row.int(1),
      cursor: row.text(2).flatMap { Cursor($0) } ?? .start,
      next: row.text(3).flatMap { Cursor($0) }, total: row.optionalInt(4),
      more: row.isNull(5) ? nil : row.boolean(5), counts: Counts(row, from: 6))
    (summary.isNotModified, summary.isNewestFirst) = (row.boolean(12), row.boolean(15))
    (summary.oldest, summary.newest) = (row.instant(14), row.instant(23))
    summary.trouble = row.text(13).map { TroubleKind(rawValue: $0) ?? .unreadable }
    summary.rejectReason = row.text(16)
    summary.keyClashes.onPage = row.int(17)
    summary.keyClashes.acrossPages = row.int(18)
    summary.keyClashes.example = row.text(19)
    summary.signs = SignText.signs(row.text(20))
    summary.order = StoredOrder.order(row.text(21))
    summary.last = row.text(22).flatMap { Cursor($0) }
    return summary
  }
}

/// Reads a row of `trawl_certificates`.
enum CertificateRow {
  static let columns =
    "verdict, rule, why, pages, new, changed, unchanged, repeated, dropped, rejected, "
    + "distinct_keys, first_total, last_total, trust, has_moved, is_as_declared, resumes_at, "
    + "standing, began_at, issued_at, newest, oldest, vanished, withheld, proofs, pattern, whole_at, "
    + "cause, certificate, pattern_walks, pattern_since, run, keys_count, tries, empty_since, "
    + "unproven_reads, proving_at"
  static let count = 37

  static func stored(_ row: Statement) -> StoredCertificate {
    let certificate = Certificate(
      // A word that this version does not know (because of damage) claims nothing.
      verdict: Verdict(rawValue: row.text(0) ?? "") ?? .failed,
      cause: row.text(27).flatMap { Shortfall(rawValue: $0) },
      rule: StopRule(rawValue: row.text(1) ?? "") ?? .failure, why: row.text(2) ?? "",
      pages: row.int(3), counts: Counts(row, from: 4), distinctKeys: row.int(10),
      firstTotal: row.optionalInt(11), lastTotal: row.optionalInt(12),
      trust: row.text(13).flatMap { Total.Trust(rawValue: $0) }, hasMoved: row.boolean(14),
      goesOnAt: row.instant(16), isAsDeclared: row.boolean(15),
      proofs: ProofList.kinds(row.text(24)),
      pattern: row.isNull(25) ? nil : row.bits(25))
    let issued = row.instant(19) ?? Instant(seconds: 0)
    return StoredCertificate(
      number: row.integer(28), certificate: certificate,
      standing: StoredCertificate.Standing(rawValue: row.text(17) ?? "") ?? .otherRequest,
      beganAt: row.instant(18) ?? issued, issuedAt: issued,
      newest: row.instant(20), oldest: row.instant(21),
      withheld: row.int(23), wholeAt: row.instant(26) ?? issued, patternWalks: row.int(29),
      patternSince: row.instant(30), run: row.integer(31), keysCount: row.int(32),
      tries: row.int(33), emptySince: row.instant(34), unprovenReads: row.int(35),
      provingAt: row.instant(36))
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
    Int(try integer(sql, values) ?? 0)
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
