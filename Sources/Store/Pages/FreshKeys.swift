/// Keys of records that this run stored first, or changed. A stream that fills further columns of a new record
/// completes what is new and does not change what was known.
final class FreshKeys {
  private var keys = KeySet()
  private var changed = KeySet()
  /// Which list wrote from which change on.
  private var turns: [(change: Int64, list: Int64)] = []

  func note(_ digest: UInt64) { _ = keys.insert(digest) }

  func holds(_ digest: UInt64) -> Bool { keys.contains(digest) }

  /// Returns false if the run has changed it before.
  func noteChange(_ digest: UInt64) -> Bool { changed.insert(digest) }

  func noteTurn(of list: Int64, from change: Int64) {
    // A page that wrote nothing, or was rolled back, leaves its number to the next one.
    while let last = turns.last, last.change >= change { turns.removeLast() }
    if turns.last?.list != list { turns.append((change, list)) }
  }

  /// The list that made a change in this run.
  func list(of change: Int64) -> Int64? {
    var (low, high) = (0, turns.count)
    while low < high {
      let middle = (low + high) / 2
      if turns[middle].change <= change { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? turns[low - 1].list : nil
  }

  func forget() { (keys, changed, turns) = (KeySet(), KeySet(), []) }
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
