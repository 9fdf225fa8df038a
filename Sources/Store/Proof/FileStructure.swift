internal import Base

/// What is wrong with the file itself, whatever its rows claim: the only list of such findings, for
/// `trawl prove` and `trawl check`.
struct FileStructure {
  let connection: Connection

  static let lostSeals = "its column of seals is gone: the table's definition is not as it was made"

  /// SQLite reports at most this many problems, without saying that there are more.
  private static let problemsMax = 100

  static func unsealedTables(
    _ found: Seals.Definitions, _ connection: Connection
  ) throws(SQLiteError) -> [String] {
    var unsealed: [String] = []
    for (name, sql) in found.sorted(by: { $0.key < $1.key }) {
      // A table that is as it was made has its columns, and one of another program has none of ours.
      guard let table = Book.table(name), sql != table.sql else { continue }
      if try !Seals.table(name, connection).hasSeal { unsealed.append(name) }
    }
    return unsealed
  }

  func prove(_ proof: inout Proof) throws {
    try proveBook(&proof)
    try proveRecordTables(&proof)
    let problems = try connection.texts("PRAGMA integrity_check(\(Self.problemsMax))")
    for problem in problems where problem != "ok" { proof.add("the file", nil, problem) }
    if problems.count >= Self.problemsMax {
      proof.add("the file", nil, "SQLite's check stopped here; there may be more")
    }
    let broken: [(String, Int64?, String)] = try connection.rows("PRAGMA foreign_key_check")
    // In a table without row numbers no row can be named.
    for (table, row, parent) in broken {
      proof.add(table, row.map { "row \($0)" }, "names a row of \(parent) that is not there")
    }
    for view in try ViewDesign.lost(connection) {
      proof.add(view, nil, "the view is not as it was made; the next run of its job makes it again")
    }
  }

  private func proveBook(_ proof: inout Proof) throws {
    let found = try Seals.definitions(connection)
    let unsealed = Set(try Self.unsealedTables(found, connection))
    for table in Book.tables {
      if unsealed.contains(table.name) {
        proof.add(table.name, nil, Self.lostSeals)
      } else if let sql = found[table.name], sql != table.sql {
        proof.add(table.name, nil, "the table's definition is not as it was made")
      }
    }
    for lost in try Self.lostShapes(connection) {
      proof.add(lost.table, nil, "\(lost.what) is not as it was made; the next run makes it again")
    }
  }

  /// What is missing or changed but holds no data, and so can be made again: the book's indexes and
  /// its view.
  /// - Returns: also the statements that make it again.
  static func lostShapes(
    _ connection: Connection
  ) throws(SQLiteError) -> [(table: String, what: String, cure: String)] {
    let found = try connection.definitions(of: "index")
    var lost: [(table: String, what: String, cure: String)] = []
    for table in Book.tables {
      for (name, sql) in table.indexes where found[name] != sql {
        lost.append((table.name, "the index \(name)", "DROP INDEX IF EXISTS \(name); \(sql)"))
      }
    }
    if try connection.definitions(of: "view")["trawl_trust"] != Book.trust {
      lost.append(("trawl_trust", "the view", "DROP VIEW IF EXISTS trawl_trust; \(Book.trust)"))
    }
    return lost
  }

  /// Checks the tables of the jobs' records, and that a digest covers each of their columns:
  /// nothing else would show that a value was changed. Columns of other programs claim nothing.
  private func proveRecordTables(_ proof: inout Proof) throws {
    for lost in try Self.lostTables(of: nil, connection) { proof.add(lost.table, nil, lost.what) }
    let tables = try connection.texts(
      "SELECT table_name FROM trawl_tables ORDER BY table_name")
    for table in tables {
      let columns = try connection.texts(
        "SELECT column_name FROM trawl_columns WHERE table_name = ?", [.text(table)])
      let digests = try OldTable.parts(of: table, connection)
      let covered = Set(digests.flatMap(\.columns))
      let open = (columns + [TableDesign.change]).filter { !covered.contains($0) }
      if !open.isEmpty {
        proof.add(table, nil, "no digest is known that covers \(open.joined(separator: ", "))")
      }
    }
  }

  /// Tables of records that are missing, or that lack columns.
  static func lostTables(
    of job: String?, _ connection: Connection
  ) throws(SQLiteError) -> [(table: String, what: String)] {
    let tables = try connection.texts(
      "SELECT table_name FROM trawl_tables WHERE ?1 IS NULL OR job = ?1 ORDER BY table_name",
      [SQLValue(job)])
    var lost: [(table: String, what: String)] = []
    for table in tables {
      let columns = try connection.columns(of: table)
      guard !columns.isEmpty else {
        lost.append((table, "the table is not there any more"))
        continue
      }
      let known = try OldTable.parts(of: table, connection).flatMap(\.columns)
      let lacking = Set(known + [TableDesign.digests]).subtracting(columns).sorted()
      if !lacking.isEmpty {
        lost.append((table, "the table lacks \(lacking.joined(separator: ", "))"))
      }
    }
    return lost
  }
}
