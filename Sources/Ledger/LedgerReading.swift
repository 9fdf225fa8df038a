internal import Glibc
public import Model
internal import SQLite

/// Questions to a ledger that must not change it, nor make one.
public enum LedgerReading {
  /// What each bucket has left; a ledger or a bucket that is not there yet has spent nothing.
  public static func left(
    in asks: [BucketAsk], file path: String, now: Instant, for spender: Spender = .timer
  ) throws(LedgerError) -> [QuotaLedger.Left] {
    guard isBegun(path) else { return asks.map { whole($0, spender) } }
    return try reading(path) { connection throws(SQLiteError) in
      var found: [QuotaLedger.Left] = []
      for ask in asks { found.append(try left(in: ask, connection, now, spender)) }
      return found
    }
  }

  /// Every bucket that was ever asked of an origin, with whose it is: what can be told without the
  /// job file.
  public static func buckets(
    of origin: String, file path: String, now: Instant
  ) throws(LedgerError) -> [(key: BucketKey, left: QuotaLedger.Left)] {
    guard isBegun(path) else { return [] }
    return try reading(path) { connection throws(SQLiteError) in
      // A ledger of an older Trawl knows no lengths; the next run brings it up to date.
      guard try connection.integer("PRAGMA user_version") == LedgerSchema.version else { return [] }
      var found: [(key: BucketKey, left: QuotaLedger.Left)] = []
      for ask in try BucketLine.asks(of: origin, at: now, on: connection) {
        found.append((ask.key, try left(in: ask, connection, now, .timer)))
      }
      return found
    }
  }

  private static func left(
    in ask: BucketAsk, _ connection: Connection, _ now: Instant, _ spender: Spender
  ) throws(SQLiteError) -> QuotaLedger.Left {
    guard try connection.integer("PRAGMA user_version") == LedgerSchema.version,
      var line = try BucketLine.find(ask.key, on: connection)
    else { return whole(ask, spender) }
    line.see(now)
    return try line.left(of: ask, for: spender, on: connection)
  }

  private static func reading<T>(
    _ path: String, _ body: (Connection) throws(SQLiteError) -> T
  ) throws(LedgerError) -> T {
    do throws(SQLiteError) {
      let connection = try Connection(path, .readOnly, waiting: .seconds(5))
      defer { connection.close() }
      guard try connection.integer("PRAGMA application_id") == LedgerSchema.applicationID else {
        throw SQLiteError(code: 26, message: "it is no ledger")
      }
      return try body(connection)
    } catch {
      throw LedgerError(error, path: path)
    }
  }

  /// An empty file is none: a full disk leaves one, and the next run begins in it.
  private static func isBegun(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_size > 0
  }

  private static func whole(_ ask: BucketAsk, _ spender: Spender) -> QuotaLedger.Left {
    QuotaLedger.Left(
      allowed: ask.allow, left: spender.share(of: ask.allow), resetsAt: nil, blockedWhy: nil)
  }
}
