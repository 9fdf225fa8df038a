extension Bookkeeping {
  /// What backfills keep beside the certificates.
  static let fills = """
    CREATE TABLE trawl_densities (
      list INTEGER PRIMARY KEY NOT NULL REFERENCES trawl_lists ON DELETE CASCADE,
      per_second REAL NOT NULL, -- records, as the last windows taught it: how wide the next may be
      request_print INTEGER NOT NULL,
      as_of TEXT NOT NULL,
      \(BookkeepingSeal.columnSQL)
    ) STRICT;
    CREATE TABLE trawl_fills (
      list INTEGER NOT NULL REFERENCES trawl_lists ON DELETE CASCADE,
      fill_from TEXT NOT NULL, -- the range of a backfill
      fill_to TEXT NOT NULL,
      began_at TEXT NOT NULL,
      requests INTEGER NOT NULL, -- so far, over all its runs
      days INTEGER NOT NULL, -- on which something was asked for it
      last_day TEXT NOT NULL,
      foretold INTEGER, -- requests, when the density was known for the first time
      foretold_records INTEGER,
      foretold_days INTEGER,
      foretold_at TEXT,
      ended_at TEXT, -- no hole was left
      \(BookkeepingSeal.columnSQL),
      PRIMARY KEY (list, fill_from, fill_to)
    ) STRICT, WITHOUT ROWID;

    """
}
