/// What child streams were asked for, goals of backfills, and favourites.
extension Book {
  static let asked = BookTable(
    "trawl_asked", of: .stream,
    on: [.resetRecords: .deletes, .resetCoverage: .deletes, .refill: .deletes],
    """
    job TEXT NOT NULL,
    stream TEXT NOT NULL, -- the child stream
    value TEXT NOT NULL, -- of the parent's column
    asked_at TEXT NOT NULL,
    run INTEGER NOT NULL, -- the last that requested it
    is_due INTEGER NOT NULL DEFAULT 0, -- the parent changed since
    """, ["PRIMARY KEY (job, stream, value)"], isWithoutRowid: true)

  static let misses = BookTable(
    "trawl_misses", of: .stream,
    on: [
      .resetRecords: .deletes, .resetCoverage: .deletes, .refill: .deletes,
      .resetPlaces: .sets("next_attempt_at = NULL", where: "next_attempt_at IS NOT NULL"),
      .resetWaits: .sets("next_attempt_at = NULL", where: "next_attempt_at IS NOT NULL"),
    ],
    """
    job TEXT NOT NULL,
    stream TEXT NOT NULL, -- the child stream
    value TEXT NOT NULL, -- of the parent's column; the row goes when its answer comes
    tried_at TEXT NOT NULL,
    run INTEGER NOT NULL, -- the last that tried; the longest wait comes first
    reason TEXT NOT NULL CHECK (reason IN ('failed', 'absent', 'left out')), -- failed: the request
      -- returned nothing; absent: it is not there; left out: the answer came without it
    tries INTEGER NOT NULL, -- runs in a row with this end
    next_attempt_at TEXT, -- it is not requested before; NULL: in the next run
    """, ["PRIMARY KEY (job, stream, value)"], isWithoutRowid: true)

  static let rounds = BookTable(
    "trawl_rounds", of: .stream, on: [.resetRecords: .deletes, .resetCoverage: .deletes],
    """
    job TEXT NOT NULL,
    stream TEXT NOT NULL, -- a child stream that requests every parent
    run INTEGER NOT NULL, -- in which the round began; a pause does not restart it
    runs INTEGER NOT NULL, -- that requested something in it
    runs_before INTEGER, -- of the round before; one that was broken off and begun again has 2 at
      -- least; NULL: the first one
    """, ["PRIMARY KEY (job, stream)"], isWithoutRowid: true)

  static let goals = BookTable(
    "trawl_goals", of: .stream,
    // A goal of all streams is open again when one of them is.
    on: [.resetRecords: .sets("reached_at = NULL"), .resetCoverage: .sets("reached_at = NULL")],
    """
    goal INTEGER PRIMARY KEY,
    job TEXT NOT NULL,
    stream TEXT NOT NULL, -- empty: all streams with a window
    parameters TEXT NOT NULL,
    goal_from TEXT NOT NULL,
    goal_to TEXT NOT NULL,
    added_at TEXT NOT NULL,
    reached_at TEXT,
    """, ["UNIQUE (job, stream, parameters, goal_from, goal_to)"])

  static let favorites = BookTable(
    "trawl_favorites", of: .table,
    """
    table_name TEXT NOT NULL,
    record_key TEXT NOT NULL, -- the key as text; of several columns a JSON list
    added_at TEXT NOT NULL,
    """, ["PRIMARY KEY (table_name, record_key)"], isWithoutRowid: true)
}
