internal import Base
internal import Walk

extension CertificateProof {
  /// A row of `trawl_certificates` with its list.
  struct Claim: StoredValue {
    let stored: StoredCertificate
    var window, list: Int64
    var job, stream, listName, table: String
    var place: ListPlace
    var from, to, verdict, rule, issuedAt: String
    var received: Int
    var keysDigest: UInt64
    var proof: String?
    var rulesDigest: UInt64?
    var handed, coversTo: String?
    /// The newest of its window, or the last that reached the list's end: both have their pages.
    var isCurrent = false
    var hasPages: Bool
    /// Only the keys that it claims distinguish its rows from those of other lists of its stream.
    var sharesRows: Bool
    var rules: WalkRules?
    /// What its walk was handed after its last answer, with what its pages do not show.
    var left: Handed?

    var traversal: Int64 { stored.traversal }
    var restsOn: Int? { stored.restsOn.map { Int($0) } }

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
      var claims: [Claim] = try connection.rows(sql)
      var known: (newest: Set<Int64>, whole: Set<Int64>) = ([], [])
      for (index, claim) in claims.enumerated().reversed() {
        let isNewest = known.newest.insert(claim.window).inserted
        let isWhole = claim.stored.isReadToItsEnd && known.whole.insert(claim.window).inserted
        claims[index].isCurrent = isNewest || isWhole
      }
      for index in claims.indices {
        claims[index].rules = try claims[index].rulesDigest.flatMap { try rules.rules($0) }
        if claims[index].rules?.isBatch != true {
          claims[index].left = claims[index].handed.flatMap(rules.handed)
        }
      }
      return claims
    }

    private static let sql =
      "SELECT \(StoredCertificate.columns), c.window, u.list_number, l.job, l.stream, "
      + "l.list, l.table_name, \(ListPlace.columns), u.window_from, u.window_to, c.verdict, c.rule, "
      + "c.issued_at, c.received, c.keys_digest, c.proof, c.rules, c.handed, "
      + "c.covers_to, EXISTS (SELECT 1 FROM trawl_pages p "
      + "WHERE p.window = c.window AND p.traversal = c.traversal), "
      + "l.list_where = '{}' AND EXISTS (SELECT 1 FROM trawl_lists o WHERE o.job = l.job "
      + "AND o.stream = l.stream AND o.list_number <> l.list_number) "
      + "FROM trawl_certificates c JOIN trawl_windows u USING (window) "
      + "JOIN trawl_lists l USING (list_number) ORDER BY u.list_number, u.window_from, c.certificate"

    init(_ row: inout ColumnReader) {
      stored = row.next()
      (window, list) = (row.next(), row.next())
      (job, stream, listName, table) = (row.next(), row.next(), row.next(), row.next())
      place = row.next()
      (from, to, verdict, rule, issuedAt) = (
        row.next(), row.next(), row.next(), row.next(), row.next()
      )
      (received, keysDigest) = (row.next(), row.next())
      (proof, rulesDigest) = (row.next(), row.next())
      (handed, coversTo) = (row.next(), row.next())
      (hasPages, sharesRows) = (row.next(), row.next())
    }
  }
}
