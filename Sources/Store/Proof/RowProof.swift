internal import SQLite

/// Takes the digests of every row again: records, memberships, nested lists and history.
struct RowProof {
  private let connection: Connection
  /// Table by table the SQL that finds a row that is not as it was stored; the row is called `t`.
  private(set) var damage: [String: String] = [:]
  /// Tables with such rows.
  private(set) var damaged: Set<String> = []

  init(_ connection: Connection) { self.connection = connection }

  private struct Table {
    var name, job, kind: String
    var key: [String]
  }

  mutating func prove(_ choice: ProofChoice, _ proof: inout Proof) throws {
    let tables = try connection.rows(
      "SELECT table_name, job, kind, key_columns FROM trawl_tables ORDER BY table_name"
    ) {
      Table(
        name: $0.text(0) ?? "", job: $0.text(1) ?? "", kind: $0.text(2) ?? "",
        key: OldTable.names($0.text(3) ?? ""))
    }
    for table in tables where choice.takes(job: table.job) {
      var next = self
      try RecordStore.damaged(table.name, &proof) { try next.prove(table, &$0) }
      self = next
    }
  }

  private mutating func prove(_ table: Table, _ proof: inout Proof) throws {
    let digests = try connection.rows(
      "SELECT hash_column, columns FROM trawl_hashes WHERE table_name = ? ORDER BY hash_column",
      [.text(table.name)]
    ) { TableDesign.Hash(column: $0.text(0) ?? "", columns: OldTable.names($0.text(1) ?? "")) }
    // A table that is gone is a finding about the file.
    let isThere = try connection.integer("SELECT 1 FROM pragma_table_info(?)", [.text(table.name)])
    guard isThere != nil else { return }
    let own = digests.filter { $0.column != TableDesign.seal }
    let seal = digests.first { $0.column == TableDesign.seal }
    let name = SQLName.quoted(table.name)
    var tests = own.map { hash in
      let stored = "t.\(SQLName.quoted(hash.column))"
      // What no stream has filled yet is all NULL.
      let filled = hash.columns.filter { !table.key.contains($0) }.map {
        "t.\(SQLName.quoted($0)) IS NOT NULL"
      }
      let isOpen = filled.isEmpty ? "0" : "(\(filled.joined(separator: " OR ")))"
      return "CASE WHEN \(stored) IS NULL THEN \(isOpen) "
        + "ELSE \(stored) <> \(Self.digest(hash.columns)) END"
    }
    if let seal { tests.append("(t.\(TableDesign.seal) IS NOT \(Self.digest(seal.columns)))") }
    guard !tests.isEmpty else { return }
    let condition = "(\(tests.joined(separator: " OR ")))"
    damage[table.name] = condition
    let rows = try connection.integer("SELECT count(*) FROM \(name) NOT INDEXED")
    let place = proof.tables.count
    proof.tables.append(
      ProvedTable(name: table.name, kind: table.kind, rows: Int(rows ?? 0), damaged: 0))
    // Not by an index: what the table itself holds is looked at.
    let found = try connection.statement(
      "SELECT \(ViewDesign.keyText(table.key)), \(tests.joined(separator: ", ")) "
        + "FROM \(name) t NOT INDEXED WHERE \(condition)")
    defer { found.clear() }
    while try found.step() {
      proof.tables[place].damaged += 1
      damaged.insert(table.name)
      let values = own.indices.filter { found.boolean($0 + 1) }.flatMap { own[$0].columns }
      proof.add(table.name, found.text(0), Self.sentence(values, seal?.columns ?? []))
    }
  }

  private static func digest(_ columns: [String]) -> String {
    "trawl_hash(\(columns.map { "t.\(SQLName.quoted($0))" }.joined(separator: ", ")))"
  }

  /// Damage among the values shows in their digest; else it is in what the seal alone covers.
  private static func sentence(_ values: [String], _ sealed: [String]) -> String {
    var names: [String] = []
    for name in values.isEmpty ? sealed : values where !names.contains(name) { names.append(name) }
    let list = names.count > 1 ? "one of \(names.joined(separator: ", "))" : names.joined()
    return "the row is not as it was stored: \(list)"
  }
}
