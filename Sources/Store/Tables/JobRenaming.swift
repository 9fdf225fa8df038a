internal import Base

/// Renames a job in the file: its tables and the rows of the book that name it. Inside a
/// transaction, with foreign keys off; afterwards `Migration` updates the names within the tables'
/// own text.
struct JobRenaming {
  let connection: Connection
  let old: String
  let new: String
  let now: Instant
  let faults: FaultPoint

  /// Old and new names of its tables, and of those that an earlier key left beside them.
  private func tables() throws(SQLiteError) -> [(old: String, new: String)] {
    let own = try connection.texts(
      "SELECT table_name FROM trawl_tables WHERE job = ? ORDER BY table_name", [.text(old)])
    let (before, after) = (Job.tablePrefix(of: old), Job.tablePrefix(of: new))
    return own.filter { $0.hasPrefix(before + "_") }
      .map { ($0, after + $0.dropFirst(before.count)) }.filter { $0.0 != $0.1 }
  }

  /// A description of what it did.
  func run() throws -> String {
    try TableRenaming(
      connection: connection, job: new, tables: tables(), now: now, faults: faults,
      otherwise: "leave \"was\" out to begin anew"
    ).run()
    for table in Book.tables where table.columns.contains(where: { $0.name == "job" }) {
      try connection.rewrite(
        table, [("job", SQLName.literal(new))], where: "job = \(SQLName.literal(old))")
      faults.reach(.duringUpgrade)
    }
    return "\(old) is called \(new) now: its tables, lists and what is known of them are kept"
  }
}
