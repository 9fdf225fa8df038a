internal import Base

/// What is read again where tables are not those that it was read for.
extension Migration {
  /// Streams that were not in the job for a while: what changed meanwhile was not noted for them.
  func returned() throws(SQLiteError) -> Set<String> {
    let written = try connection.texts(
      "SELECT DISTINCT c.written_by FROM trawl_columns c JOIN trawl_tables USING (table_name) "
        + "WHERE job = ?", [.text(design.job.name)])
    let before = Set(written.flatMap { $0.split(separator: " ").map(String.init) })
    return Set(
      design.job.streams.filter { !before.contains($0.name) && !before.contains($0.was ?? $0.name) }
        .map(\.name))
  }

  /// What was read for rows that are not there says nothing. What was requested for each record of a parent is
  /// requested again where a stream is back, or where a table of its lists is new or was made anew.
  mutating func readAnew(_ returned: Set<String>) throws(SQLiteError) {
    let job = design.job.name
    let names = emptied.union(retyped).map(SQLName.literal).joined(separator: ", ")
    let isOfOthers = "list_table IN (\(names))"
    for stream in design.job.streams {
      let table = design.fullName(stream.table)
      let isAnew = emptied.contains(table)
      let lists = try connection.rows(
        "SELECT list_number FROM trawl_lists WHERE job = ? AND stream = ?"
          + (isAnew ? "" : " AND (table_name <> \(SQLName.literal(table)) OR \(isOfOthers))"),
        [.text(job), .text(stream.name)]
      ) { $0.integer(0) }
      if !lists.isEmpty {
        try BookReset(job: job, lists: lists, streams: [stream.name], connection: connection)
          .perform(.resetCoverage)
        messages.append(
          "the stream \(stream.name) is read anew"
            + (stream.window == nil ? "" : ", its older times by: trawl backfill \(job)"))
      }
      let others = stream.children.map(\.table) + [stream.membership?.table].compactMap(\.self)
      if returned.contains(stream.name)
        || others.contains(where: { emptied.contains(design.fullName($0)) })
      {
        try connection.update(
          Book.due, [("asked_run", "NULL")], where: "job = ? AND stream = ?",
          [.text(job), .text(stream.name)])
      }
    }
  }

  /// Who was forgotten is known by a digest of the key as it was.
  mutating func noteForgotten(_ table: TableDesign) throws(SQLiteError) {
    let count = try Tombstone.all(of: design.job.name, connection).count {
      $0.table == table.name && !$0.mayReturn
    }
    guard count > 0 else { return }
    messages.append(
      "\(Wording.count(count, "record")) of \(table.name) \(count == 1 ? "was" : "were") forgotten by the "
        + "key as it was before: a run may store \(count == 1 ? "it" : "them") again; "
        + "then: trawl forget \(table.name) KEY")
  }
}
