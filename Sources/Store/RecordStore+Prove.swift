internal import SQLite

extension RecordStore {
  /// Reads every row and every page again and counts what the certificates claim. Needs no job
  /// file: what each digest is taken over, and which rows are a list, is stored.
  public func prove(_ choice: ProofChoice = ProofChoice()) throws(StoreError) -> Proof {
    try guarded { connection in
      // One moment for all of it: a run may go on beside us.
      try connection.snapshot {
        var proof = Proof()
        var rows = RowProof(connection)
        try Self.damaged("trawl_tables", &proof) { try rows.prove(choice, &$0) }
        var book = BookkeepingProof(connection)
        try Self.damaged("trawl_jobs", &proof) { try book.prove(choice, &$0) }
        try Self.damaged("trawl_pages", &proof) { try PageProof(connection).prove(choice, &$0) }
        try Self.damaged("trawl_certificates", &proof) {
          try CertificateProof(connection, rows, book).prove(choice, &$0)
        }
        try Self.damaged("trawl_coverage", &proof) {
          try CoverageProof(connection).prove(choice, &$0)
        }
        try Self.damaged("the file", &proof) { try Self.proveFile(&$0, connection) }
        return proof
      }
    }
  }

  /// What SQLite cannot read to its end, or not at all, is a finding, and the rest is still looked
  /// at.
  static func damaged(
    _ table: String, _ proof: inout Proof, _ body: (inout Proof) throws -> Void
  ) throws {
    do {
      try body(&proof)
    } catch let error as SQLiteError where [.damaged, .other, .schema].contains(error.kind) {
      proof.add(table, nil, "cannot be read to its end: \(error.message)")
    }
  }

  private static func proveFile(_ proof: inout Proof, _ connection: Connection) throws {
    let problems = try connection.rows("PRAGMA integrity_check(100)") { $0.text(0) ?? "" }
    for problem in problems where problem != "ok" { proof.add("the file", nil, problem) }
    let references = try connection.rows("PRAGMA foreign_key_check") {
      ($0.text(0) ?? "", $0.optionalInt(1), $0.text(2) ?? "")
    }
    for (table, row, parent) in references {
      proof.add(table, row.map { "row \($0)" }, "names a row of \(parent) that is not there")
    }
  }
}
