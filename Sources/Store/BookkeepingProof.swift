internal import SQLite

/// Takes the seal of every row of bookkeeping again.
struct BookkeepingProof {
  private let connection: Connection
  /// Table by table the keys of rows that are not as they were written.
  private(set) var damaged: [String: Set<String>] = [:]

  init(_ connection: Connection) { self.connection = connection }

  mutating func prove(_ choice: ProofChoice, _ proof: inout Proof) throws {
    // A database that was not written to since rows are sealed has none, and is told by nothing.
    let isSealed = try BookkeepingSeal.isSealed(connection)
    for table in try BookkeepingSeal.tables(connection) {
      guard table.hasSeal else {
        if isSealed { proof.add(table.name, nil, BookkeepingSeal.isGone) }
        continue
      }
      var next = self
      try RecordStore.damaged(table.name, &proof) { try next.prove(table, choice, &$0) }
      self = next
    }
  }

  /// Whether the certificate, its unit, its list or one of these pages is not as it was written.
  func isDamaged(_ claim: CertificateProof.Claim, pages: [Int64]) -> Bool {
    func isDamaged(_ table: String, _ key: Int64) -> Bool {
      damaged[table]?.contains("\(key)") ?? false
    }
    return isDamaged("trawl_certificates", claim.number) || isDamaged("trawl_units", claim.unit)
      || isDamaged("trawl_lists", claim.list) || pages.contains { isDamaged("trawl_pages", $0) }
  }

  private mutating func prove(
    _ table: BookkeepingSeal.Table, _ choice: ProofChoice, _ proof: inout Proof
  ) throws {
    let found = try connection.rows(
      "SELECT \(ViewDesign.keyText(table.key)), \(Self.owner(of: table)), t.seal IS NULL "
        + "FROM \(table.name) t NOT INDEXED "
        + "WHERE t.\(BookkeepingSeal.column) IS NOT \(table.digest(of: "t"))"
    ) { ($0.text(0) ?? "", $0.text(1), $0.text(2), $0.boolean(3)) }
    for (key, job, stream, isOpen) in found {
      // A row that does not tell whose it is any more may be anybody's.
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

  /// Job and stream of the row `t`, as SQL; of rows that are no one's, an empty name.
  private static func owner(of table: BookkeepingSeal.Table) -> String {
    let columns = Set(table.values)
    func from(_ tables: String, _ condition: String) -> String {
      ["job", "stream"].map { "(SELECT l.\($0) FROM \(tables) WHERE \(condition))" }
        .joined(separator: ", ")
    }
    if columns.contains("job") {
      return columns.contains("stream") ? "t.job, t.stream" : "t.job, NULL"
    }
    if columns.contains("list") { return from("trawl_lists l", "l.list = t.list") }
    if columns.contains("unit") {
      return from("trawl_units u JOIN trawl_lists l USING (list)", "u.unit = t.unit")
    }
    if columns.contains("table_name") {
      return "(SELECT l.job FROM trawl_tables l WHERE l.table_name = t.table_name), NULL"
    }
    return "'', NULL"
  }
}
