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
      try Self.damaged("trawl_pages", &proof) { try provePages(choice, &$0) }
      try Self.damaged("trawl_certificates", &proof) {
        try CertificateProof(connection: connection, rows: rows, book: book).prove(choice, &$0)
      }
      let verdicts = "SELECT list_number, verdict FROM trawl_trust"
      // A view that is lost is a finding of the file's structure.
      proof.verdicts = (try? connection.dictionary(verdicts)) ?? [:]
      try Self.damaged("trawl_coverage", &proof) {
        try CoverageProof(connection: connection).prove(choice, &$0)
      }
      try Self.damaged(Book.facts.name, &proof) {
        try RowCounts(connection: connection).prove(choice, present: rows.present, &$0)
      }
      return proof
    }
  }

  /// Counts the keys of every stored page again.
  private func provePages(_ choice: ProofChoice, _ proof: inout Proof) throws {
    try connection.each(
      "SELECT p.page, p.address, p.received, p.new + p.changed + p.unchanged + p.repeated "
        + "+ p.dropped + p.rejected, p.keys, p.address_digest, l.job, l.stream, p.purpose "
        + "FROM trawl_pages p LEFT JOIN trawl_windows u ON u.window = p.window "
        + "LEFT JOIN trawl_lists l ON l.list_number = u.list_number"
    ) { rows in
      guard choice.takes(job: rows.text(6) ?? "", stream: rows.text(7) ?? "") else { return }
      proof.pages += 1
      let keys = rows.withBytes(4) { ($0?.count ?? 0) / 8 }
      let address = rows.text(1) ?? ""
      let label = "\(rows.integer(0)) (\(address))"
      if rows.int(2) != rows.int(3) { proof.add("trawl_pages", label, "its counts do not add up") }
      // A look has keys but no records.
      let isLook = Step.Purpose(rawValue: rows.text(8) ?? "")?.isLook ?? false
      if keys != rows.int(2), !isLook {
        proof.add("trawl_pages", label, "it holds \(keys) keys for \(rows.int(2)) records")
      }
      if Digest64.of(address.utf8) != rows.bits(5) {
        proof.add("trawl_pages", label, "its address does not give its digest")
      }
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
