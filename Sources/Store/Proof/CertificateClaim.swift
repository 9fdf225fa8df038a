internal import Base
internal import Walk

extension CertificateProof {
  /// A row of `trawl_certificates` with its list.
  struct Claim {
    let stored: StoredCertificate
    var window, traversal, list, run: Int64
    var job, stream, listName, table: String
    var place: ListPlace
    var from, to, verdict, rule, issuedAt: String
    var received, keysCount, tries: Int
    var keysDigest: UInt64
    var proof: String?
    var restsOn: Int?
    var rulesDigest: UInt64?
    var rules: WalkRules?
    var handed, coversTo: String?
    /// The newest of its window, or the last that reached the list's end: both have their pages.
    var isCurrent: Bool
    var hasPages: Bool
    /// Only the keys that it claims distinguish its rows from those of other lists of its stream.
    var sharesRows: Bool

    /// What its walk was handed after its last answer, with what its pages do not show.
    var left: Handed?

    /// A list without memberships that was walked from its first page has what the walk returned:
    /// rows of earlier walks, which stay in a stream that marks nothing as gone, no longer belong
    /// to it.
    func isOfItsWalk(_ evidence: WalkEvidence) -> Bool {
      if sharesRows { return true }
      let isWhole =
        place.table == table && from.isEmpty && rule != StopRule.lastCompleteRange.rawValue
      return isWhole && evidence.pages > 0 && rules?.isBatch != true
        && !["paused", "failed", "absent"].contains(verdict)
    }

    static func all(_ connection: Connection, _ rules: StoredRules) throws -> [Claim] {
      var claims = try connection.rows(sql) { Claim($0) }
      for index in claims.indices {
        claims[index].rules = try claims[index].rulesDigest.flatMap { try rules.rules($0) }
        if claims[index].rules?.isBatch != true {
          claims[index].left = claims[index].handed.flatMap(rules.handed)
        }
      }
      return claims
    }

    private static let sql =
      "SELECT \(CertificateRow.columns), c.window, c.traversal, u.list_number, l.job, l.stream, l.list, "
      + "l.table_name, l.list_table, l.list_key, l.list_where, l.list_part, u.window_from, "
      + "u.window_to, c.received, c.keys_count, c.keys_digest, c.proof, c.certificate IN ("
      + "(SELECT max(certificate) FROM trawl_certificates x WHERE x.window = c.window), "
      + "(SELECT max(certificate) FROM trawl_certificates x WHERE x.window = c.window "
      + "AND \(RecordStore.isReadToItsEnd))), l.list_where = '{}' AND EXISTS (SELECT 1 "
      + "FROM trawl_lists o WHERE o.job = l.job AND o.stream = l.stream "
      + "AND o.list_number <> l.list_number), c.run, c.rests_on, c.rules, c.handed, c.covers_to, "
      + "c.tries, EXISTS (SELECT 1 FROM trawl_pages p WHERE p.window = c.window "
      + "AND p.traversal = c.traversal) "
      + "FROM trawl_certificates c JOIN trawl_windows u USING (window) "
      + "JOIN trawl_lists l USING (list_number) ORDER BY u.list_number, u.window_from, c.certificate"

    private init(_ row: Statement) {
      let first = CertificateRow.count
      func text(_ column: Int) -> String { row.text(first + column) ?? "" }
      stored = CertificateRow.stored(row, Unit(stream: ""))
      (window, traversal) = (row.integer(first), row.integer(first + 1))
      list = row.integer(first + 2)
      (job, stream, listName, table) = (text(3), text(4), text(5), text(6))
      place = ListPlace(
        table: text(7), key: text(8), own: text(9), part: row.optionalInt(first + 10))
      (from, to) = (text(11), text(12))
      (verdict, rule, issuedAt) = (row.text(0) ?? "", row.text(1) ?? "", row.text(19) ?? "")
      (received, keysCount) = (row.int(first + 13), row.int(first + 14))
      keysDigest = row.bits(first + 15)
      proof = row.text(first + 16)
      (isCurrent, sharesRows) = (row.boolean(first + 17), row.boolean(first + 18))
      run = row.integer(first + 19)
      restsOn = row.optionalInt(first + 20)
      rulesDigest = row.isNull(first + 21) ? nil : row.bits(first + 21)
      (handed, coversTo) = (row.text(first + 22), row.text(first + 23))
      tries = row.int(first + 24)
      hasPages = row.boolean(first + 25)
    }
  }
}
