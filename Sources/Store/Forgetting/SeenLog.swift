internal import Base

/// When records were last seen on pages that were deleted since: their keys are kept by day, eight bytes each. Only for
/// tables whose records are kept for a limited time.
struct SeenLog {
  let job: String
  let table: String
  let connection: Connection

  private func key(_ day: String) -> FactKey { FactKey(.seen, job: job, "\(table) \(day)") }

  /// Keeps the keys of pages that are about to be deleted, for whatever reason.
  /// - Parameter present: keys that other pages have.
  static func note(
    pagesWhere condition: String, _ values: [SQLValue], besides present: KeySet,
    _ connection: Connection
  ) throws(SQLiteError) {
    guard try connection.has("trawl_facts WHERE kind = 'retained'") else { return }
    var seen: [FactKey: KeySet] = [:]
    try connection.each(
      "SELECT l.job, l.table_name, substr(committed_at, 1, 10), keys FROM "
        + "(SELECT window, committed_at, keys FROM trawl_pages WHERE \(condition)) "
        + "JOIN trawl_windows USING (window) JOIN trawl_lists l USING (list_number) "
        + "JOIN trawl_facts f ON f.kind = 'retained' AND f.job = l.job AND f.subject = l.table_name",
      values
    ) { page in
      let log = SeenLog(
        job: page.text(0) ?? "", table: page.text(1) ?? "", connection: connection)
      for digest in page.keys(3) where !present.contains(digest) {
        _ = seen[log.key(page.text(2) ?? ""), default: KeySet()].insert(digest)
      }
    }
    for (key, keys) in seen { try connection.add(keys.inOrder, to: key) }
  }

  /// Counts all rows of a table as seen now: their keys have new digests, which no page has.
  func noteAll(_ key: [String], at now: Instant) throws(SQLiteError) {
    guard try isKept else { return }
    let digests: [UInt64] = try connection.rows(
      "SELECT trawl_hash(\(TableDesign.list(key))) FROM \(SQLName.quoted(table))")
    try connection.add(digests, to: self.key(now.day))
  }

  /// Whether the table's records are kept for a limited time.
  var isKept: Bool { get throws(SQLiteError) { try connection.fact(retained) != nil } }

  func keep(_ isRetained: Bool) throws(SQLiteError) {
    if isRetained {
      try connection.note(retained, .integer(1))
    } else {
      try connection.forget(retained)
    }
  }

  private var retained: FactKey { FactKey(.retained, job: job, table) }

  /// The keys that were seen since then.
  func keys(since limit: Instant) throws(SQLiteError) -> KeySet {
    var seen = KeySet()
    for (subject, fact) in try connection.facts(FactKey(.seen, job: job))
    where subject.hasPrefix("\(table) ") {
      // A day counts by its beginning: nothing is kept too long.
      let day = String(subject.dropFirst(table.utf8.count + 1))
      guard case .blob(let bytes) = fact, day > limit.description else { continue }
      bytes.withUnsafeBytes { seen.formUnion(KeyBlob.keys($0)) }
    }
    try connection.each(
      "SELECT keys FROM \(Self.pages) AND committed_at >= ?", ofTable + [.text(limit.description)]
    ) { seen.formUnion($0.keys(0)) }
    return seen
  }

  private static let pages =
    "trawl_pages WHERE window IN (SELECT window FROM trawl_windows JOIN trawl_lists "
    + "USING (list_number) WHERE job = ? AND table_name = ?)"
  private var ofTable: [SQLValue] { [.text(job), .text(table)] }

  /// Deletes earlier days, and tombstones of records that may return and that no page names any
  /// more.
  func sweep(before limit: Instant) throws(SQLiteError) {
    for (subject, _) in try connection.facts(FactKey(.seen, job: job))
    where subject.hasPrefix("\(table) ")
      && subject.dropFirst(table.utf8.count + 1) <= limit.description
    {
      try connection.forget(FactKey(.seen, job: job, subject))
    }
    let stones = try Tombstone.all(of: job, connection).filter { $0.table == table && $0.mayReturn }
    if stones.isEmpty { return }
    let named = try connection.keys("SELECT keys FROM \(Self.pages)", ofTable)
    for stone in stones where !named.contains(stone.digest) {
      try connection.forget(stone.key)
    }
  }
}

extension Connection {
  fileprivate func add(_ digests: [UInt64], to key: FactKey) throws(SQLiteError) {
    var known = try keys(key)
    known.formUnion(digests)
    try note(key, known)
  }
}
