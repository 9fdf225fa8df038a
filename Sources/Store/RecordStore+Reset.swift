internal import Model
internal import SQLite

extension RecordStore {
  /// What `reset` forgets.
  public enum Forgetting: String, Sendable, CaseIterable {
    /// Where walks stand and what they covered: everything is asked anew, no row is touched.
    case coverage
    /// Rejects too.
    case units
    /// The job as a whole, with its tables; favourites and image files stay.
    case everything
  }

  /// What would go, in words; nothing is touched.
  public func wouldForget(_ what: Forgetting, of job: String) throws(StoreError) -> [String] {
    try guarded { connection in
      var told: [String] = []
      func tell(_ sql: String, _ noun: String) throws {
        let count = try connection.integer(sql, [.text(job)]) ?? 0
        if count > 0 { told.append("\(count) \(noun)") }
      }
      try tell(
        "SELECT count(*) FROM trawl_units JOIN trawl_lists USING (list) WHERE job = ?",
        "units with their certificates")
      try tell("SELECT count(*) FROM trawl_goals WHERE job = ?", "goals of backfills")
      if what != .coverage {
        try tell("SELECT count(*) FROM trawl_rejects WHERE job = ?", "rejects")
      }
      if what == .everything {
        for table in try tables(of: job, connection) {
          let rows = try connection.integer("SELECT count(*) FROM \(SQLName.quoted(table))") ?? 0
          told.append("\(rows) rows of \(table)")
        }
      }
      return told
    }
  }

  public func forget(_ what: Forgetting, of job: String) throws(StoreError) {
    for (id, unit) in units where unit.plan.job == job { units[id] = nil }
    plans = plans.filter { $0.value.job != job }
    designs[job] = nil
    try guarded { connection in
      // Compiled statements name the tables that may go.
      try connection.enforceForeignKeys(false)
      defer {
        // Switched back on the same connection outside a transaction: this cannot fail.
        try? connection.enforceForeignKeys(true)
      }
      try connection.transaction { try erase(what, job, connection) }
    }
  }

  private func erase(_ what: Forgetting, _ job: String, _ connection: Connection) throws {
    let name: [SQLValue] = [.text(job)]
    let lists = "(SELECT list FROM trawl_lists WHERE job = ?)"
    let units = "(SELECT unit FROM trawl_units WHERE list IN \(lists))"
    for sql in [
      "DELETE FROM trawl_pages WHERE unit IN \(units)",
      "DELETE FROM trawl_certificates WHERE unit IN \(units)",
      "DELETE FROM trawl_coverage WHERE list IN \(lists)",
      "DELETE FROM trawl_units WHERE list IN \(lists)",
      "DELETE FROM trawl_lists WHERE job = ?", "DELETE FROM trawl_asked WHERE job = ?",
      "DELETE FROM trawl_rounds WHERE job = ?", "DELETE FROM trawl_goals WHERE job = ?",
    ] {
      try connection.run(sql, name)
    }
    if what == .coverage { return }
    try connection.run("DELETE FROM trawl_rejects WHERE job = ?", name)
    if what == .units { return }
    try ViewDesign.dropAll(connection)
    for table in try tables(of: job, connection) {
      try connection.execute("DROP TABLE \(SQLName.quoted(table))")
      for place in ["trawl_columns", "trawl_hashes", "trawl_tables"] {
        try connection.run("DELETE FROM \(place) WHERE table_name = ?", [.text(table)])
      }
    }
    try connection.run("DELETE FROM trawl_media_urls WHERE job = ?", name)
    try connection.run("DELETE FROM trawl_runs WHERE job = ?", name)
    try connection.run("DELETE FROM trawl_jobs WHERE job = ?", name)
    try ViewDesign.makeAll(connection)
  }

  private func tables(of job: String, _ connection: Connection) throws(SQLiteError) -> [String] {
    try connection.rows(
      "SELECT table_name FROM trawl_tables WHERE job = ? ORDER BY table_name", [.text(job)]
    ) { $0.text(0) ?? "" }
  }
}
