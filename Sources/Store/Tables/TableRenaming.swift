internal import Base

/// Renames tables of a job: the tables, and the rows of the book that name them. Inside a
/// transaction, with foreign keys off.
struct TableRenaming {
  let connection: Connection
  let job: String
  let tables: [(old: String, new: String)]
  let now: Instant
  let faults: FaultPoint
  /// What the user can do if a name is taken.
  let otherwise: String

  /// Renames a job of the file: its tables, and the rows of the book that name it. `Migration` then updates the names
  /// in the tables' own text.
  /// - Returns: what it did, for a person.
  static func ofJob(
    _ old: String, to new: String, _ connection: Connection, now: Instant, _ faults: FaultPoint
  ) throws -> String {
    let own = try connection.texts(
      "SELECT table_name FROM trawl_tables WHERE job = ? ORDER BY table_name", [.text(old)])
    let (before, after) = (Job.tablePrefix(of: old), Job.tablePrefix(of: new))
    // Not what an earlier key left beside them under a name of its own.
    let tables = own.filter { $0.hasPrefix(before + "_") }
      .map { (old: $0, new: after + $0.dropFirst(before.count)) }.filter { $0.old != $0.new }
    try TableRenaming(
      connection: connection, job: new, tables: tables, now: now, faults: faults,
      otherwise: "leave \"was\" out to begin anew"
    ).run()
    for table in Book.tables where table.columns.contains(where: { $0.name == "job" }) {
      try connection.rewrite(
        table, [("job", SQLName.literal(new))], where: "job = \(SQLName.literal(old))")
      faults.reach(.duringUpgrade)
    }
    return "\(old) is called \(new) now: its tables, lists and what is known of them are kept"
  }

  /// Renames what the job file calls otherwise now: the list of a stream, and the table of a renamed stream, if no
  /// other stream fills it.
  static func ofStreams(
    _ design: JobDesign, _ connection: Connection, now: Instant, _ faults: FaultPoint
  ) throws -> [String] {
    let job = design.job.name
    var pairs: [(old: String, new: String)] = []
    func add(_ column: String, _ condition: String, of stream: Stream, _ name: String) throws {
      let known = try connection.texts(
        "SELECT DISTINCT \(column) FROM trawl_lists l JOIN trawl_tables t ON t.table_name = \(column) "
          + "WHERE l.job = ? AND l.stream = ? AND \(condition)",
        [.text(job), .text(stream.name)])
      guard known.count == 1, let old = known.first, design.table(old) == nil,
        !pairs.contains(where: { $0.old == old || $0.new == name })
      else { return }
      pairs.append((old, name))
    }
    for stream in design.job.streams {
      if stream.was != nil {
        try add("l.table_name", "t.kind <> 'list'", of: stream, design.fullName(stream.table))
      }
      if let list = stream.membership?.table {
        try add("l.list_table", "t.kind = 'list'", of: stream, design.fullName(list))
      }
    }
    guard !pairs.isEmpty else { return [] }
    try TableRenaming(
      connection: connection, job: job, tables: pairs, now: now, faults: faults,
      otherwise: "give it another name in the job file"
    ).run()
    return pairs.map { "\($0.old) is called \($0.new) now, with its rows" }
  }

  func run() throws {
    for (before, after) in tables {
      try rename(before, to: after)
      try connection.raiseGeneration(of: after, at: now)
      try connection.forget(FactKey(.generation, before))
      faults.reach(.duringUpgrade)
    }
    // Under their earlier names, which the file still has.
    try ViewDesign.dropAll(connection)
    for table in Book.tables {
      try rewrite(table)
      faults.reach(.duringUpgrade)
    }
  }

  private func rename(_ before: String, to after: String) throws {
    let found = try connection.rows(
      "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') AND name IN (?, ?)",
      [.text(before), .text(after)]
    ) { (name: $0.text(0) ?? "", type: $0.text(1) ?? "") }
    // A table that the user has removed is made anew.
    guard found.contains(where: { $0.name == before }) else { return }
    if let taken = found.first(where: { $0.name == after }) {
      throw StoreError(
        .job, "job \(job)",
        "its table \(before) cannot be called \(after): the \(taken.type) \(after) is there already. "
          + "Rename or remove that, or \(otherwise)")
    }
    let indexes = try connection.texts(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?1 AND sql IS NOT NULL "
        + "AND instr(sql, ?2) > 0", [.text(before), .text(TableDesign.indexMark)])
    for index in indexes { try connection.execute("DROP INDEX \(SQLName.quoted(index))") }
    let statement =
      "ALTER TABLE \(SQLName.quoted(before)) RENAME TO \(SQLName.always(quoted: after))"
    do {
      // Views and triggers of the user's own are adapted.
      try connection.execute(statement)
    } catch {
      // If one of them can no longer be read, it would block the renaming: they are left as they
      // are.
      try connection.execute("PRAGMA legacy_alter_table = ON")
      defer {
        try? connection.execute("PRAGMA legacy_alter_table = OFF")  // its own setting cannot fail
      }
      try connection.execute(statement)
    }
  }

  // MARK: the book

  private func rewrite(_ table: BookTable) throws {
    if table.name == Book.facts.name {
      // They are counted anew under the new name.
      for name in tables.flatMap({ [$0.old, $0.new] }) {
        try RowCounts(connection: connection).forget(name)
      }
    }
    let columns = table.columns.map(\.name)
    for (before, after) in tables {
      if table.name == Book.favorites.name { try forgetTwins(before, after) }
      if table.name == Book.runs.name {
        let name = SQLName.literal("\"\(before)\":")
        try connection.rewrite(
          table, [("counts", "replace(counts, \(name), \(SQLName.literal("\"\(after)\":")))")],
          where: "instr(counts, \(name)) > 0")
      }
      if table.name == Book.facts.name {
        // `people_users 0f…`: names a record by its digest, or a day.
        let (name, head) = (SQLName.literal(before), SQLName.literal(before + " "))
        let erased = SQLName.literal(ListedRecords.erased(of: before, job).subject)
        let renamed = "replace(subject, \(name), \(SQLName.literal(after)))"
        let those =
          "(kind IN ('retained', 'left') AND subject IN (\(name), \(erased)) "
          + "OR kind IN ('forgotten', 'seen') AND substr(subject, 1, length(\(head))) = \(head))"
        // A restore may have noted the same under the new name.
        try connection.delete(
          table,
          where: "\(those) AND (kind, \(renamed)) IN (SELECT kind, subject FROM trawl_facts "
            + "WHERE job = \(SQLName.literal(job)))")
        try connection.rewrite(table, [("subject", renamed)], where: those)
      }
      for column in ["table_name", "list_table"] where columns.contains(column) {
        try connection.rewrite(
          table, [(column, SQLName.literal(after))],
          where: "\(column) = \(SQLName.literal(before))")
      }
      guard table.name == Book.mediaURLs.name else { continue }
      // `people_users.avatar:42`: the identity of an image by the job.
      let head = SQLName.literal(before + ".")
      try connection.rewrite(
        table, [("identity", "\(SQLName.literal(after)) || substr(identity, length(\(head)))")],
        where: "substr(identity, 1, length(\(head))) = \(head)")
    }
  }

  /// Favorites outlive a reset: what was marked under both names is one mark.
  private func forgetTwins(_ before: String, _ after: String) throws(SQLiteError) {
    try connection.delete(
      Book.favorites,
      where: "table_name = ?1 AND record_key IN "
        + "(SELECT record_key FROM trawl_favorites WHERE table_name = ?2)",
      [.text(before), .text(after)])
  }
}
