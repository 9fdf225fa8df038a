/// What child streams have requested, goals of backfills, and favorites.
extension Book {
  /// Rows are kept: they show which records belong to a parent's value that is gone.
  private static let forgetsRequests = BookTable.Effect.sets(
    [
      "asked_at", "asked_run", "changed_run", "missed_at", "missed_run", "reason",
      "next_attempt_at",
    ], to: "NULL", where: "1")

  static let due = BookTable(
    "trawl_due", of: .stream,
    on: [
      .resetRecords: .deletes, .resetCoverage: forgetsRequests, .refill: forgetsRequests,
      .resetPlaces: .sets(["next_attempt_at"], to: "NULL", where: "next_attempt_at IS NOT NULL"),
      .resetWaits: .sets(["next_attempt_at"], to: "NULL", where: "next_attempt_at IS NOT NULL"),
    ],
    """
    job TEXT NOT NULL,
    stream TEXT NOT NULL, -- the child stream
    value TEXT NOT NULL, -- of the parent's column
    asked_at TEXT, -- when it was requested last and answered; NULL: never
    asked_run INTEGER,
    changed_run INTEGER, -- in which the parent changed since, or another list showed other values
      -- under its keys; NULL: neither
    missed_at TEXT, -- since when it is requested in vain; NULL: it was answered since
    missed_run INTEGER, -- the last that tried; the longest wait comes first
    reason TEXT CHECK (reason IN ('failed', 'absent', 'left out')), -- failed: the request
      -- returned nothing, or not all that it should; absent: it is not there; left out: the answer came
      -- without it
    tries INTEGER NOT NULL DEFAULT 0, -- runs in a row with this end
    next_attempt_at TEXT, -- it is not requested before; NULL: in the next run
    """, key: ["job", "stream", "value"], isWithoutRowid: true)

  static let goals = BookTable(
    "trawl_goals", of: .stream,
    // A goal of all streams is open again if one of them is reset.
    on: [
      .resetRecords: .sets(["reached_at"], to: "NULL", where: "1"),
      .resetCoverage: .sets(["reached_at"], to: "NULL", where: "1"),
    ],
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
    """, key: ["table_name", "record_key"], isWithoutRowid: true)
}
