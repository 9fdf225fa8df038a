internal import Base
internal import Store
internal import TestSupport

/// A reset and a run must leave what a run leaves in a fresh folder.
extension Simulation {
  func compareReset(of old: String, withFresh fresh: String) async throws {
    let store = try await RecordStore.open(
      DataFolder(creating: old), RecordStore.Settings(time: time.timekeeper))
    _ = try await store.reset(.records, of: "shop")
    await store.close()
    // A record that is in the list twice looks like drift if a page ends between both places.
    server.change { $0.isSteady = true }
    var random = SeededRandom(seed: scenario.seed)
    for folder in [old, fresh] {
      // A quota or a wait may end the first runs.
      var isOver = false
      for _ in 1...Self.calmRunsMax where !isOver {
        let left = try await runOnce(folder, ArmedStop())
        isOver = left.facts?.units.allSatisfy { $0.certificate.verdict != .paused } ?? false
        pass(left, &random)
      }
      if !isOver { problem("no walk of \(folder) came to its end") }
    }
    let (one, other) = (try contents(of: old), try contents(of: fresh))
    for (line, expected) in zip(one, other) where line != expected {
      problem("after a reset and a run \(line), in a fresh folder \(expected)")
    }
    if one.count != other.count { problem("a reset left \(one.count) lines, not \(other.count)") }
  }

  /// The job's records and verdicts, and the row counts of the tables. Runs and pages are history, which remains.
  private func contents(of folder: String) throws -> [String] {
    let database = Database("\(folder)/trawl.db")
    // A record that is there twice with other values changes each time it is read.
    let counted = scenario.duplicates > 0 ? ", 'trawl_changes'" : ""
    let tables = try database.rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'trawl%' "
        + "AND name NOT IN ('trawl_runs', 'trawl_pages'\(counted)) ORDER BY name")
    return try database.rows("SELECT id, name, at, vanished_at FROM shop_things ORDER BY id")
      + database.rows("SELECT table_name, rows, verdict FROM trawl_trust ORDER BY 1")
      + tables.flatMap { table in
        // A list that was always empty has used no change number.
        try database.rows(
          "SELECT '\(table)', count(*) FROM \(table)"
            + (table == "trawl_facts" ? " WHERE kind <> 'change'" : ""))
      }
  }
}
