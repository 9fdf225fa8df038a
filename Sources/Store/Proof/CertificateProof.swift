internal import Model
internal import SQLite

/// Counts again what each certificate claims, from its pages and from the rows, and believes no
/// number of its own. The evidence stands in the pages until a later walk is certified; then that
/// later certificate is the claim.
struct CertificateProof {
  private let connection: Connection
  private let rows: RowProof
  private let book: BookProof

  init(_ connection: Connection, _ rows: RowProof, _ book: BookProof) {
    self.connection = connection
    self.rows = rows
    self.book = book
  }

  /// A row of `trawl_certificates` with its list.
  struct Claim {
    var number, window, traversal, list, run: Int64
    var job, stream, listName, table: String
    var place: ListPlace
    var from, to, verdict, rule, why, issuedAt: String
    var pages, received, sum, new, changed, distinct, keysCount: Int
    var digest: UInt64
    var lastTotal: Int?
    var hasMoved: Bool
    var hasProof: Bool
    /// The newest of its window, or the last that came to the list's end: both have their pages.
    var isCurrent: Bool
    /// Nothing tells its rows from those of other lists of its stream but the keys that it claims.
    var sharesRows: Bool

    /// A list without memberships that was walked from its first page has what the walk brought: rows of
    /// earlier walks, which a stream that marks nothing as gone keeps, are not the list's any more.
    func isOfItsWalk(_ evidence: PageEvidence) -> Bool {
      if sharesRows { return true }
      let isWhole =
        place.table == table && from.isEmpty && rule != StopRule.lastCompleteRange.rawValue
      return isWhole && evidence.count > 0 && !evidence.isBatch
        && !["paused", "failed", "absent"].contains(verdict)
    }
  }

  func prove(_ choice: ProofChoice, _ proof: inout Proof) throws {
    let claims = try connection.rows(Self.sql) { Self.claim($0) }
    var known: (list: Int64, listed: ListedRows)?
    for claim in claims where choice.takes(job: claim.job, stream: claim.stream) {
      if known?.list != claim.list {
        var listed: ListedRows?
        try RecordStore.damaged(claim.place.table, &proof) { _ in listed = try self.listed(claim) }
        known = (claim.list, listed ?? ListedRows())
      }
      let evidence = try PageEvidence(
        window: claim.window, traversal: claim.traversal, upTo: claim.run, connection)
      let listed = known?.listed ?? ListedRows()
      // Different records of the walk that have their row are the common ones.
      let (digest, walked) = evidence.keys.compared(with: listed.keys)
      var proved = ProvedCertificate(
        listNumber: claim.list, job: claim.job, stream: claim.stream, listName: claim.listName,
        windowFrom: claim.from,
        windowTo: claim.to, verdict: claim.verdict, rule: claim.rule, why: claim.why,
        rows: claim.isOfItsWalk(evidence) ? walked : listed.present,
        pages: evidence.count, keys: evidence.keys.count,
        issuedAt: claim.issuedAt, problems: [])
      proved.problems =
        Self.sums(claim, evidence, digest) + evidence.chain(of: claim) + Self.end(claim, evidence)
        + Self.stored(claim, evidence, walked)
      for problem in proved.problems {
        proof.add("trawl_certificates", "\(claim.number) (\(claim.listName))", problem)
      }
      // The rows are named already: this is what follows from them.
      if book.isDamaged(claim, pages: evidence.numbers) {
        proved.problems.append("its own row or a page it is based on is not as it was written")
      }
      if listed.damaged > 0 {
        proved.problems.append(
          listed.damaged == 1
            ? "a row of its list is not as it was stored"
            : "\(listed.damaged) rows of its list are not as they were stored")
      }
      proof.certificates.append(proved)
    }
  }

  // MARK: claims

  /// - Parameter digest: of the pages' keys.
  private static func sums(
    _ claim: Claim, _ evidence: PageEvidence, _ digest: UInt64
  ) -> [String] {
    var problems: [String] = []
    if claim.received != claim.sum { problems.append("its counts do not add up") }
    guard evidence.count > 0 else {
      // A reset of a paused walk takes its pages, and a later walk those of one that it followed.
      if claim.pages > 0, claim.isCurrent, !["paused", "failed"].contains(claim.verdict) {
        problems.append("the \(claim.pages) pages it is based on are missing")
      }
      return problems
    }
    if evidence.keys.count != claim.keysCount || digest != claim.digest {
      problems.append(
        "its pages hold \(evidence.keys.count) distinct keys, and they are not the "
          + "\(claim.keysCount) that it names")
    }
    // Whether a record was new or changed does not depend on why its page was read.
    if evidence.new != claim.new || evidence.changed != claim.changed {
      problems.append(
        "its pages held \(evidence.new) new and \(evidence.changed) changed, it names "
          + "\(claim.new) and \(claim.changed)")
    }
    return problems
  }

  /// The rule that ended the walk must show in the last page.
  private static func end(_ claim: Claim, _ evidence: PageEvidence) -> [String] {
    guard claim.verdict == "complete", !evidence.isBatch, let last = evidence.last else {
      return []
    }
    var problems: [String] = []
    if !claim.hasProof { problems.append("it names no proof, and calls the list complete") }
    if claim.hasMoved { problems.append("it says that the list moved, and calls it complete") }
    switch StopRule(rawValue: claim.rule) {
    case .noNextPage where last.next != nil:
      problems.append("its last page names a next one")
    case .emptyPage where last.received > 0:
      problems.append("its last page is not empty")
    case .moreFlag where last.more != false:
      problems.append("its last page does not say that no more follow")
    case .countedTotal:
      let total = claim.lastTotal ?? .max
      if max(evidence.received, evidence.keys.count) < total {
        problems.append("\(evidence.received) records were received, and the API counts \(total)")
      }
    case .loop, .tooManyEmptyPages, .pageLimit, .failure, .capReached, .capSign, .gone, nil:
      problems.append("\(claim.rule) is not the end of a complete list")
    default: break
    }
    return problems
  }

  /// Each key of the pages has its row, but for records that were dropped or rejected.
  private static func stored(
    _ claim: Claim, _ evidence: PageEvidence, _ walked: Int
  ) -> [String] {
    let missing = evidence.keys.count - walked
    guard missing > evidence.withoutRow else { return [] }
    return [
      "\(missing - evidence.withoutRow) of its \(evidence.keys.count) keys have no row in "
        + claim.place.table
    ]
  }

  // MARK: rows

  private func listed(_ claim: Claim) throws -> ListedRows {
    let place = claim.place
    let name = SQLName.quoted(place.table)
    let key = place.key.map { "m.\(SQLName.quoted($0))" }
    var listed = try WholeList(place).flatMap { rows.whole[$0] } ?? selected(place, key)
    for table in Set([place.table, claim.table]) where rows.damaged.contains(table) {
      guard let damage = rows.damage[table] else { continue }
      var join = ""
      if table != place.table {
        let own = try connection.text(
          "SELECT key_columns FROM trawl_tables WHERE table_name = ?", [.text(table)])
        let pairs = zip(OldTable.names(own ?? ""), key).map { "t.\(SQLName.quoted($0)) = \($1)" }
        join = "JOIN \(name) m ON \(pairs.joined(separator: " AND "))"
      }
      let alias = table == place.table ? "t" : "m"
      listed.damaged += Int(
        try connection.integer(
          "SELECT count(*) FROM \(SQLName.quoted(table)) t NOT INDEXED \(join) "
            + "WHERE \(place.condition(alias)) AND \(damage)") ?? 0)
    }
    return listed
  }

  /// The rows that values of its own tell from those of other lists.
  private func selected(_ place: ListPlace, _ key: [String]) throws(SQLiteError) -> ListedRows {
    var listed = ListedRows()
    let all = try connection.statement(
      "SELECT trawl_hash(\(key.joined(separator: ", "))), m.vanished_at IS NULL "
        + "FROM \(SQLName.quoted(place.table)) m NOT INDEXED WHERE \(place.condition("m"))")
    defer { all.clear() }
    while try all.step() {
      listed.note(UInt64(bitPattern: all.integer(0)), isPresent: all.boolean(1))
    }
    return listed
  }

  private static let sql =
    "SELECT c.certificate, c.window, c.traversal, u.list_number, l.job, l.stream, l.list, "
    + "l.table_name, l.list_table, l.list_key, l.list_where, l.list_digest, u.window_from, "
    + "u.window_to, c.verdict, c.rule, c.why, c.issued_at, c.pages, c.received, "
    + "c.new + c.changed + c.unchanged + c.repeated + c.dropped + c.rejected, c.new, c.changed, "
    + "c.distinct_keys, c.keys_count, c.keys_digest, c.last_total, c.has_moved, c.proof IS NOT NULL, c.certificate IN ("
    + "(SELECT max(certificate) FROM trawl_certificates x WHERE x.window = c.window), "
    + "(SELECT max(certificate) FROM trawl_certificates x WHERE x.window = c.window "
    + "AND \(RecordStore.isReadToItsEnd))), l.list_where = '{}' AND EXISTS (SELECT 1 "
    + "FROM trawl_lists o WHERE o.job = l.job AND o.stream = l.stream "
    + "AND o.list_number <> l.list_number), c.run FROM trawl_certificates c JOIN trawl_windows u USING (window) "
    + "JOIN trawl_lists l USING (list_number) ORDER BY u.list_number, u.window_from, c.certificate"

  private static func claim(_ row: Statement) -> Claim {
    Claim(
      number: row.integer(0), window: row.integer(1), traversal: row.integer(2),
      list: row.integer(3), run: row.integer(31), job: row.text(4) ?? "", stream: row.text(5) ?? "",
      listName: row.text(6) ?? "", table: row.text(7) ?? "",
      place: ListPlace(
        table: row.text(8) ?? "", key: row.text(9) ?? "", own: row.text(10) ?? "",
        digest: row.text(11)),
      from: row.text(12) ?? "", to: row.text(13) ?? "", verdict: row.text(14) ?? "",
      rule: row.text(15) ?? "", why: row.text(16) ?? "", issuedAt: row.text(17) ?? "",
      pages: row.int(18), received: row.int(19), sum: row.int(20), new: row.int(21),
      changed: row.int(22), distinct: row.int(23), keysCount: row.int(24),
      digest: UInt64(bitPattern: row.integer(25)), lastTotal: row.optionalInt(26),
      hasMoved: row.boolean(27), hasProof: row.boolean(28), isCurrent: row.boolean(29),
      sharesRows: row.boolean(30))
  }
}
