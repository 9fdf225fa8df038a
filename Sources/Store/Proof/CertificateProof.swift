internal import Base

/// Derives each certificate again: its list is walked once more over the stored answers, the result
/// is compared with its claim, and its keys are compared with the rows. It trusts no stored number.
/// The answers are kept until a later walk is certified; then that later certificate is the claim.
struct CertificateProof {
  let connection: Connection
  let rows: RowProof
  let book: BookProof

  func prove(_ choice: ProofChoice, _ proof: inout Proof) throws {
    let rules = StoredRules(connection)
    let claims = try Claim.all(connection, rules).filter {
      choice.takes(job: $0.job, stream: $0.stream)
    }
    let signs = try StoredSigns(connection)
    let stones = try Tombstone.all(connection).filter { choice.takes(job: $0.job) }
    let forgotten = Dictionary(grouping: stones, by: \.table)
    proof.forgotten = forgotten.sorted { $0.key < $1.key }.map { table, stones in
      ForgottenRecords(
        table: table, job: stones[0].job, records: stones.count,
        lastAt: stones.map(\.at).max() ?? stones[0].at)
    }
    // Certificates of one list come one after another.
    var known: (list: Int64, listed: ListedRows, claims: [Int: Claim])?
    for (index, claim) in claims.enumerated() {
      if known?.list != claim.list {
        var listed: ListedRows?
        try RecordStore.damaged(claim.place.table, &proof) { _ in listed = try self.listed(claim) }
        let own = claims[index...].prefix { $0.list == claim.list }
        known = (
          claim.list, listed ?? ListedRows(),
          Dictionary(own.map { (Int($0.stored.number), $0) }) { one, _ in one }
        )
      }
      guard let known else { continue }
      let evidence = try WalkEvidence(of: claim, rules, book, connection)
      // The common keys are different records of the walk that have a row.
      let (digest, walked) = evidence.keys.compared(with: known.listed.keys)
      let stones = walked < evidence.keys.count ? forgotten[claim.table] ?? [] : []
      let withoutRow = stones.count {
        evidence.keys.contains($0.digest) && !known.listed.keys.contains($0.digest)
      }
      var proved = ProvedCertificate(
        listNumber: claim.list, job: claim.job, stream: claim.stream, listName: claim.listName,
        windowFrom: claim.from, windowTo: claim.to, verdict: claim.verdict, rule: claim.rule,
        why: claim.stored.certificate.why,
        rows: claim.isOfItsWalk(evidence) ? walked : known.listed.present,
        pages: evidence.pages, keys: evidence.keys.count, issuedAt: claim.issuedAt, problems: [])
      let derivation = Derivation(
        claim: claim, evidence: evidence, digest: digest, others: known.claims, signs: signs)
      proved.asRecorded = derivation.asRecorded
      if evidence.isDamaged {
        // The damaged rows have been named already: this follows from them.
        proved.problems = ["its own row or a page it is based on is not as it was written"]
      } else {
        proved.problems =
          evidence.problems + derivation.problems
          + Self.stored(claim, evidence, walked + withoutRow)
        for problem in proved.problems {
          proof.add("trawl_certificates", "\(claim.stored.number) (\(claim.listName))", problem)
        }
      }
      if known.listed.damaged > 0 {
        proved.problems.append(
          known.listed.damaged == 1
            ? "a row of its list is not as it was stored"
            : "\(known.listed.damaged) rows of its list are not as they were stored")
      }
      proof.certificates.append(proved)
    }
  }

  /// Each key of the pages has its row, except for records that were dropped, rejected or
  /// forgotten.
  private static func stored(
    _ claim: Claim, _ evidence: WalkEvidence, _ walked: Int
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
    var listed = try WholeList(place).flatMap { rows.whole[$0] } ?? selected(place)
    for table in Set([place.table, claim.table]) where rows.damaged.contains(table) {
      guard let damage = rows.damage[table] else { continue }
      let isList = table == place.table
      let join = isList ? "" : place.join(try StoredTable.key(of: table, connection))
      let alias = isList ? "t" : "m"
      listed.damaged += try connection.count(
        of: "\(SQLName.quoted(table)) t NOT INDEXED\(join) "
          + "WHERE \(place.condition(alias)) AND \(damage)")
    }
    return listed
  }

  /// The rows of a list that its own values distinguish from those of others.
  private func selected(_ place: ListPlace) throws(SQLiteError) -> ListedRows {
    var listed = ListedRows()
    let key = place.key.map { "m.\(SQLName.quoted($0))" }
    try connection.each(
      "SELECT trawl_hash(\(key.joined(separator: ", "))), m.vanished_at IS NULL "
        + "FROM \(SQLName.quoted(place.table)) m NOT INDEXED WHERE \(place.condition("m"))"
    ) { listed.note($0.bits(0), isPresent: $0.boolean(1)) }
    return listed
  }
}
