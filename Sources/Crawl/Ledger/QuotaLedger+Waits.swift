internal import Base

/// Checks for waits that a server asked of everyone: before a request, and while it waits for its turn.
extension QuotaLedger {
  /// Why an admitted request must not go after all, because of what was learnt since.
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

  /// Whether it is known without reading the ledger that `wait` returns nil.
  nonisolated func isOpen(_ key: QuotaKey) throws(LedgerError) -> Bool {
    // The stamp covers the files as they are now.
    if knownOpen.holds(key) { return true }
    try checkPlace()
    return false
  }

  /// A wait that the server asked of everyone, if it is not over. Read-only, so that it costs next to nothing.
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
