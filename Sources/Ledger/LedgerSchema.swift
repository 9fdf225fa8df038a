internal import SQLite

/// The tables of `ledger.db`. Instants are milliseconds since 1970: they are compared and added,
/// and nobody queries this file by hand.
enum LedgerSchema {
  /// `TLdg`: tells a ledger from any other database.
  static let applicationID: Int64 = 0x544c_6467
  static let version: Int64 = 2

  static let statements = """
    CREATE TABLE trawl_buckets (
      id INTEGER PRIMARY KEY,
      origin TEXT NOT NULL, bucket TEXT NOT NULL, account TEXT NOT NULL,
      allow INTEGER NOT NULL,
      next_at INTEGER NOT NULL DEFAULT 0,      -- when the spacing lets the next request go
      blocked_until INTEGER, blocked_why TEXT, -- the server said: not before
      server_limit INTEGER, server_left INTEGER, server_reset INTEGER,
      counts_from INTEGER NOT NULL DEFAULT 0,  -- uses before the server's last reset do not count
      seen_at INTEGER NOT NULL DEFAULT 0,      -- the latest instant seen: a clock may fall back
      seen_wall INTEGER NOT NULL DEFAULT 0,    -- what the clock showed then
      length INTEGER NOT NULL DEFAULT 0,       -- of the stretch that `allow` is for
      resets_at INTEGER,                       -- the end of a day between two resets
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

  /// From version 1, which knew no length of a bucket and no clock that fell far back.
  static let fromVersion1 = """
    ALTER TABLE trawl_buckets ADD COLUMN server_limit INTEGER;
    ALTER TABLE trawl_buckets ADD COLUMN seen_wall INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE trawl_buckets ADD COLUMN length INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE trawl_buckets ADD COLUMN resets_at INTEGER;
    UPDATE trawl_buckets SET seen_wall = seen_at;
    """
}
