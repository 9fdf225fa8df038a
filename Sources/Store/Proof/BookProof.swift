internal import Base

/// Recomputes the seal of every row of the book.
final class BookProof {
  private let connection: Connection
  /// By table, the keys of rows that are not as they were written.
  private(set) var damaged: [String: Set<String>] = [:]

  init(_ connection: Connection) { self.connection = connection }

  func prove(_ choice: ProofChoice, _ proof: inout Proof) throws {
    for table in try Seals.tables(connection) {
      try RecordStore.damaged(table.name, &proof) { try prove(table, choice, &$0) }
    }
  }

  /// Whether the certificate, its window or its list is not as it was written.
  func isDamaged(_ claim: CertificateProof.Claim) -> Bool {
    isDamaged("trawl_certificates", claim.stored.number)
      || isDamaged("trawl_windows", claim.window) || isDamaged("trawl_lists", claim.list)
  }

  func isDamaged(page: Int64) -> Bool { isDamaged("trawl_pages", page) }

  private func isDamaged(_ table: String, _ key: Int64) -> Bool {
    damaged[table]?.contains("\(key)") ?? false
  }

  private func prove(
    _ table: Seals.Table, _ choice: ProofChoice, _ proof: inout Proof
  ) throws {
    let owner = Book.table(table.name)?.ownerSQL ?? "'', NULL"
    let found: [(String, String?, String?, Bool)] = try connection.rows(
      "SELECT \(ViewDesign.keyText(table.key)), \(owner), t.seal IS NULL "
        + "FROM \(table.name) t NOT INDEXED "
        + "WHERE t.\(Seals.column) IS NOT \(table.digest(of: "t"))")
    for (key, job, stream, isOpen) in found {
      // A row that no longer names its owner may be any job's.
      if let job {
        guard stream.map({ choice.takes(job: job, stream: $0) }) ?? choice.takes(job: job) else {
          continue
        }
      }
      damaged[table.name, default: []].insert(key)
      proof.add(
        table.name, key,
        isOpen ? "the row was not written by Trawl" : "the row is not as it was written")
    }
  }
}
