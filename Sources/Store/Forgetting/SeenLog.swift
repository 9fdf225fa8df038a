internal import Base

/// When records were last seen, as far as no stored page shows it any more: a page is deleted when
/// a later walk is certified, but the keys that it had are kept by day, eight bytes each. Only for
/// tables whose records are kept for a limited time.
struct SeenLog {
  let job: String
  let table: String
  let connection: Connection

  private func key(_ day: String) -> FactKey { FactKey(.seen, job: job, "\(table) \(day)") }

  /// Call it before pages are deleted.
  /// - Parameter present: the keys of the walk that replaces them.
  func note(
    pagesIn pages: String, _ values: [SQLValue], besides present: KeySet
  ) throws(SQLiteError) {
    let rows = try connection.rows(
      "SELECT substr(committed_at, 1, 10), keys FROM trawl_pages WHERE page IN (\(pages))", values
    ) { (day: $0.text(0) ?? "", keys: $0.keys(1)) }
    for (day, group) in Dictionary(grouping: rows, by: \.day) {
      var bytes: [UInt8] = []
      if case .blob(let known)? = try connection.fact(key(day)) { bytes = known }
      for digest in group.flatMap(\.keys) where !present.contains(digest) {
        bytes += Functions.bytes(digest)
      }
      if !bytes.isEmpty { try connection.note(key(day), .blob(bytes)) }
    }
  }

  /// The keys that were seen since then.
  func keys(since limit: Instant) throws(SQLiteError) -> KeySet {
    var seen = KeySet()
    for (subject, fact) in try connection.facts(FactKey(.seen, job: job))
    where subject.hasPrefix("\(table) ") {
      // A day counts by its beginning: nothing is kept too long.
      let day = String(subject.dropFirst(table.utf8.count + 1))
      guard case .blob(let bytes) = fact, day > limit.description else { continue }
      bytes.withUnsafeBytes { for key in KeyBlob.keys($0) { _ = seen.insert(key) } }
    }
    let pages = try connection.rows(
      "SELECT keys FROM \(Self.pages) AND committed_at >= ?", ofTable + [.text(limit.description)]
    ) { $0.keys(0) }
    for key in pages.joined() { _ = seen.insert(key) }
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
    var named = KeySet()
    try connection.each("SELECT keys FROM \(Self.pages)", ofTable) {
      for key in $0.keys(0) { _ = named.insert(key) }
    }
    for stone in stones where !named.contains(stone.digest) {
      try connection.forget(stone.key(of: job))
    }
  }
}
