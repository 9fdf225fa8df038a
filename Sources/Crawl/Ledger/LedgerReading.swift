public import Base

/// Queries to a ledger that neither change nor create it.
public enum LedgerReading {
  /// What each quota has left; a ledger or quota that does not exist yet has spent nothing.
  public static func left(
    in asks: [QuotaAsk], file path: String, now: Instant, for spender: Spender = .timer
  ) async throws(LedgerError) -> [QuotaLedger.Left] {
    try await reading(path) { connection throws(SQLiteError) in
      var found: [QuotaLedger.Left] = []
      // Jobs that share a key share quotas.
      var known: [QuotaAsk: QuotaLedger.Left] = [:]
      for ask in asks {
        if known[ask] == nil { known[ask] = try left(in: ask, connection, now, spender) }
        if let left = known[ask] { found.append(left) }
      }
      return found
    } ?? asks.map { whole($0, spender) }
  }

  /// Every quota that was ever used of an origin, without the job file.
  public static func quotas(
    of origin: String, file path: String, now: Instant
  ) async throws(LedgerError) -> [QuotaLedger.Left] {
    try await reading(path) { connection throws(SQLiteError) in
      var found: [QuotaLedger.Left] = []
      for ask in try QuotaRow.asks(of: origin, at: now, on: connection) {
        found.append(try left(in: ask, connection, now, .timer))
      }
      return found
    } ?? []
  }

  private static func left(
    in ask: QuotaAsk, _ connection: Connection, _ now: Instant, _ spender: Spender
  ) throws(SQLiteError) -> QuotaLedger.Left {
    guard var line = try QuotaRow.find(ask.key, on: connection) else { return whole(ask, spender) }
    try line.see(now)
    return try line.left(of: ask, for: spender)
  }

  /// Off the shared threads: a writer may hold the file for a while. Nil: there is no ledger.
  static func reading<T: Sendable>(
    _ path: String, _ body: @escaping @Sendable (Connection) throws(SQLiteError) -> T
  ) async throws(LedgerError) -> T? {
    guard isBegun(path) else { return nil }
    return try await QueueExecutor(label: "ledger reading").run {
      Result { () throws(LedgerError) in
        let refusal: LedgerError
        do throws(SQLiteError) {
          let connection = try Connection(path, .readOnly, waiting: .seconds(5))
          defer { connection.close() }
          if try LedgerSchema.isEmpty(connection) { return nil }
          guard let found = try LedgerSchema.refusal(of: connection, path) else {
            return try body(connection)
          }
          refusal = found
        } catch {
          throw LedgerError(error, path: path)
        }
        throw refusal
      }
    }.get()
  }

  /// Not an empty file: a full disk leaves one, and the next run begins in it.
  public static func isBegun(_ path: String) -> Bool {
    (FilePlace(path: path)?.size ?? 0) > 0
  }

  private static func whole(_ ask: QuotaAsk, _ spender: Spender) -> QuotaLedger.Left {
    QuotaLedger.Left(
      key: ask.key, allowed: ask.allow, left: spender.share(of: ask.allow), resetsAt: nil,
      blockedWhy: nil)
  }
}
