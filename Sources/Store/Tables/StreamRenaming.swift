internal import Base

/// Renames a stream of a job: the rows of the book that name it get the new name. Inside the
/// transaction that adopts the job; the job file names the tables.
struct StreamRenaming {
  let connection: Connection
  let job: Job
  let stream: Base.Stream
  let old: String

  /// For a stream whose file says that it was renamed.
  init?(_ stream: Base.Stream, of job: Job, _ connection: Connection) {
    guard let was = stream.was else { return nil }
    (self.connection, self.job, self.stream, old) = (connection, job, stream, was)
  }

  private var new: String { stream.name }

  /// Whether the file has lists of the old name.
  func isDue() throws(SQLiteError) -> Bool { try isKnown(old) }

  /// A description of what it did; nil: the file has nothing with the old name.
  func run() throws -> String? {
    guard try isDue() else { return nil }
    guard try !isKnown(new) else {
      throw StoreError(
        .job, "job \(job.name)",
        "its stream \(new) says that it was called \(old), and there are lists of both: they are never "
          + "mixed. Remove \"was\" to keep both, or one of them with `trawl reset records \(job.name) "
          + "--stream \(new)`")
    }
    for table in Book.tables {
      let columns = table.columns.map(\.name)
      guard columns.contains("job"), columns.contains("stream") else { continue }
      try rewrite(
        table, ("stream", SQLName.literal(new)), where: "stream = \(SQLName.literal(old))")
    }
    try renameLists()
    try renameGoals()
    try renameWriter()
    return
      "\(old) of \(job.name) is called \(new) now: its lists and what is known of them are kept"
  }

  private func isKnown(_ name: String) throws(SQLiteError) -> Bool {
    try connection.has("trawl_lists WHERE job = ? AND stream = ?", [.text(job.name), .text(name)])
  }

  private func rewrite(
    _ table: BookTable, _ change: (column: String, sql: String), where condition: String
  ) throws {
    try connection.rewrite(
      table, [change], where: "job = \(SQLName.literal(job.name)) AND \(condition)")
  }

  /// The name of a list begins with its stream's name, unless the job says otherwise.
  private func renameLists() throws {
    guard stream.listName == nil else { return }
    let (before, after) = (SQLName.literal(old), SQLName.literal(new))
    try rewrite(
      Book.lists, ("list", "\(after) || substr(list, length(\(before)) + 1)"),
      where: "stream = \(after) AND (list = \(before) "
        + "OR substr(list, 1, length(\(before)) + 1) = \(before) || ' ')")
  }

  /// A goal names its streams in one text.
  private func renameGoals() throws {
    let goals = try connection.texts(
      "SELECT DISTINCT stream FROM trawl_goals WHERE job = ? AND instr(stream, ',') > 0",
      [.text(job.name)])
    for goal in goals {
      let names = goal.split(separator: ",").map { $0 == old ? new : String($0) }
      try rewrite(
        Book.goals, ("stream", SQLName.literal(names.joined(separator: ","))),
        where: "stream = \(SQLName.literal(goal))")
    }
  }

  /// Tables say which streams write each column and each part of their digests.
  private func renameWriter() throws(SQLiteError) {
    let (before, after) = (SQLName.literal(" \(old) "), SQLName.literal(" \(new) "))
    let tables = try connection.texts(
      "SELECT table_name FROM trawl_tables WHERE job = ?", [.text(job.name)])
    for table in tables {
      try connection.rewrite(
        Book.columns,
        [("written_by", "trim(replace(' ' || written_by || ' ', \(before), \(after)))")],
        where: "table_name = \(SQLName.literal(table)) "
          + "AND instr(' ' || written_by || ' ', \(before)) > 0")
      let parts = try OldTable.parts(of: table, connection)
      let renamed = parts.map { $0.renaming(old, to: new) }
      guard renamed != parts else { continue }
      try connection.rewrite(
        Book.jobTables, [("digests", SQLName.literal(TableDesign.json(renamed)))],
        where: "table_name = \(SQLName.literal(table))")
    }
  }
}
