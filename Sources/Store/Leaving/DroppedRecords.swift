internal import Base

/// Records that an answer still holds and that the job's `keep` leaves out. If they are stored, they
/// look as gone as if they had not come. Kept with the list: a page that is not read again says
/// nothing new of them.
struct DroppedRecords {
  typealias Record = (digest: UInt64, key: [SQLValue])

  let unit: OpenUnit
  let connection: Connection

  private var fact: FactKey { unit.fact(.absent, "dropped") }

  func keys() throws(SQLiteError) -> KeySet {
    unit.plan.marksDropped ? try connection.keys(fact) : KeySet()
  }

  /// A page decides anew of all its records.
  func note(_ dropped: [UInt64], of page: [UInt64]) throws(SQLiteError) {
    let (before, page) = (try keys(), KeySet(page))
    var keys = before.filter { !page.contains($0) }
    keys.formUnion(dropped)
    if keys.count != before.count || !before.allIn(keys) { try connection.note(fact, keys) }
  }
}
