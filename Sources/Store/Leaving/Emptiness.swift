internal import Base

/// What speaks against an empty answer to a list: the records that it held, and the count in its
/// parent's record. An API failure is more likely than a list that lost all its records at once;
/// but a list may be emptied, and then it stays empty.
struct Emptiness {
  let unit: OpenUnit
  let connection: Connection
  let now: Instant

  /// Empty answers are accepted after this many walks in a row, if the first is old enough.
  static let walksMin = 3
  static let timeMin = WalkMemory.patternAge

  /// Walks in a row that found the list empty, up to now, and the time of the first of them.
  struct Run {
    var walks: Int
    var since: String
  }

  private static let told =
    "window = ?1 AND verdict NOT IN ('paused', 'failed', 'absent') AND standing <> 'other request' "
    + "ORDER BY certificate DESC LIMIT 1"

  /// Nil: the last walk that says anything about the list found records, or there was none.
  func run() throws(SQLiteError) -> Run? {
    guard unit.hasCertificates else { return nil }
    let found = try connection.row(
      "SELECT tries, empty_since FROM trawl_certificates WHERE \(Self.told)", [.integer(unit.id)]
    ) { ($0.int(0), $0.text(1)) }
    return found.flatMap { walks, since in since.map { Run(walks: walks, since: $0) } }
  }

  func note(in memory: inout WalkMemory, lastWhole: StoredCertificate?) throws(SQLiteError) {
    memory.expected = try expected()
    let run = try run()
    memory.rowsBefore = try rowsBefore(run, lastWhole)
    memory.isEmptyForLong = run.map { isLong($0) } ?? false
  }

  /// Whether the list counts as empty, which shows that its records left: its parent counts none
  /// either, or it has been empty for long.
  func isBelieved() throws(SQLiteError) -> Bool {
    if try expected() == 0 { return true }
    return try run().map { isLong($0) } ?? false
  }

  private func isLong(_ run: Run) -> Bool {
    guard let since = Instant(stored: run.since) else { return false }
    return run.walks + 1 >= Self.walksMin && now - since >= Self.timeMin
  }

  private func rowsBefore(
    _ run: Run?, _ lastWhole: StoredCertificate?
  ) throws(SQLiteError) -> Int {
    guard unit.hasCertificates else { return 0 }
    let last = try connection.row(
      "SELECT keys_count, verdict IN ('complete', 'unproven') FROM trawl_certificates WHERE "
        + Self.told, [.integer(unit.id)]
    ) { (keys: $0.int(0), isWhole: $0.boolean(1)) }
    guard let last else { return 0 }
    // It was accepted as empty.
    if last.isWhole, last.keys == 0 { return 0 }
    var rows = max(last.keys, lastWhole?.certificate.distinctKeys ?? 0)
    if unit.unit.window == nil {
      let listed = try connection.integer(
        "SELECT rows FROM trawl_lists WHERE list_number = ?", [.integer(unit.list)])
      rows = max(rows, Int(listed ?? 0))
    }
    return run == nil ? rows : max(rows, 1)
  }

  /// The count in the parent's record as stored; nil if the job names none, or nothing is stored.
  /// It counts the whole list, and says nothing of one window.
  private func expected() throws(SQLiteError) -> Int? {
    guard unit.unit.window == nil, let expectation = unit.plan.stream.expectation,
      let feed = unit.plan.stream.parent,
      let table = unit.plan.expectingTable
    else { return nil }
    let own = unit.unit.values.filter { feed.hole == $0.name || feed.carries.contains($0.name) }
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
