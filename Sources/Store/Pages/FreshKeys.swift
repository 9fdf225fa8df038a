/// Keys of records that this run stored first, or changed. A stream that fills further columns of a new record
/// completes what is new and does not change what was known.
final class FreshKeys {
  private var keys = KeySet()
  private var changed = KeySet()

  func note(_ digest: UInt64) { _ = keys.insert(digest) }

  func holds(_ digest: UInt64) -> Bool { keys.contains(digest) }

  /// Returns false if the run has changed it before.
  func noteChange(_ digest: UInt64) -> Bool { changed.insert(digest) }

  func forget() { (keys, changed) = (KeySet(), KeySet()) }
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
