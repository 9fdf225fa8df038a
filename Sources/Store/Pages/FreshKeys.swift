/// Keys of records that this run stored first. A stream that fills further columns of such a record
/// completes what is new and does not change what was known.
final class FreshKeys {
  private var keys = KeySet()

  func note(_ digest: UInt64) { _ = keys.insert(digest) }

  func holds(_ digest: UInt64) -> Bool { keys.contains(digest) }

  func forget() { keys = KeySet() }
}

extension RecordStore {
  /// One set for all streams of a table.
  func freshKeys(of table: String) -> FreshKeys {
    if let known = fresh[table] { return known }
    let made = FreshKeys()
    fresh[table] = made
    return made
  }
}
