internal import Glibc
public import Model
internal import SQLite

/// Questions to a ledger that must not change it, nor make one.
public enum LedgerReading {
  /// What each bucket has left; a ledger or a bucket that is not there yet has spent nothing.
  public static func left(
    in asks: [BucketAsk], file path: String, now: Instant, for spender: Spender = .timer
  ) throws(LedgerError) -> [QuotaLedger.Left] {
    guard access(path, F_OK) == 0 else { return asks.map { whole($0, spender) } }
    do throws(SQLiteError) {
      let connection = try Connection(path, .readOnly, waiting: .seconds(5))
      defer { connection.close() }
      guard try connection.integer("PRAGMA application_id") == LedgerSchema.applicationID else {
        throw SQLiteError(code: 26, message: "it is no ledger")
      }
      var found: [QuotaLedger.Left] = []
      for ask in asks {
        guard var line = try BucketLine.find(ask, on: connection) else {
          found.append(whole(ask, spender))
          continue
        }
        line.see(now)
        found.append(try line.left(of: ask, for: spender, on: connection))
      }
      return found
    } catch {
      throw LedgerError(error, path: path)
    }
  }

  private static func whole(_ ask: BucketAsk, _ spender: Spender) -> QuotaLedger.Left {
    QuotaLedger.Left(
      allowed: ask.allow, left: spender.share(of: ask.allow), resetsAt: nil, blockedWhy: nil)
  }
}
