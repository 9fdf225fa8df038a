internal import Base

/// What walks leave to those that come after them.
extension RecordStore {
  /// What earlier walks left to prove the next one with. A plan says the same of the next request as the run that makes it.
  func memory(
    of window: Int64, _ stream: Base.Stream, _ job: String, prints: Fingerprints,
    _ whole: StoredCertificate?, _ connection: Connection
  ) throws(SQLiteError) -> WalkMemory {
    var memory = WalkMemory(isRangeProven: whole?.certificate.verdict == .complete)
    let signs = try connection.row(
      "SELECT says_more, sizes_hold FROM trawl_signs WHERE job = ? AND stream = ? "
        + "AND request_print = ?",
      [.text(job), .text(stream.name), SQLValue(bits: Self.signPrint(stream, prints))]
    ) { row in
      (more: row.isNull(0) ? nil : row.boolean(0), sizes: row.isNull(1) ? nil : row.boolean(1))
    }
    (memory.hasSeenMore, memory.sizesHold) = (signs?.more, signs?.sizes)
    memory.rowsListed = try rowsListed(of: window, stream, job, connection)
    guard let whole, whole.standing == .valid else { return memory }
    if whole.certificate.cause == .rejects {
      let left = try connection.integer(
        "SELECT 1 FROM trawl_rejects WHERE window = ? AND column_name = '' LIMIT 1",
        [.integer(window)])
      memory.isRangeLacking = left != nil
    }
    memory.pattern = whole.certificate.pattern
    memory.patternSince = whole.beganAt
    memory.lastPage =
      try connection.row(
        "SELECT cursor FROM trawl_pages WHERE window = ?1 AND received > 0 AND \(Self.ofTheList) "
          + "AND traversal = (SELECT max(traversal) FROM trawl_certificates WHERE window = ?1 "
          + "AND \(Self.isReadToItsEnd)) ORDER BY ordinal DESC LIMIT 1", [.integer(window)]
      ) { $0.text(0).flatMap { Cursor($0) } } ?? nil
    return memory
  }

  /// Of a list that stops where it is known: what is dropped, rejected or cut is counted and no row.
  private func rowsListed(
    of window: Int64, _ stream: Base.Stream, _ job: String, _ connection: Connection
  ) throws(SQLiteError) -> Int? {
    guard stream.newestFirst != nil, stream.total?.trust == .counted, stream.keep == nil,
      stream.cap == nil
    else { return nil }
    let rows = try connection.integer(
      "SELECT rows FROM trawl_lists JOIN trawl_windows USING (list_number) WHERE window = ?1 "
        + "AND window_from = '' AND NOT EXISTS (SELECT 1 FROM trawl_rejects r "
        + "WHERE r.job = ?2 AND r.stream = ?3 AND column_name = '')",
      [.integer(window), .text(job), .text(stream.name)])
    return rows.map { Int($0) }
  }

  /// A sign that was seen to work says nothing of one that stands elsewhere.
  private static func signPrint(_ stream: Base.Stream, _ prints: Fingerprints) -> UInt64 {
    var digest = Digest64()
    digest.addField(String(prints.request))
    digest.addField(stream.signOfMore)
    return digest.value
  }

  /// What was learnt of the sign that more pages follow: for all lists of the stream. Once it was seen to
  /// work it stays so.
  public func note(signOfMore saysMore: Bool, of id: UnitID) throws(StoreError) {
    let unit = try opened(id)
    try note(
      [
        ("says_more", SQLValue(saysMore)), ("window", .integer(unit.id)),
        ("traversal", .integer(unit.traversal)),
      ], of: unit, where: "ifnull(says_more, -1) < excluded.says_more")
  }

  /// What was learnt of numbered pages in sizes of their own: for all lists of the stream.
  public func note(sizesHold: Bool, of id: UnitID) throws(StoreError) {
    try note(
      [("sizes_hold", SQLValue(sizesHold))], of: try opened(id), where: "1")
  }

  private func note(
    _ values: [(column: String, value: SQLValue)], of unit: OpenUnit, where condition: String
  ) throws(StoreError) {
    let stamp = now.description
    let columns = values.map(\.column) + ["seen_at"]
    try write { connection in
      try connection.run(
        "INSERT INTO trawl_signs (job, stream, request_print, \(columns.joined(separator: ", "))) "
          + "VALUES (?, ?, ?\(String(repeating: ", ?", count: columns.count))) "
          + "ON CONFLICT DO UPDATE SET "
          + columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
          + " WHERE \(condition)",
        [
          .text(unit.plan.job), .text(unit.plan.stream.name),
          SQLValue(bits: Self.signPrint(unit.plan.stream, unit.prints)),
        ] + values.map(\.value) + [.text(stamp)])
    }
  }
}
