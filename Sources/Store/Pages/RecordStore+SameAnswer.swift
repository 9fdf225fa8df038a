internal import Model
internal import SQLite

extension RecordStore {
  /// A page whose answer is, byte for byte, the one that a stored page was made of, while no record of it
  /// was altered since: what the page says of its records is taken over, and nothing is written to their
  /// tables. What the answer says beside them is read as ever. Nil: it must be stored.
  func takeOver(
    _ page: Page, _ row: NewPage, before: Set<UInt64>, facts: PageFacts, _ connection: Connection
  ) throws(SQLiteError) -> PageReceipt? {
    let unit = row.unit
    guard facts.asked.isEmpty, facts.parameters.isEmpty,
      let known = unit.known?.page(row.answerPrint),
      let old = try NewPage.load(known, connection),
      // Numbers of pages that are gone are given again.
      old.answerPrint == row.answerPrint,
      unit.plan.altered?.stands(known, old.keys) == true,
      // One that was met before would be told as repeated.
      !old.keys.contains(where: unit.seen.contains)
    else { return nil }
    var row = row
    row.summary.unseen = old.keys.count { unit.seen.insert($0) }
    row.summary.counts.dropped = old.summary.counts.dropped
    row.summary.counts.unchanged = old.keys.count - old.summary.counts.dropped
    row.summary.leadingRepeats = old.keys.prefix { before.contains($0) }.count
    row.summary.keysDigest = old.summary.keysDigest
    row.summary.firstKey = old.keys.first
    row.summary.lastKey = old.keys.last
    row.summary.oldest = old.summary.oldest
    row.summary.isNewestFirst = old.summary.isNewestFirst
    row.summary.order = old.summary.order
    row.keys = old.keys
    row.newest = old.newest
    row.zeroDates = old.zeroDates
    try row.save(connection)
    settings.faults.reach(.beforePageCommit)
    var receipt = PageReceipt(summary: row.summary)
    receipt.zeroDates = old.zeroDates
    return receipt
  }
}
