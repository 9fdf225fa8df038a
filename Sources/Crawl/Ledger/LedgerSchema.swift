internal import Base

/// The tables of `ledger.db`. Times are milliseconds since 1970, for arithmetic; nobody queries this file by hand.
enum LedgerSchema {
  /// "TrLg": tells a ledger from any other database.
  static let applicationID: Int64 = 0x5472_4c67
  /// "TLdg": the id of ledgers before version 1.
  static let developmentID: Int64 = 0x544c_6467

  /// Step N upgrades version N-1 to N; a new file takes all steps, so an upgraded file cannot differ from it.
  /// Append-only: a released step is never edited.
  static let steps = [version1]
  static var version: Int64 { Int64(steps.count) }

  /// Runs inside a transaction.
  static func upgrade(
    _ connection: Connection, _ steps: [String] = Self.steps
  ) throws(SQLiteError) {
    let found = Int(try version(of: connection))
    for step in steps.dropFirst(found) { try connection.execute(step) }
    try connection.execute(
      "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(max(found, steps.count))")
  }

  /// A full disk leaves a file without tables: the next run begins in it.
  static func isEmpty(_ connection: Connection) throws(SQLiteError) -> Bool {
    let tables = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
    let version = try version(of: connection)
    return tables == 0 && version == 0
  }

  /// Why the file cannot be used; nil if it can.
  static func refusal(
    of connection: Connection, _ path: String
  ) throws(SQLiteError) -> LedgerError? {
    let found = try version(of: connection)
    switch try connection.integer("PRAGMA application_id") {
    case applicationID where found >= 0: return found > version ? .newer(path) : nil
    case developmentID: return .development(found, path)
    default: return .foreign(path)
    }
  }

  static func version(of connection: Connection) throws(SQLiteError) -> Int64 {
    try connection.integer("PRAGMA user_version") ?? 0
  }

  private static let version1 = """
    CREATE TABLE trawl_quotas (
      id INTEGER PRIMARY KEY,
      origin TEXT NOT NULL, quota TEXT NOT NULL, account TEXT NOT NULL,
      allow INTEGER NOT NULL,
      length INTEGER NOT NULL,                 -- of the stretch that `allow` is for
      resets_at INTEGER,                       -- the end of a day between two resets
      next_at INTEGER NOT NULL DEFAULT 0,      -- when the spacing lets the next request go
      spent INTEGER NOT NULL DEFAULT 0,        -- all that was ever set aside
      blocked_until INTEGER, blocked_why TEXT, -- the server said: not before
      server_limit INTEGER, server_left INTEGER, server_reset INTEGER, server_length INTEGER,
      counts_from INTEGER NOT NULL DEFAULT 0,  -- uses before the server's reset of this quota do not count
      seen_at INTEGER NOT NULL DEFAULT 0,      -- when it was looked at last
      UNIQUE (origin, quota, account, length)
    ) STRICT;
    CREATE TABLE trawl_uses (                  -- those that lie close together in one row
      id INTEGER PRIMARY KEY,
      quota_id INTEGER NOT NULL REFERENCES trawl_quotas (id) ON DELETE CASCADE,
      since INTEGER NOT NULL DEFAULT 0,        -- the first
      at INTEGER NOT NULL,                     -- the last
      cost INTEGER NOT NULL CHECK (cost > 0),
      spender TEXT NOT NULL, job TEXT NOT NULL
    ) STRICT;
    CREATE INDEX trawl_uses_by_time ON trawl_uses (quota_id, at, cost);
    CREATE TABLE trawl_ahead (                 -- what is set aside before it is written down
      holder INTEGER NOT NULL,                 -- one opening of this file
      quota_id INTEGER NOT NULL REFERENCES trawl_quotas (id) ON DELETE CASCADE,
      boot TEXT NOT NULL,                      -- since when the machine is up
      taken_at INTEGER NOT NULL,
      cost INTEGER NOT NULL,                   -- what it may spend before it syncs again
      spender TEXT NOT NULL, job TEXT NOT NULL,
      PRIMARY KEY (holder, quota_id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE trawl_breakers (
      host TEXT PRIMARY KEY, failures INTEGER NOT NULL, last_failure TEXT NOT NULL,
      failed_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """
}
