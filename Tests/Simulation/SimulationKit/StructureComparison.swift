internal import Base
internal import Store
internal import TestSupport

/// Ways in which a file may differ from what the program made, whatever its rows claim.
enum StructureDamage: CaseIterable {
  case index, bookTable, recordTable, bookColumn, recordColumn, seal, view, parentRow

  /// The statements for it, at random places; nil if there is none.
  func sql(_ connection: Connection, _ random: inout SeededRandom) throws -> String? {
    func any(_ names: [String]) -> String? {
      names.isEmpty ? nil : names[Int(random.next() % UInt64(names.count))]
    }
    func names(_ sql: String) throws -> [String] { try connection.rows(sql) { $0.text(0) ?? "" } }
    let book = "FROM sqlite_schema WHERE name GLOB 'trawl_*'"
    let tables = try names("SELECT name \(book) AND type = 'table'")
    let records = try names("SELECT table_name FROM trawl_tables")
    func column(of table: String?) throws -> String? {
      guard let table else { return nil }
      // SQLite does not drop a column of a key or an index.
      return try any(names("SELECT name FROM pragma_table_info('\(table)') WHERE pk = 0")).map {
        "ALTER TABLE \(table) DROP COLUMN \($0)"
      }
    }
    switch self {
    case .index:
      return try any(names("SELECT name \(book) AND type = 'index' AND sql IS NOT NULL"))
        .map { "DROP INDEX \($0)" }
    case .bookTable: return any(tables).map { "DROP TABLE \($0)" }
    case .recordTable: return any(records).map { "DROP TABLE \($0)" }
    case .bookColumn: return try column(of: any(tables))
    case .recordColumn: return try column(of: any(records))
    case .seal: return any(tables).map { "ALTER TABLE \($0) DROP COLUMN seal" }
    case .view: return "DROP VIEW trawl_trust"
    case .parentRow:
      guard records.contains("shop_found"),
        try connection.integer("SELECT 1 FROM shop_found LIMIT 1") != nil
      else { return nil }
      return "DELETE FROM shop_things WHERE id IN (SELECT thing_id FROM shop_found LIMIT 1)"
    }
  }
}

/// `check` must find whatever `prove` finds in the structure of a damaged file.
extension Simulation {
  func compareStructure(of folder: String, copyingTo target: String) async throws {
    var random = SeededRandom(seed: scenario.seed &+ 5)
    for (number, damage) in StructureDamage.allCases.enumerated() {
      let copy = "\(target)-\(number)"
      ArmedStop.copy(folder, to: copy)
      guard let sql = try damageFile(in: copy, damage, &random) else { continue }
      let agreement = Agreement(folder: try DataFolder(existing: copy), time: time.timekeeper)
      for text in await agreement.structureProblems() { problem("after \(sql): \(text)") }
      tell("damage: \(sql)")
      guard [.index, .view].contains(damage) else { continue }
      // Neither contains data: the next writer creates them again.
      let store = try await RecordStore.open(
        DataFolder(existing: copy), RecordStore.Settings(time: time.timekeeper))
      let findings = try await store.proveStructure().findings
      await store.close()
      if !findings.isEmpty { problem("after \(sql) and a run: \(findings[0].what)") }
    }
  }

  /// The statements that were executed; nil: there was nothing to damage, or SQLite refused.
  private func damageFile(
    in folder: String, _ damage: StructureDamage, _ random: inout SeededRandom
  ) throws -> String? {
    let connection = try Connection("\(folder)/trawl.db", .readWrite)
    defer { connection.close() }
    guard let sql = try damage.sql(connection, &random) else { return nil }
    try connection.execute("PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON")
    do throws(SQLiteError) {
      try connection.execute(sql)
      return sql
    } catch {
      return nil
    }
  }
}

extension Agreement {
  /// For a file with a damaged structure: `prove` must find all that `check` finds, and nothing structural if `check`
  /// finds nothing.
  func structureProblems() async -> [String] {
    let check = await answer(isWhole: false)
    let prove = await answer(isWhole: true)
    switch (check, prove) {
    case (.failure(let one), .failure(let other)):
      return "\(one)" == "\(other)" ? [] : ["check says \(one), prove \(other)"]
    case (.failure(let error), .success): return ["check fails with \(error), and prove does not"]
    case (.success, .failure(let error)): return ["prove fails with \(error), and check does not"]
    case (.success(let structure), .success(let proof)):
      if structure.holds {
        let found = proof.findings.first.map { "\($0.table): \($0.what)" } ?? "nothing either"
        return ["check finds nothing, prove finds \(found)"]
      }
      return structure.findings.filter { !proof.findings.contains($0) }.map {
        "check finds \($0.table): \($0.what), and prove does not"
      }
    }
  }

  /// - Parameter isWhole: as in `prove` instead of `check`.
  private func answer(isWhole: Bool) async -> Result<Proof, any Error> {
    do {
      let proof = try await reading { store in
        isWhole ? try await store.prove() : try await store.proveStructure()
      }
      return .success(proof)
    } catch {
      return .failure(error)
    }
  }
}
