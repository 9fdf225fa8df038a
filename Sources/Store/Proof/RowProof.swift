internal import SQLite

/// Takes the digests of every row again: records, memberships, nested lists and history.
struct RowProof {
  private let connection: Connection
  /// Table by table the SQL that finds a row that is not as it was stored; the row is called `t`.
  private(set) var damage: [String: String] = [:]
  /// Tables with such rows.
  private(set) var damaged: Set<String> = []
  /// What lists hold that nothing but a stream's digest tells from the rest of their table: collected
  /// while the table is read for its digests, so that it is read once.
  private(set) var whole: [WholeList: ListedRows] = [:]

  /// Rows that are not marked as gone, by table.
  private(set) var present: [String: Int] = [:]

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
    let place = proof.tables.count
    proof.tables.append(ProvedTable(name: table.name, kind: table.kind, rows: 0, damaged: 0))
    do {
      let scan = try scan(table.name, condition)
      proof.tables[place].rows = scan.rows
      if scan.isSound { return }
    } catch {
      proof.tables.remove(at: place)
      throw error
    }
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

  /// One pass over a table: its rows, whether one is damaged, and the lists that are there as a whole.
  private mutating func scan(
    _ table: String, _ damage: String
  ) throws -> (rows: Int, isSound: Bool) {
    let lists = try WholeList.all(in: table, connection)
    let wanted = lists.map { list -> String in
      let key = list.key.map { "t.\(SQLName.quoted($0))" }.joined(separator: ", ")
      let isIn = list.digest.map { "t.\(SQLName.quoted($0)) IS NOT NULL" } ?? "1"
      return "CASE WHEN \(isIn) THEN trawl_hash(\(key)) END"
    }
    let name = SQLName.quoted(table)
    guard !lists.isEmpty else {
      let isPresent =
        try connection.columns(of: table).contains("vanished_at") ? "t.vanished_at IS NULL" : "1"
      let sums = try connection.row(
        "SELECT count(*), ifnull(sum(\(damage)), 0), ifnull(sum(\(isPresent)), 0) "
          + "FROM \(name) t NOT INDEXED"
      ) { ($0.int(0), $0.int(1), $0.int(2)) }
      present[table] = sums?.2
      return (sums?.0 ?? 0, sums?.1 == 0)
    }
    let all = try connection.statement(
      "SELECT \(damage), t.vanished_at IS NULL, \(wanted.joined(separator: ", ")) "
        + "FROM \(name) t NOT INDEXED")
    defer { all.clear() }
    var found = lists.map { _ in ListedRows() }
    var (rows, present) = (0, 0)
    var isSound = true
    while try all.step() {
      rows += 1
      if all.boolean(0) { isSound = false }
      if all.boolean(1) { present += 1 }
      for index in lists.indices {
        guard let key = all.optionalInteger(2 + index) else { continue }
        found[index].note(UInt64(bitPattern: key), isPresent: all.boolean(1))
      }
    }
    for (list, listed) in zip(lists, found) { whole[list] = listed }
    self.present[table] = present
    return (rows, isSound)
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

/// What a list holds: its keys, gone ones too, and how many are not marked as gone.
struct ListedRows {
  private(set) var keys = KeySet()
  private(set) var present = 0
  var damaged = 0

  mutating func note(_ key: UInt64, isPresent: Bool) {
    _ = keys.insert(key)
    if isPresent { present += 1 }
  }
}

/// A list whose rows no value tells from others of its table: all of them, or all that its stream fills.
struct WholeList: Hashable {
  let table: String
  let key: [String]
  /// The digest column that only its stream fills.
  let digest: String?

  /// Nil: values select its rows.
  init?(_ place: ListPlace) {
    guard place.own.isEmpty else { return nil }
    (table, key, digest) = (place.table, place.key, place.digest)
  }

  /// Those that the table has the columns for.
  static func all(in table: String, _ connection: Connection) throws(SQLiteError) -> [WholeList] {
    let columns = Set(try connection.columns(of: table))
    guard columns.contains("vanished_at") else { return [] }
    return try connection.rows(
      "SELECT DISTINCT list_key, list_where, list_digest FROM trawl_lists WHERE list_table = ?1 "
        + "ORDER BY 1, 2, 3", [.text(table)]
    ) {
      ListPlace(
        table: table, key: $0.text(0) ?? "", own: $0.text(1) ?? "", digest: $0.text(2))
    }.compactMap(WholeList.init).filter { list in
      !list.key.isEmpty && (list.key + [list.digest].compactMap { $0 }).allSatisfy(columns.contains)
    }
  }
}
