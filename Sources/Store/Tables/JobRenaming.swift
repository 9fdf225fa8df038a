internal import Base

/// Gives a job of the file another name: what carries the old one, from its tables to the rows of the
/// book that name it, carries the new one afterwards. Inside a transaction, with foreign keys not
/// enforced; what the tables' own text says of their names, `Migration` brings up to date behind it.
struct JobRenaming {
  let connection: Connection
  let old: String
  let new: String
  let now: Instant
  let faults: FaultPoint

  /// Old and new names of its tables, and of what an earlier key left beside them.
  private func tables() throws(SQLiteError) -> [(old: String, new: String)] {
    let own = try connection.rows(
      "SELECT table_name FROM trawl_tables WHERE job = ? ORDER BY table_name", [.text(old)]
    ) { $0.text(0) ?? "" }
    let (before, after) = (Job.tablePrefix(of: old), Job.tablePrefix(of: new))
    return own.map { name in
      (name, name.hasPrefix(before + "_") ? after + name.dropFirst(before.count) : name)
    }
  }

  /// What it did, for a person.
  func run() throws -> String {
    let tables = try tables()
    for (before, after) in tables where before != after {
      try rename(before, to: after)
      try connection.raiseGeneration(of: after, at: now)
      try connection.forget(FactKey(.generation, before))
      faults.reach(.duringUpgrade)
    }
    // By their names of before, which the file still has.
    try ViewDesign.dropAll(connection)
    for table in Book.tables {
      try rewrite(table, tables)
      faults.reach(.duringUpgrade)
    }
    return "\(old) is called \(new) now: its tables, lists and what is known of them are kept"
  }

  // MARK: tables

  private func rename(_ before: String, to after: String) throws {
    let found = try connection.rows(
      "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') AND name IN (?, ?)",
      [.text(before), .text(after)]
    ) { (name: $0.text(0) ?? "", type: $0.text(1) ?? "") }
    // One that a person has removed: it is made anew.
    guard found.contains(where: { $0.name == before }) else { return }
    if let taken = found.first(where: { $0.name == after }) {
      throw StoreError(
        .job, "job \(new)",
        "its table \(before) cannot be called \(after): the \(taken.type) \(after) is there already. "
          + "Rename or remove that, or leave \"was\" out to begin anew")
    }
    let indexes = try connection.rows(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?1 AND sql IS NOT NULL "
        + "AND substr(name, 1, length(?1) + 4) = ?1 || '_by_'", [.text(before)]
    ) { $0.text(0) ?? "" }
    for index in indexes { try connection.execute("DROP INDEX \(SQLName.quoted(index))") }
    let statement =
      "ALTER TABLE \(SQLName.quoted(before)) RENAME TO \(SQLName.always(quoted: after))"
    do {
      // Views and triggers of a person's own follow.
      try connection.execute(statement)
    } catch {
      // One of them can no longer be read, and would stand in the way: they are left as they are.
      try connection.execute("PRAGMA legacy_alter_table = ON")
      defer {
        try? connection.execute("PRAGMA legacy_alter_table = OFF")  // its own setting cannot fail
      }
      try connection.execute(statement)
    }
  }

  // MARK: the book

  private func rewrite(_ table: BookTable, _ tables: [(old: String, new: String)]) throws {
    if table.name == Book.facts.name { try forgetCounts(tables) }
    let columns = table.columns.map(\.name)
    if columns.contains("job") {
      try connection.rewrite(
        table, [("job", SQLName.literal(new))], where: "job = \(SQLName.literal(old))")
    }
    for (before, after) in tables where before != after {
      if table.name == Book.favorites.name { try forgetTwins(before, after) }
      if table.name == Book.runs.name {
        let name = SQLName.literal("\"\(before)\":")
        try connection.rewrite(
          table, [("counts", "replace(counts, \(name), \(SQLName.literal("\"\(after)\":")))")],
          where: "instr(counts, \(name)) > 0")
      }
      for column in ["table_name", "list_table"] where columns.contains(column) {
        try connection.rewrite(
          table, [(column, SQLName.literal(after))],
          where: "\(column) = \(SQLName.literal(before))")
      }
      guard table.name == Book.mediaURLs.name else { continue }
      // `people_users.avatar:42`: what the job says identifies an image.
      let head = SQLName.literal(before + ".")
      try connection.rewrite(
        table, [("identity", "\(SQLName.literal(after)) || substr(identity, length(\(head)))")],
        where: "substr(identity, 1, length(\(head))) = \(head)")
    }
  }

  /// They are counted anew under the new name.
  private func forgetCounts(_ tables: [(old: String, new: String)]) throws(SQLiteError) {
    for (before, after) in tables where before != after {
      try RowCounts(connection: connection).forget(before)
    }
  }

  /// Favourites outlive a reset: what was marked under both names is one mark.
  private func forgetTwins(_ before: String, _ after: String) throws(SQLiteError) {
    try connection.delete(
      Book.favorites,
      where: "table_name = ?1 AND record_key IN "
        + "(SELECT record_key FROM trawl_favorites WHERE table_name = ?2)",
      [.text(before), .text(after)])
  }
}
