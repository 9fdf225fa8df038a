internal import Base

/// What is read again after tables have changed.
extension Migration {
  /// Streams that are back in the job: changes in the meantime were not noted for them.
  func returned() throws(SQLiteError) -> Set<String> {
    let written = try connection.texts(
      "SELECT DISTINCT c.written_by FROM trawl_columns c JOIN trawl_tables USING (table_name) "
        + "WHERE job = ?", [.text(design.job.name)])
    let before = Set(written.flatMap { $0.split(separator: " ").map(String.init) })
    return Set(design.job.streams.map(\.name)).subtracting(before)
  }

  /// What the digests of each table consist of, before it is changed.
  func parts() throws(SQLiteError) -> [String: [TableDesign.Part]] {
    var parts: [String: [TableDesign.Part]] = [:]
    for table in design.tables {
      parts[table.name] = try OldTable.parts(of: table.name, connection)
    }
    return parts
  }

  /// Updates the number by which lists name the part of the digests that only their stream fills.
  /// - Returns: lists with a different part now that not all rows of their table have.
  func renumberParts(
    from old: [String: [TableDesign.Part]]
  ) throws(SQLiteError) -> Set<Int64> {
    var others: Set<Int64> = []
    let lists: [(Int64, String, String, Int?)] = try connection.rows(
      "SELECT list_number, stream, list_table, list_part FROM trawl_lists WHERE job = ?",
      [.text(design.job.name)])
    for (list, stream, name, oldPart) in lists {
      guard let table = design.table(name), table.kind == .records else { continue }
      let part = table.part(of: stream)
      if let part {
        let before = oldPart.flatMap { number in
          old[table.name].flatMap { $0.indices.contains(number) ? $0[number].name : nil }
        }
        let isSame = before == table.parts[part].name
        if !isSame,
          try connection.has(
            "\(SQLName.quoted(table.name)) WHERE NOT (\(TableDesign.has(part: part)))")
        {
          others.insert(list)
        }
      }
      if part == oldPart { continue }
      try connection.set(
        Book.lists, [("list_part", SQLValue(part))], where: "list_number = ?", [.integer(list)])
      if design.job.stream(stream) == nil { try leave(list, of: stream) }
    }
    return others
  }

  /// Marks a list as left: its stream is gone, and nothing distinguishes its rows from those of others any longer.
  private func leave(_ list: Int64, of stream: String) throws(SQLiteError) {
    let last = try connection.integer(
      "SELECT max(certificate) FROM trawl_windows JOIN trawl_certificates USING (window) "
        + "WHERE list_number = ?", [.integer(list)])
    try connection.note(
      FactKey(.absent, job: design.job.name, stream: stream, list: list, "parent"),
      .integer(last ?? 0))
  }

  /// Resets what was read for rows that are gone; lists of streams that left are orphaned. What was requested for each
  /// record of a parent is requested again if a stream is back, its lists have another table, or a table of nested
  /// lists is new.
  /// - Parameter renumbered: lists with a different part of the digests, and so with different rows.
  mutating func readAnew(
    _ returned: Set<String>, _ renumbered: Set<Int64>
  ) throws(SQLiteError) {
    let job = design.job.name
    let others = emptied.union(retyped)
    let all = try connection.rows(
      "SELECT list_number, stream, table_name, list_table, "
        + "list_number IN (SELECT list_number FROM (\(Book.orphans))) FROM trawl_lists WHERE job = ?",
      [.text(job)]
    ) {
      (
        number: $0.integer(0), stream: $0.text(1) ?? "", tables: [$0.text(2), $0.text(3)],
        isOrphaned: $0.boolean(4)
      )
    }
    let lists = all.filter { list in
      renumbered.contains(list.number)
        || list.tables.contains { $0.map(others.contains) == true }
        || design.job.stream(list.stream).map { isElsewhere(list.tables, $0) } == true
    }
    for (name, lists) in Dictionary(grouping: lists, by: \.stream).sorted(by: { $0.key < $1.key }) {
      try BookReset(
        job: job, lists: lists.map(\.number), streams: [name], connection: connection
      ).perform(.resetCoverage)
      let stream = design.job.stream(name)
      for list in lists where stream == nil || list.isOrphaned {
        try connection.note(
          FactKey(.absent, job: job, stream: name, list: list.number, "parent"), .integer(0))
      }
      guard let stream else { continue }
      messages.append(stream.readAnew(of: job))
    }
    for stream in design.job.streams {
      let list = design.fullName(stream.membership?.table ?? stream.table)
      if returned.contains(stream.name)
        || all.contains(where: { $0.stream == stream.name && $0.tables[1] != list })
        || stream.children.contains(where: { emptied.contains(design.fullName($0.table)) })
      {
        try connection.update(
          Book.due, [("asked_run", "NULL")], where: "job = ? AND stream = ?",
          [.text(job), .text(stream.name)])
      }
    }
  }

  /// Whether a list's rows are in another table now, unless the present records may become its rows.
  private func isElsewhere(_ tables: [String?], _ stream: Base.Stream) -> Bool {
    if design.fullName(stream.table) != tables[0] { return true }
    let mayEnlist = stream.membership != nil && stream.marksVanished
    return !mayEnlist && design.fullName(stream.membership?.table ?? stream.table) != tables[1]
  }

  /// Says how to read all records again, if the next runs do not.
  func wayToReadAll(by streams: [String]) -> String {
    let rest = design.job.streams.filter { streams.contains($0.name) && !$0.isReadWholeEachTime }
    if rest.isEmpty { return ", which each run does" }
    let isByTime = rest.contains { $0.window != nil }
    return
      "; to read all of them again: trawl \(isByTime ? "backfill" : "run") \(design.job.name) --refill"
      + (isByTime ? " --from DATE" : "")
  }

  /// Reports that records forgotten under the old key may be stored again: tombstones hold digests of that key.
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

extension Base.Stream {
  /// Says that nothing counts any more of what was read of its lists.
  func readAnew(of job: String) -> String {
    "the stream \(name) is read anew"
      + (window == nil ? "" : ", its older times by: trawl backfill \(job)")
  }

  /// Whether each run that comes to its end reads every record of it again.
  fileprivate var isReadWholeEachTime: Bool {
    window == nil && newestFirst == nil && (parent.map { $0.when == .all } ?? true)
  }
}
