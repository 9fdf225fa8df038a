internal import SQLite

/// The tables of `ledger.db`. Instants are milliseconds since 1970: they are compared and added,
/// and nobody queries this file by hand.
enum LedgerSchema {
  /// `TLdg`: tells a ledger from any other database.
  static let applicationID: Int64 = 0x544c_6467
  static var version: Int64 { Int64(steps.count) }

  /// Step N makes version N of the version before; a new file takes all of them, so an upgraded one
  /// cannot differ from it. Append-only: a step that was released is never edited.
  private static let steps = [version1, version2, version3, version4, version5]

  /// Inside a transaction.
  static func upgrade(_ connection: Connection) throws(SQLiteError) {
    let found = Int(try version(of: connection))
    for step in steps.dropFirst(found) { try connection.execute(step) }
    try connection.execute(
      "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(max(found, steps.count))")
  }

  static func version(of connection: Connection) throws(SQLiteError) -> Int64 {
    try connection.integer("PRAGMA user_version") ?? 0
  }

  /// Has a reader, who upgrades nothing, find an older file under the names of today.
  static func showOlder(_ connection: Connection) throws(SQLiteError) {
    switch try version(of: connection) {
    case 1:
      // It knew no lengths, and so not what a quota is without a job file.
      try connection.execute(
        older(
          "NULL AS server_limit, seen_at AS seen_wall, 0 AS length, NULL AS resets_at, "
            + "NULL AS seen_uptime, 0 AS spent"))
    case 2:
      try connection.execute(
        older("server_limit, seen_wall, length, resets_at, NULL AS seen_uptime, 0 AS spent"))
    case 3, 4:
      let uptime = try version(of: connection) == 3 ? "NULL AS seen_uptime, " : ""
      try connection.execute(
        "CREATE TEMP VIEW trawl_quotas AS SELECT *, \(uptime)0 AS spent FROM main.trawl_quotas")
    default: break
    }
  }

  /// Names without a schema lead to these first; the file is not touched.
  private static func older(_ later: String) -> String {
    """
    CREATE TEMP VIEW trawl_quotas AS SELECT id, origin, bucket AS quota, account, allow, next_at,
      blocked_until, blocked_why, server_left, server_reset, counts_from, seen_at, \(later)
      FROM main.trawl_buckets;
    CREATE TEMP VIEW trawl_uses AS SELECT id, bucket_id AS quota_id, at, cost, spender, job
      FROM main.trawl_uses;
    """
  }

  private static let version1 = """
    CREATE TABLE trawl_buckets (
      id INTEGER PRIMARY KEY,
      origin TEXT NOT NULL, bucket TEXT NOT NULL, account TEXT NOT NULL,
      allow INTEGER NOT NULL,
      next_at INTEGER NOT NULL DEFAULT 0,
      blocked_until INTEGER, blocked_why TEXT,
      server_left INTEGER, server_reset INTEGER,
      counts_from INTEGER NOT NULL DEFAULT 0,
      seen_at INTEGER NOT NULL DEFAULT 0,
      UNIQUE (origin, bucket, account)
    ) STRICT;
    CREATE TABLE trawl_uses (
      id INTEGER PRIMARY KEY,
      bucket_id INTEGER NOT NULL REFERENCES trawl_buckets (id) ON DELETE CASCADE,
      at INTEGER NOT NULL, cost INTEGER NOT NULL CHECK (cost > 0),
      spender TEXT NOT NULL, job TEXT NOT NULL
    ) STRICT;
    CREATE INDEX trawl_uses_by_time ON trawl_uses (bucket_id, at, cost);
    CREATE TABLE trawl_breakers (
      host TEXT PRIMARY KEY, failures INTEGER NOT NULL, last_failure TEXT NOT NULL,
      failed_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """

  /// The length of a quota's stretch, and a clock that fell far back.
  private static let version2 = """
    ALTER TABLE trawl_buckets ADD COLUMN server_limit INTEGER;
    ALTER TABLE trawl_buckets ADD COLUMN seen_wall INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE trawl_buckets ADD COLUMN length INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE trawl_buckets ADD COLUMN resets_at INTEGER;
    UPDATE trawl_buckets SET seen_wall = seen_at;
    """

  /// Quotas under the name that people know. Files of version 2 were not all alike: both tables are
  /// made anew.
  private static let version3 = """
    CREATE TABLE trawl_quotas (
      id INTEGER PRIMARY KEY,
      origin TEXT NOT NULL, quota TEXT NOT NULL, account TEXT NOT NULL,
      allow INTEGER NOT NULL,
      next_at INTEGER NOT NULL DEFAULT 0,      -- when the spacing lets the next request go
      blocked_until INTEGER, blocked_why TEXT, -- the server said: not before
      server_limit INTEGER, server_left INTEGER, server_reset INTEGER,
      counts_from INTEGER NOT NULL DEFAULT 0,  -- uses before the server's last reset do not count
      seen_at INTEGER NOT NULL DEFAULT 0,      -- the latest instant seen: a clock may fall back
      seen_wall INTEGER NOT NULL DEFAULT 0,    -- what the clock showed then
      length INTEGER NOT NULL DEFAULT 0,       -- of the stretch that `allow` is for
      resets_at INTEGER,                       -- the end of a day between two resets
      UNIQUE (origin, quota, account)
    ) STRICT;
    INSERT INTO trawl_quotas SELECT id, origin, bucket, account, allow, next_at, blocked_until,
      blocked_why, server_limit, server_left, server_reset, counts_from, seen_at, seen_wall, length,
      resets_at FROM trawl_buckets;
    DROP INDEX trawl_uses_by_time;
    ALTER TABLE trawl_uses RENAME TO trawl_uses_before;
    CREATE TABLE trawl_uses (
      id INTEGER PRIMARY KEY,
      quota_id INTEGER NOT NULL REFERENCES trawl_quotas (id) ON DELETE CASCADE,
      at INTEGER NOT NULL, cost INTEGER NOT NULL CHECK (cost > 0),
      spender TEXT NOT NULL, job TEXT NOT NULL
    ) STRICT;
    INSERT INTO trawl_uses SELECT id, bucket_id, at, cost, spender, job FROM trawl_uses_before;
    DROP TABLE trawl_uses_before;
    DROP TABLE trawl_buckets;
    CREATE INDEX trawl_uses_by_time ON trawl_uses (quota_id, at, cost);
    """

  /// What has surely passed, where the clock is far behind.
  private static let version4 = """
    ALTER TABLE trawl_quotas ADD COLUMN seen_uptime INTEGER; -- how long the machine was up then
    """

  /// Uses that lie close together in one row, and what is set aside before it is written down.
  private static let version5 = """
    ALTER TABLE trawl_uses ADD COLUMN since INTEGER NOT NULL DEFAULT 0; -- the first; `at`: the last
    ALTER TABLE trawl_quotas ADD COLUMN spent INTEGER NOT NULL DEFAULT 0; -- all that was ever set aside
    CREATE TABLE trawl_ahead (
      holder INTEGER NOT NULL,                 -- one opening of this file
      quota_id INTEGER NOT NULL REFERENCES trawl_quotas (id) ON DELETE CASCADE,
      boot TEXT NOT NULL,                      -- since when the machine is up
      taken_at INTEGER NOT NULL,
      cost INTEGER NOT NULL,                   -- what it may spend before it syncs again
      spender TEXT NOT NULL, job TEXT NOT NULL,
      PRIMARY KEY (holder, quota_id)
    ) STRICT, WITHOUT ROWID;
    """
}
