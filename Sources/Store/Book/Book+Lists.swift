/// Lists, their windows, and what is covered of them.
extension Book {
  static let lists = BookTable(
    "trawl_lists", of: .list, on: [.resetRecords: .deletes, .resetCoverage: .deletes],
    """
    list_number INTEGER PRIMARY KEY AUTOINCREMENT, -- identifies the list; never used again
    job TEXT NOT NULL,
    stream TEXT NOT NULL,
    parameters TEXT NOT NULL, -- name=value, percent-encoded, joined by &
    table_name TEXT NOT NULL,
    list TEXT NOT NULL, -- its name in words; another list may have the same
    rows INTEGER NOT NULL DEFAULT 0, -- present at the last certificate
    list_table TEXT NOT NULL, -- the table whose rows are the list
    list_key TEXT NOT NULL, -- JSON list: which of its columns name the record
    list_where TEXT NOT NULL, -- JSON object: column values that select the rows of this list
    list_digest TEXT, -- a digest column that only this stream fills: other rows are not its own
    """, ["UNIQUE (job, stream, parameters)"])

  static let windows = BookTable(
    "trawl_windows", of: .list,
    on: [
      .resetRecords: .deletes, .resetCoverage: .deletes,
      .resetPlaces: .sets("is_open = 0", where: "is_open = 1"),
    ],
    """
    window INTEGER PRIMARY KEY,
    list_number INTEGER NOT NULL REFERENCES trawl_lists ON DELETE CASCADE,
    window_from TEXT NOT NULL DEFAULT '', -- empty: the whole list
    window_to TEXT NOT NULL DEFAULT '',
    traversal INTEGER NOT NULL DEFAULT 0, -- counts the walks; the last one may be open
    is_open INTEGER NOT NULL DEFAULT 0, -- 1: a walk was interrupted and can resume
    request_print INTEGER NOT NULL, -- fingerprint of what is requested
    mapping_print INTEGER NOT NULL, -- fingerprint of how it is mapped
    """, ["UNIQUE (list_number, window_from, window_to)"])

  static let coverage = BookTable(
    "trawl_coverage", of: .list, on: [.resetRecords: .deletes, .resetCoverage: .deletes],
    """
    list_number INTEGER NOT NULL REFERENCES trawl_lists ON DELETE CASCADE,
    covered_from TEXT NOT NULL, -- windows that touch and have the same verdict become one
    covered_to TEXT NOT NULL,
    verdict TEXT NOT NULL, -- complete; unproven: read, and nothing proves it; limited: as declared
    request_print INTEGER NOT NULL,
    mapping_print INTEGER NOT NULL,
    as_of TEXT NOT NULL, -- when the oldest of them was certified
    """, ["PRIMARY KEY (list_number, covered_from, request_print, mapping_print)"],
    isWithoutRowid: true)

  static let signs = BookTable(
    "trawl_signs", of: .stream, on: [.resetRecords: .deletes, .resetCoverage: .deletes],
    """
    job TEXT NOT NULL,
    stream TEXT NOT NULL,
    request_print INTEGER NOT NULL,
    says_more INTEGER, -- 1: an answer has said that more pages follow; 0: one should have
    window INTEGER, -- the walk that has seen more pages follow
    traversal INTEGER,
    sizes_hold INTEGER, -- whether numbered pages of another size than the first were what was requested
    seen_at TEXT NOT NULL,
    """, ["PRIMARY KEY (job, stream, request_print)"], isWithoutRowid: true)

  static let densities = BookTable(
    "trawl_densities", of: .list,
    on: [.resetRecords: .deletes, .resetCoverage: .deletes],
    """
    list_number INTEGER PRIMARY KEY NOT NULL REFERENCES trawl_lists ON DELETE CASCADE,
    per_second REAL NOT NULL, -- records, learnt from the last windows: sets the width of the next
    request_print INTEGER NOT NULL,
    as_of TEXT NOT NULL,
    """)

  static let fills = BookTable(
    "trawl_fills", of: .list, on: [.resetRecords: .deletes, .resetCoverage: .deletes],
    """
    list_number INTEGER NOT NULL REFERENCES trawl_lists ON DELETE CASCADE,
    fill_from TEXT NOT NULL, -- the range of a backfill
    fill_to TEXT NOT NULL,
    began_at TEXT NOT NULL,
    requests INTEGER NOT NULL, -- so far, over all its runs
    days INTEGER NOT NULL, -- on which requests were made for it
    last_day TEXT NOT NULL,
    forecast_requests INTEGER, -- made once, when the density was known for the first time
    forecast_records INTEGER,
    forecast_days INTEGER,
    forecast_at TEXT,
    ended_at TEXT, -- nothing was missing any more
    """, ["PRIMARY KEY (list_number, fill_from, fill_to)"], isWithoutRowid: true)

  static let tallies = BookTable(
    "trawl_tallies", of: .list,
    on: [.resetRecords: .deletes, .resetCoverage: .deletes],
    """
    list_number INTEGER NOT NULL REFERENCES trawl_lists ON DELETE CASCADE,
    minute TEXT NOT NULL, -- 2026-11-24T05:12; those of the last two days are kept
    new INTEGER NOT NULL, -- records that were not there before
    changed INTEGER NOT NULL,
    vanished INTEGER NOT NULL, -- marked as gone
    """, ["PRIMARY KEY (list_number, minute)"], isWithoutRowid: true)
}
