internal import Base

/// What speaks against an empty answer to a list: the records that it held, and the count in its
/// parent's record. An API failure is more likely than a list that lost all its records at once;
/// but a list may be emptied, and then it stays empty.
struct Emptiness {
  let unit: OpenUnit
  let connection: Connection
  let now: Instant

  /// Empty answers are believed after this many walks in a row, if the first was long ago.
  static let walksMin = 3

  /// Whether a walk has read the list, and found it empty.
  static func isFound(_ certificate: Certificate, withheld: Int) -> Bool {
    certificate.counts.received == 0
      && (certificate.cause == .empty || certificate.verdict.isWhole || withheld > 0)
  }

  /// The last walk that says anything about the list.
  func last() throws(SQLiteError) -> StoredCertificate? {
    try unit.certificates(connection).first {
      $0.isTelling && $0.certificate.verdict != .absent && $0.standing != .otherRequest
    }
  }

  func note(in memory: inout WalkMemory, lastWhole: StoredCertificate?) throws(SQLiteError) {
    memory.expected = try expected()
    let last = try last()
    memory.rowsBefore = try rowsBefore(last, lastWhole)
    memory.isEmptyForLong = isForLong(last)
    memory.isAccepted = try wasAccepted(last)
  }

  /// A person took it for empty, and no record has come since.
  private func wasAccepted(_ last: StoredCertificate?) throws(SQLiteError) -> Bool {
    guard let last, last.certificate.verdict == .complete, last.keysCount == 0 else { return false }
    return try connection.has(
      "trawl_pages WHERE window = ? AND traversal = ? AND handed ->> 'accepted' = 1",
      [.integer(unit.id), .integer(last.traversal)])
  }

  /// Whether the list counts as empty, so that its records have left: its parent counts none either (not trusted if
  /// there were many: it may be the same failure), or it has been empty for long.
  func isBelieved(ofMany isMany: Bool) throws(SQLiteError) -> Bool {
    if !isMany, try expected() == 0 { return true }
    return isForLong(try last())
  }

  private func isForLong(_ last: StoredCertificate?) -> Bool {
    guard let run = last?.empty else { return false }
    return Self.isForLong(run.walks + 1, since: run.since, now: now)
  }

  static func isForLong(_ walks: Int, since: Instant?, now: Instant) -> Bool {
    walks >= walksMin && since.map { now - $0 >= WalkMemory.patternAge } ?? false
  }

  private func rowsBefore(
    _ last: StoredCertificate?, _ lastWhole: StoredCertificate?
  ) throws(SQLiteError) -> Int {
    guard let last else { return 0 }
    // The list already counted as empty.
    if last.certificate.verdict.isWhole, last.keysCount == 0 { return 0 }
    var rows = max(last.keysCount, lastWhole?.certificate.distinctKeys ?? 0)
    if unit.unit.window == nil {
      let listed = try connection.integer(
        "SELECT rows FROM trawl_lists WHERE list_number = ?", [.integer(unit.list)])
      rows = max(rows, Int(listed ?? 0))
    }
    return last.empty == nil ? rows : max(rows, 1)
  }

  /// The count in the parent's record as stored; nil if the job names none, or nothing is stored.
  /// It counts the whole list, and says nothing of one window.
  private func expected() throws(SQLiteError) -> Int? {
    guard unit.unit.window == nil, let expectation = unit.plan.stream.expectation,
      let feed = unit.plan.stream.parent,
      let table = unit.plan.expectingTable
    else { return nil }
    let own = unit.unit.values.filter { feed.given.contains($0.name) }
    let condition = TableDesign.isThis(own.map(\.name))
    guard !own.isEmpty else { return nil }
    let column = SQLName.quoted(expectation.column)
    return try connection.row(
      "SELECT \(column) FROM \(SQLName.quoted(table)) WHERE \(condition) AND \(column) >= 0 "
        // cut: one record is the parent; the newest, if a name was given up and taken again
        + "ORDER BY vanished_at IS NOT NULL, changed_at DESC LIMIT 1", own.map { .text($0.value) }
    ) { $0.int(0) }
  }
}
