internal import Base

extension RecordStore {
  /// For an answer that is byte for byte that of a stored page, if no record of it has been altered
  /// since: the page's facts about its records are copied, and nothing is written to their tables.
  /// The rest of the answer is read as usual. Nil: the page must be stored.
  func takeOver(
    _ page: Page, _ row: NewPage, before: [UInt64], facts: PageFacts
  ) throws(SQLiteError) -> PageReceipt? {
    let unit = row.unit
    guard facts.asked.isEmpty, facts.parameters.isEmpty,
      let old = try knownPage(row),
      unit.plan.altered?.stands(since: old.change, old.keys) == true,
      // A record whose reject is open may fit now, or not: its reject is deleted or written again.
      !old.keys.contains(where: unit.plan.openRejects.contains),
      // A record that was met before would be counted as repeated.
      !old.keys.contains(where: unit.seen.contains)
    else {
      unit.known?.note(isKnown: false)
      return nil
    }
    unit.known?.note(isKnown: true)
    var row = row
    row.summary.unseen = old.keys.count { unit.seen.insert($0) }
    row.summary.counts.dropped = old.summary.counts.dropped
    row.summary.counts.unchanged = old.keys.count - old.summary.counts.dropped
    row.summary.compare(old.keys, with: before)
    row.summary.note(old.keys)
    row.summary.oldest = old.summary.oldest
    row.summary.newest = old.summary.newest
    row.summary.isNewestFirst = old.summary.isNewestFirst
    row.summary.order = old.summary.order
    row.keys = old.keys
    row.zeroDates = old.zeroDates
    try row.save(connection)
    settings.faults.reach(.beforePageCommit)
    return PageReceipt(summary: row.summary)
  }

  /// The newest stored page that was made from the same answer to the same request. A page whose
  /// seal fails is never reused.
  func knownPage(_ row: NewPage) throws(SQLiteError) -> StoredPage? {
    guard let print = row.answerPrint, row.unit.known?.areStored == true else { return nil }
    let target = Digest64.of(row.step.target.utf8)
    return try connection.row(
      "SELECT \(StoredPage.columns) FROM trawl_pages WHERE window = ? AND address_digest = ? "
        + "AND answer_print = ? AND \(Seals.column) IS \(Self.sealOfPages) ORDER BY page DESC LIMIT 1",
      [.integer(row.unit.id), SQLValue(bits: target), SQLValue(bits: print)])
  }

  private static let sealOfPages = Book.pages.seal(\.name)
}
