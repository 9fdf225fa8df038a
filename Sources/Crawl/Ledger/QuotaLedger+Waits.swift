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

  /// A wait that the server asked of everyone, if it is not over. Read-only, so that it costs next to nothing.
  func wait(for key: QuotaKey) throws(LedgerError) -> (until: Instant, why: String)? {
    try checkPlace()
    return try reading { () throws(SQLiteError) in
      guard var line = try QuotaRow.find(key, on: connection) else { return nil }
      try line.see(time.now())
      return line.block
    }
  }
}
