internal import Base

extension RecordStore {
  /// Reads every row and every page again and derives what the certificates claim. Needs no job
  /// file: what each digest covers, and which rows belong to a list, is stored.
  public func prove(_ choice: ProofChoice = ProofChoice()) throws(StoreError) -> Proof {
    var proof = try proveClaims(choice)
    proof.add(try proveStructure())
    return proof
  }

  /// Rows, pages and certificates, without the file's structure, which another store may check at
  /// the same time.
  public func proveClaims(_ choice: ProofChoice) throws(StoreError) -> Proof {
    try snapshot {
      var proof = Proof()
      let rows = RowProof(connection)
      try Self.damaged("trawl_tables", &proof) { try rows.prove(choice, &$0) }
      let book = BookProof(connection)
      try Self.damaged("trawl_jobs", &proof) { try book.prove(choice, &$0) }
      try Self.damaged("trawl_pages", &proof) {
        try PageProof(connection: connection).prove(choice, &$0)
      }
      try Self.damaged("trawl_certificates", &proof) {
        try CertificateProof(connection, rows, book).prove(choice, &$0)
      }
      try Self.damaged("trawl_coverage", &proof) {
        try CoverageProof(connection: connection).prove(choice, &$0)
      }
      try Self.damaged(Book.facts.name, &proof) {
        try RowCounts(connection: connection).prove(choice, present: rows.present, &$0)
      }
      return proof
    }
  }

  /// Checks the file itself, whatever its rows claim.
  public func proveStructure() throws(StoreError) -> Proof {
    try snapshot {
      var proof = Proof()
      try Self.damaged("the file", &proof) {
        try FileStructure(connection: connection).prove(&$0)
      }
      return proof
    }
  }

  /// What SQLite cannot read completely, or at all, is a finding, and the rest is still checked.
  static func damaged(
    _ table: String, _ proof: inout Proof, _ body: (inout Proof) throws -> Void
  ) throws {
    do {
      try body(&proof)
    } catch let error as SQLiteError where [.damaged, .other, .schema].contains(error.kind) {
      proof.add(table, nil, "cannot be read to its end: \(error.message)")
    }
  }
}
