internal import Base

/// Records that answers hold but the job's `keep` leaves out: stored ones count as not returned. Kept with the list,
/// since a page that is not read again does not show them.
struct DroppedRecords {
  typealias Record = (digest: UInt64, key: [SQLValue])

  let unit: OpenUnit
  let connection: Connection

  private var fact: FactKey { unit.fact(.absent, "dropped") }

  func keys() throws(SQLiteError) -> KeySet {
    unit.plan.marksDropped ? try connection.keys(fact) : KeySet()
  }

  /// A page decides anew about all its records.
  func note(_ dropped: [UInt64], of page: [UInt64]) throws(SQLiteError) {
    let (before, page) = (try keys(), KeySet(page))
    var keys = before.filter { !page.contains($0) }
    keys.formUnion(dropped)
    if keys.count != before.count || !before.allIn(keys) { try connection.note(fact, keys) }
  }
}
