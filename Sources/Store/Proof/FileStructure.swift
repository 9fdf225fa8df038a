internal import SQLite

/// What is wrong with the file itself, whatever its rows claim: the one list of such findings, for
/// `trawl prove` and `trawl check`.
struct FileStructure {
  let connection: Connection

  static let lostSeals = "its column of seals is gone: the table's definition is not as it was made"

  /// SQLite names so many problems at most, and says no more than that.
  private static let problemsMax = 100

  static func missingTables(_ connection: Connection) throws(SQLiteError) -> [String] {
    let found = Set(
      try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table'") {
        $0.text(0) ?? ""
      })
    return Book.tables.map(\.name).filter { !found.contains($0) }
  }

  static func unsealedTables(_ connection: Connection) throws(SQLiteError) -> [String] {
    try Seals.tables(connection).filter { !$0.hasSeal }.map(\.name)
  }

  func prove(_ proof: inout Proof) throws {
    try proveBook(&proof)
    try proveRecordTables(&proof)
    let problems = try connection.rows("PRAGMA integrity_check(\(Self.problemsMax))") {
      $0.text(0) ?? ""
    }
    for problem in problems where problem != "ok" { proof.add("the file", nil, problem) }
    if problems.count >= Self.problemsMax {
      proof.add("the file", nil, "SQLite's check stopped here; there may be more")
    }
    for reference in try BrokenReference.all(connection) {
      proof.add(
        reference.table, reference.row.map { "row \($0)" },
        "names a row of \(reference.parent) that is not there")
    }
  }

  private func proveBook(_ proof: inout Proof) throws {
    let found = Dictionary(
      try connection.rows("SELECT name, sql FROM sqlite_schema") {
        ($0.text(0) ?? "", $0.text(1) ?? "")
      }
    ) { one, _ in one }
    let unsealed = Set(try Self.unsealedTables(connection))
    for table in Book.tables {
      if unsealed.contains(table.name) {
        proof.add(table.name, nil, Self.lostSeals)
      } else if let sql = found[table.name], sql != table.sql {
        proof.add(table.name, nil, "the table's definition is not as it was made")
      }
    }
    if found["trawl_trust"] != Book.trust {
      proof.add("trawl_trust", nil, "the view is not as it was made")
    }
  }

  /// The tables of the jobs' records, and that a digest covers each of their columns: nothing else
  /// would show that a value was changed.
  private func proveRecordTables(_ proof: inout Proof) throws {
    let tables = try connection.rows(
      "SELECT table_name FROM trawl_tables ORDER BY table_name"
    ) { $0.text(0) ?? "" }
    for table in tables {
      let columns = try connection.rows("SELECT name FROM pragma_table_info(?)", [.text(table)]) {
        $0.text(0) ?? ""
      }
      guard !columns.isEmpty else {
        proof.add(table, nil, "the table is not there any more")
        continue
      }
      let covered = Set(
        try connection.rows("SELECT columns FROM trawl_hashes WHERE table_name = ?", [.text(table)])
        { OldTable.names($0.text(0) ?? "") }.joined() + [TableDesign.seal])
      let open = columns.filter { !covered.contains($0) }
      if !open.isEmpty {
        proof.add(table, nil, "no digest is known that covers \(open.joined(separator: ", "))")
      }
    }
  }
}

/// A row that refers to one that is not there.
struct BrokenReference: Hashable {
  var table: String
  /// Nil in a table without row numbers.
  var row: Int?
  var parent: String

  static func all(_ connection: Connection) throws(SQLiteError) -> [BrokenReference] {
    try connection.rows("PRAGMA foreign_key_check") {
      BrokenReference(
        table: $0.text(0) ?? "", row: $0.optionalInt(1), parent: $0.text(2) ?? "")
    }
  }

  /// How many there are, by the table and the one that it refers to.
  static func counts(_ connection: Connection) throws(SQLiteError) -> [[String]: Int] {
    let groups = try connection.rows(
      "SELECT \"table\", parent, count(*) FROM pragma_foreign_key_check GROUP BY 1, 2"
    ) { ([$0.text(0) ?? "", $0.text(1) ?? ""], $0.int(2)) }
    return Dictionary(groups) { one, _ in one }
  }
}
