internal import Base

/// The records of a table that belong to lists: which of them are in none any more.
struct ListedRecords {
  let plan: StreamPlan
  let connection: Connection
  /// `trawl_seen` knows records whose rows in lists were deleted, so that no row shows that they were in one.
  var withErased = false

  private var table: TableDesign { plan.table }
  private var key: String { TableDesign.list(table.key) }

  /// The fact that holds their digests.
  static func erased(of table: String, _ job: String) -> FactKey {
    FactKey(.left, job: job, "erased \(table)")
  }

  /// Keeps the digests of records whose rows in a list are deleted.
  static func noteErased(
    _ key: [String], _ rows: String, of table: String, _ job: String, _ connection: Connection
  ) throws(SQLiteError) {
    let erased = erased(of: table, job)
    var keys = try connection.keys(erased)
    try connection.each("SELECT trawl_hash(\(TableDesign.list(key))) FROM \(rows)") {
      _ = keys.insert($0.bits(0))
    }
    try connection.note(erased, keys)
    try connection.note(FactKey(.left, job: job, table), .integer(1))
  }

  /// The condition for an unmarked row: it was in a list, is in none any more, and no other stream
  /// confirms it. Nil: unknown.
  /// - Parameter before: as SQL, the time before which it left every list.
  private func left(before: String? = nil) -> String? {
    guard let vouching else { return nil }
    let was = plan.otherLists.map { list in
      "SELECT \(TableDesign.list(list.keyNames)) FROM \(SQLName.quoted(list.table)) "
        + "WHERE vanished_at IS NOT NULL"
    }
    let none = plan.otherLists.map { list in
      "(\(key)) NOT IN (SELECT \(TableDesign.list(list.keyNames)) FROM "
        + "\(SQLName.quoted(list.table)) WHERE vanished_at IS NULL"
        + (before.map { " OR vanished_at >= \($0)" } ?? "") + ")"
    }
    let conditions =
      [
        "vanished_at IS NULL",
        "((\(key)) IN (\(was.joined(separator: " UNION ALL ")))"
          + (withErased ? " OR trawl_seen(\(key)))" : ")"),
      ] + none
      + vouching.map { "NOT \(TableDesign.has(part: $0))" }
    return conditions.joined(separator: " AND ")
  }

  /// The parts of digests that belong to streams which return records without a list: if one is
  /// filled, the record was requested by itself. Nil if such a stream shares all its columns: then
  /// none is marked.
  private var vouching: [Int]? {
    var parts: [Int] = []
    for stream in plan.loneStreams {
      let own = table.parts.indices.filter { index in
        table.parts[index].columns.contains { table.column($0)?.writers == [stream] }
      }
      if own.isEmpty { return nil }
      parts += own
    }
    return parts
  }

  /// How many are in no list any more, and are not marked.
  func count() throws(SQLiteError) -> Int {
    guard let left = left() else { return 0 }
    return try leavers(left).count(connection)
  }

  private func leavers(_ condition: String) -> Leavers {
    Leavers(table: table, condition: condition, nested: plan.nested)
  }

  /// Marks those that had left every list before an instant; all of them if it is nil.
  /// - Parameter only: only those whose row in a list meets this, as SQL with its values.
  /// - Returns: how many.
  @discardableResult
  func mark(
    before: Instant? = nil, only: (list: ListPlan, condition: String, values: [SQLValue])? = nil,
    of run: Int64, at now: Instant
  ) throws(SQLiteError) -> Int {
    var values = only?.values ?? []
    if let before { values.append(.text(before.description)) }
    guard var gone = left(before: before == nil ? nil : "?\(values.count)") else { return 0 }
    if let only {
      gone +=
        " AND (\(key)) IN (SELECT \(TableDesign.list(only.list.keyNames)) FROM "
        + "\(SQLName.quoted(only.list.table.name)) WHERE \(only.condition))"
    }
    let count = try leavers(gone).count(connection, values)
    guard count > 0 else { return 0 }
    try leavers(gone).mark(values, at: now.description, connection)
    try ListPlace.recount(ofRecords: table.name, connection)
    connection.pendingBook.count(RunCounts.Table(gone: count), of: table.name, in: run)
    return count
  }

  // MARK: the lists that may hold them

  /// Whether several lists may hold them; the end of the run knows which are still requested.
  func areInSeveral() throws(SQLiteError) -> Bool {
    var lists = 0
    for stream in plan.holders where lists < 2 {
      // cut: two are several
      lists += try connection.count(
        of: "(SELECT 1 FROM trawl_lists WHERE job = ? AND stream = ? LIMIT 2)",
        [.text(plan.job), .text(stream.name)])
    }
    return lists > 1
  }

  /// For each list that the job requests and that may hold a record of the table: since when it has been read whole
  /// twice; nil: never yet.
  func listsReadTwice(at now: Instant) throws(SQLiteError) -> [Instant?] {
    var lists: [Instant?] = []
    for stream in plan.holders {
      let rows = try connection.rows(
        "SELECT f.fact, c.verdict, c.issued_at, c.rule FROM trawl_lists l "
          + "LEFT JOIN trawl_facts f ON f.kind = 'course' AND f.job = l.job "
          + "AND f.stream = l.stream AND f.list_number = l.list_number "
          + "LEFT JOIN trawl_windows w ON w.list_number = l.list_number AND w.window_from = '' "
          + "LEFT JOIN trawl_certificates c ON c.certificate = "
          + "(SELECT max(certificate) FROM trawl_certificates WHERE window = w.window) "
          + "WHERE l.job = ? AND l.stream = ? "
          + "AND l.list_number NOT IN (SELECT list_number FROM (\(Book.orphans)))",
        [.text(plan.job), .text(stream.name)]
      ) { ($0.text(0).flatMap { ListCourse($0) }, $0.text(1), $0.instant(2) ?? now, $0.text(3)) }
      for (course, verdict, at, rule) in rows where rule != StopRule.outOfReach.rawValue {
        if stream.isReadEachTime, now - at > Self.goodWhile { continue }
        if verdict == Verdict.absent.rawValue,
          course.map({ !$0.wasWhole || now - $0.goodAt > Self.goodWhile }) ?? true
        {
          continue
        }
        lists.append(course?.readWholeTwice)
      }
    }
    return lists
  }

  /// Fills a new list table with every present record, if none can come from elsewhere, so that the next walk shows
  /// which have left.
  /// - Returns: whether it did.
  func enlist(_ parameters: [ParameterValue]) throws(SQLiteError) -> Bool {
    guard let list = plan.list, plan.stream.marksVanished, plan.otherLists.count == 1,
      plan.loneStreams.isEmpty, !list.isOfRecords,
      try connection.count(of: "trawl_lists WHERE table_name = ?", [.text(table.name)]) == 1,
      try !connection.has(SQLName.quoted(list.table.name))
    else { return false }
    connection.pendingBook.beginChange()
    _ = list.own(parameters)
    let names = plan.keySlots.map { plan.names[$0] } + ["first_seen_at"]
    try connection.each(
      "SELECT \(TableDesign.list(names)) FROM \(SQLName.quoted(table.name)) "
        + "WHERE vanished_at IS NULL", []
    ) { stored throws(SQLiteError) in
      plan.row.clear()
      for (index, slot) in plan.keySlots.enumerated() {
        plan.row.set(slot, from: stored, column: index)
      }
      try list.write(
        plan.row, keySlots: plan.keySlots, position: nil, at: stored.text(names.count - 1) ?? "",
        connection)
    }
    return true
  }

  /// A list that was not requested, or was absent, for this long holds no record.
  private static let goodWhile = Duration.seconds(30 * 86_400)
}
