internal import Base

/// What a server asked of all who ask it, before a request that draws on no quota, and while one that does
/// waits for its turn.
extension QuotaLedger {
  /// Why a request that was let go must not go after all, by what was heard since.
  func recall(
    _ asks: [QuotaAsk]
  ) throws(LedgerError) -> (until: Instant, why: String)? {
    try checkPlace()
    return try reading { () throws(SQLiteError) in
      for ask in asks {
        guard var line = try QuotaRow.find(ask.key, on: connection) else { continue }
        try line.see(time.now())
        if let recall = line.recall(of: ask) { return recall }
      }
      return nil
    }
  }

  /// Whether it is known without asking that `wait` has nothing to say.
  nonisolated func isOpen(_ key: QuotaKey) throws(LedgerError) -> Bool {
    // What is known is known of the files that lay there then, and lie there now.
    if knownOpen.holds(key) { return true }
    try checkPlace()
    return false
  }

  /// A wait that the server asked of all who ask it, if one is not over. It reads only, so that a
  /// job without quotas pays next to nothing for it.
  func wait(for key: QuotaKey) throws(LedgerError) -> (until: Instant, why: String)? {
    try checkPlace()
    return try reading { () throws(SQLiteError) in
      let stamp = knownOpen.stamp
      guard var line = try QuotaRow.find(key, on: connection) else {
        knownOpen.note(key, stamp)
        return nil
      }
      try line.see(time.now())
      let gate = QuotaAsk(
        key: key, cost: 0, allow: 1, stretch: .rolling(.seconds(1)), burst: 1)
      return try line.refusal(of: gate, for: .timer)
    }
  }
}
