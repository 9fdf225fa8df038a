import Base
@testable import Store
import TestSupport
@testable import Walk

/// A database with only the evidence of walks, as documented, for a checker that reads no more than that.
final class EvidenceFile {
  let path: String
  private let connection: Connection
  private var windows = 0
  private var certificates = 0
  private var pages = 0

  /// A claim about a walk.
  struct Claim {
    var verdict: Verdict
    var cause: Shortfall?
    var rule: StopRule
    var proofs: [ProofKind]
    var hasMoved: Bool
  }

  init(in scratch: ScratchFolder) throws {
    path = "\(scratch.path)/evidence.db"
    connection = try Connection(path, .create)
    try connection.execute("PRAGMA synchronous = OFF")
    for statement in Self.tables { try connection.execute(statement) }
    try connection.execute("BEGIN")
  }

  func close() throws {
    try connection.execute("COMMIT")
    connection.close()
  }

  /// Adds a list with the walks of a few nights: each night's own certificate, and further claims about the last one.
  /// - Returns: the numbers of the claims.
  func add(_ nights: [MatrixWalk.Outcome], claiming claims: [Claim]) throws -> [Int] {
    windows += 1
    try connection.run(
      "INSERT INTO trawl_lists VALUES (?, 'shop', 'things', ?, 'things', 'things', '{}', '[\"id\"]', NULL)",
      [SQLValue(windows), .text("list \(windows)")])
    try insert("trawl_windows", [SQLValue(windows), SQLValue(windows), .text(""), .null])
    var whole: Int?
    var number = 0
    for (index, night) in nights.enumerated() {
      number += 1
      let last = try answers(night.run, of: index + 1, run: &number, whole: whole)
      let isLast = index == nights.count - 1
      if isLast {
        return try claims.map {
          try certify(night, as: $0, of: index + 1, run: number, restingOn: whole, last)
        }
      }
      let own = Claim(night.certificate)
      let certificate = try certify(
        night, as: own, of: index + 1, run: number, restingOn: whole, last)
      if own.verdict.isWhole { whole = certificate }
    }
    return []
  }

  private func answers(
    _ walk: WalkRun, of night: Int, run: inout Int, whole: Int?
  ) throws -> Handed? {
    var rules: WalkRules?
    var last: Handed?
    for (row, keys) in zip(walk.rows, walk.keys) {
      var handed = row.handed
      if handed != nil {
        handed?.whole = whole
        last = handed
      }
      if handed?.isResumed == true { run += 1 }
      rules = row.rules ?? rules
      try save(row, keys.map(WalkRun.mark), handed, of: night, run: run)
    }
    if let rules {
      try connection.run(
        "INSERT INTO trawl_rules VALUES (?, ?) ON CONFLICT DO NOTHING",
        [SQLValue(bits: rules.digest), .text(rules.text)])
    }
    return last
  }

  private func save(
    _ row: Replay.Row, _ keys: [UInt64], _ handed: Handed?, of night: Int, run: Int
  ) throws {
    pages += 1
    let (page, counts) = (row.page, row.page.counts)
    try insert(
      "trawl_pages",
      [
        SQLValue(pages), SQLValue(windows), SQLValue(night), SQLValue(page.ordinal),
        .text(page.purpose.rawValue), .text(page.cursor.description),
        SQLValue(page.next?.description), SQLValue(page.last?.description),
        SQLValue(page.trouble?.rawValue), SQLValue(page.total),
        page.more.map { SQLValue($0) } ?? .null, SQLValue(SignText.text(page.signs)),
        SQLValue(counts.received), SQLValue(counts.new), SQLValue(counts.changed),
        SQLValue(counts.unchanged), SQLValue(counts.repeated), SQLValue(counts.dropped),
        SQLValue(counts.rejected),
        SQLValue(0), SQLValue(page.rejectReason), SQLValue(page.keyClashes.onPage),
        SQLValue(page.keyClashes.acrossPages), .blob(KeyBlob.bytes(keys)),
        SQLValue(page.isNotModified),
        SQLValue(StoredOrder.text(page.order)), SQLValue(handed?.text), SQLValue(run),
        SQLValue(page.oldest?.storedWithMilliseconds), SQLValue(page.isNewestFirst),
        .text(row.address),
      ])
  }

  private func certify(
    _ outcome: MatrixWalk.Outcome, as claim: Claim, of night: Int, run: Int, restingOn whole: Int?,
    _ handed: Handed?
  ) throws -> Int {
    certificates += 1
    let (own, counts) = (outcome.certificate, outcome.certificate.counts)
    var seen = KeySet()
    for key in outcome.run.seen { _ = seen.insert(WalkRun.mark(key)) }
    var left = outcome.run.left
    left?.whole = whole
    let rests = claim.proofs.contains { $0 == .twice || $0 == .joined }
    try insert(
      "trawl_certificates",
      [
        SQLValue(certificates), SQLValue(windows), SQLValue(night), .text(claim.verdict.rawValue),
        SQLValue(claim.cause?.rawValue), .text(claim.rule.rawValue), SQLValue(own.pages),
        SQLValue(counts.received), SQLValue(counts.new), SQLValue(counts.changed),
        SQLValue(counts.unchanged), SQLValue(counts.repeated), SQLValue(counts.dropped),
        SQLValue(counts.rejected), SQLValue(seen.count), SQLValue(seen.count),
        SQLValue(bits: seen.digest), SQLValue(claim.hasMoved),
        SQLValue(claim.proofs.first?.rawValue),
        SQLValue(ProofList.text(claim.proofs)), SQLValue(rests ? whole : nil),
        own.pattern.map { SQLValue(bits: $0) } ?? .null,
        handed.map { SQLValue(bits: $0.rules) } ?? .null, SQLValue(left?.text), SQLValue(0),
        .text("older mapping"), SQLValue(run), .null, .null,
      ])
    return certificates
  }

  private func insert(_ table: String, _ values: [SQLValue]) throws {
    let holes = Array(repeating: "?", count: values.count).joined(separator: ", ")
    try connection.run("INSERT INTO \(table) VALUES (\(holes))", values)
  }

  private static let tables = [
    """
    CREATE TABLE trawl_lists (list_number INTEGER PRIMARY KEY, job, stream, list, table_name, list_table,
      list_where, list_key, list_part)
    """,
    "CREATE TABLE trawl_windows (window INTEGER PRIMARY KEY, list_number, window_from, window_to)",
    """
    CREATE TABLE trawl_pages (page INTEGER PRIMARY KEY, window, traversal, ordinal, purpose, cursor, next_cursor,
      last_cursor, trouble, total, more, signs, received, new, changed, unchanged, repeated, dropped, rejected,
      field_rejects, reject_reason, ambiguous, altered, keys,
      is_not_modified, sort_span, handed, run, oldest, is_newest_first, address)
    """,
    "CREATE INDEX walk ON trawl_pages (window, traversal)",
    """
    CREATE TABLE trawl_certificates (certificate INTEGER PRIMARY KEY, window, traversal, verdict, cause, rule, pages,
      received, new, changed, unchanged, repeated, dropped, rejected, distinct_keys, keys_count, keys_digest,
      has_moved, proof, proofs, rests_on, pattern, rules, handed, withheld, standing, run, covers_to, newest)
    """,
    "CREATE TABLE trawl_rules (rules INTEGER PRIMARY KEY, text)",
    "CREATE TABLE trawl_signs (job, stream, says_more, sizes_hold, first_known, window, traversal)",
    "INSERT INTO trawl_signs VALUES ('shop', 'things', 1, 1, 1, 0, 0)",
    """
    CREATE VIEW trawl_facts AS SELECT 'rules' AS kind, '' AS job, '' AS stream, printf('%016x', rules) AS subject,
      text AS fact FROM trawl_rules UNION ALL SELECT 'signs', job, stream, '', json_object('says_more', says_more,
      'sizes_hold', sizes_hold, 'first_known', first_known, 'window', window, 'traversal', traversal) FROM trawl_signs
    """,
  ]
}

extension EvidenceFile.Claim {
  init(_ certificate: Certificate) {
    self.init(
      verdict: certificate.verdict, cause: certificate.cause, rule: certificate.rule,
      proofs: certificate.proofs, hasMoved: certificate.hasMoved)
  }

  /// The claim that the list is whole, by one proof.
  init(_ proof: ProofKind, by rule: StopRule) {
    self.init(verdict: .complete, rule: rule, proofs: [proof], hasMoved: false)
  }
}
