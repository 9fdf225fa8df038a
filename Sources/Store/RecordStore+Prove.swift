internal import Model
internal import SQLite

/// One thing that does not hold.
public struct ProofFinding: Sendable, Equatable {
  /// The table, and the key of the row where there is one.
  public var table: String
  public var key: String?
  public var what: String
}

/// What was looked at, and what does not hold.
public struct Proof: Sendable, Equatable {
  public var rows = 0
  public var pages = 0
  public var certificates = 0
  /// The first thousand.
  public var findings: [ProofFinding] = []
  public var findingCount = 0

  public var holds: Bool { findingCount == 0 }

  static let findingsMax = 1000

  mutating func add(_ table: String, _ key: String?, _ what: String) {
    findingCount += 1
    if findings.count < Self.findingsMax {
      findings.append(ProofFinding(table: table, key: key, what: what))
    }
  }
}

extension RecordStore {
  /// Recomputes the digest of every row, the sums and key digests of pages and certificates, and
  /// runs SQLite's own checks. Needs no job file: what each digest is taken over is stored.
  public func prove() throws(StoreError) -> Proof {
    try guarded { connection in
      var proof = Proof()
      let tables = try connection.rows(
        "SELECT h.table_name, h.hash_column, h.columns, t.key_columns FROM trawl_hashes h "
          + "JOIN trawl_tables t USING (table_name) ORDER BY 1, 2"
      ) { row in
        (
          row.text(0) ?? "", row.text(1) ?? "", OldTable.names(row.text(2) ?? ""),
          OldTable.names(row.text(3) ?? "")
        )
      }
      for (table, hash, columns, key) in tables {
        try Self.damaged(table, &proof) { proof in
          try Self.proveRows(table, hash, columns, key, &proof, connection)
        }
      }
      try Self.damaged("trawl_pages", &proof) { try Self.provePages(&$0, connection) }
      try Self.damaged("trawl_certificates", &proof) {
        try Self.proveCertificates(&$0, connection)
      }
      try Self.damaged("the file", &proof) { try Self.proveFile(&$0, connection) }
      return proof
    }
  }

  /// A table that SQLite cannot read to its end is a finding, and the others are still looked at.
  private static func damaged(
    _ table: String, _ proof: inout Proof, _ body: (inout Proof) throws -> Void
  ) throws {
    do {
      try body(&proof)
    } catch let error as SQLiteError where error.kind == .damaged {
      proof.add(table, nil, "cannot be read to its end: \(error.message)")
    }
  }

  private static func proveRows(
    _ table: String, _ hash: String, _ columns: [String], _ key: [String], _ proof: inout Proof,
    _ connection: Connection
  ) throws {
    let name = SQLName.quoted(table)
    let stored = SQLName.quoted(hash)
    let rows = try connection.integer(
      "SELECT count(*) FROM \(name) NOT INDEXED WHERE \(stored) IS NOT NULL")
    proof.rows += Int(rows ?? 0)
    // Not by an index: what the table itself holds is looked at.
    let found = try connection.statement(
      "SELECT \(ViewDesign.keyText(key)) FROM \(name) t NOT INDEXED WHERE \(stored) IS NOT NULL "
        + "AND \(stored) <> trawl_hash(\(TableDesign.list(columns)))")
    defer { found.clear() }
    while try found.step() {
      proof.add(table, found.text(0), "the row is not as it was stored (\(hash))")
    }
  }

  private static func provePages(_ proof: inout Proof, _ connection: Connection) throws {
    let rows = try connection.statement(
      "SELECT page, address, received, new + changed + unchanged + repeated + dropped + rejected, "
        + "keys_digest, keys FROM trawl_pages")
    defer { rows.clear() }
    while try rows.step() {
      proof.pages += 1
      let keys = rows.withBytes(5) { KeyBlob.keys($0) }
      let label = "\(rows.integer(0)) (\(rows.text(1) ?? ""))"
      if rows.int(2) != rows.int(3) { proof.add("trawl_pages", label, "its counts do not add up") }
      if keys.count != rows.int(2) {
        proof.add("trawl_pages", label, "it holds \(keys.count) keys for \(rows.int(2)) records")
      }
      if KeyBlob.digest(keys) != UInt64(bitPattern: rows.integer(4)) {
        proof.add("trawl_pages", label, "its keys do not give its digest")
      }
    }
  }

  /// The evidence of a certificate stands in its pages until a later walk is certified.
  private static func proveCertificates(
    _ proof: inout Proof, _ connection: Connection
  ) throws {
    struct Paper {
      var number, unit, traversal: Int64
      var received, sum, new, changed, keysCount: Int
      var digest: UInt64
    }
    let papers = try connection.rows(
      "SELECT certificate, unit, traversal, received, new + changed + unchanged + repeated "
        + "+ dropped + rejected, new, changed, keys_count, keys_digest FROM trawl_certificates"
    ) {
      Paper(
        number: $0.integer(0), unit: $0.integer(1), traversal: $0.integer(2),
        received: $0.int(3), sum: $0.int(4), new: $0.int(5), changed: $0.int(6),
        keysCount: $0.int(7), digest: UInt64(bitPattern: $0.integer(8)))
    }
    for paper in papers {
      proof.certificates += 1
      let label = "\(paper.number) of unit \(paper.unit)"
      if paper.received != paper.sum {
        proof.add("trawl_certificates", label, "its counts do not add up")
      }
      var keys = KeySet()
      var pages = 0
      var new = 0
      var changed = 0
      let rows = try connection.statement(
        "SELECT keys, new, changed FROM trawl_pages WHERE unit = ? AND traversal = ?")
      try rows.bind([.integer(paper.unit), .integer(paper.traversal)])
      while try rows.step() {
        pages += 1
        new += rows.int(1)
        changed += rows.int(2)
        for key in rows.withBytes(0, { KeyBlob.keys($0) }) { _ = keys.insert(key) }
      }
      rows.clear()
      guard pages > 0 else { continue }
      if keys.count != paper.keysCount || keys.digest != paper.digest {
        proof.add("trawl_certificates", label, "its pages hold other keys than it names")
      }
      // Whether a record was new or changed does not depend on why its page was read.
      if new != paper.new || changed != paper.changed {
        proof.add(
          "trawl_certificates", label,
          "its pages brought \(new) new and \(changed) changed, it names \(paper.new) and "
            + "\(paper.changed)")
      }
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
