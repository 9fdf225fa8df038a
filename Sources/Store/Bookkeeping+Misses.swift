extension Bookkeeping {
  /// What a child stream asked for and did not get.
  static let misses = """
    CREATE TABLE trawl_misses (
      job TEXT NOT NULL,
      stream TEXT NOT NULL, -- the child stream
      value TEXT NOT NULL, -- of the parent's column; the row goes when its answer comes
      tried_at TEXT NOT NULL,
      run INTEGER NOT NULL, -- that tried last: who waits longest comes first
      tries INTEGER NOT NULL, -- runs in a row with this end
      next_attempt_at TEXT, -- it is not there, and is not asked before; NULL: in the next run
      \(BookkeepingSeal.columnSQL),
      PRIMARY KEY (job, stream, value)
    ) STRICT, WITHOUT ROWID;

    """
}
