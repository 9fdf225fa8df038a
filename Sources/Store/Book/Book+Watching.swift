/// What runs compare with to tell what is new: members of records, and rows of watched queries.
extension Book {
  static let fields = BookTable(
    "trawl_fields", of: .stream, on: [.resetRecords: .deletes],
    """
    job TEXT NOT NULL,
    stream TEXT NOT NULL,
    path TEXT NOT NULL, -- a member of the stream's records that no column takes
    first_seen_at TEXT NOT NULL,
    """, ["PRIMARY KEY (job, stream, path)"], isWithoutRowid: true)

  static let watched = BookTable(
    "trawl_watched", of: .job, on: [.resetRecords: .deletes],
    """
    job TEXT NOT NULL,
    watch TEXT NOT NULL, -- its name in the settings
    row_key TEXT NOT NULL, -- JSON list; empty: the watch itself
    content TEXT NOT NULL, -- the row as JSON; of the watch itself the problem that was told last
    changed_at TEXT, -- NULL: it was there when the watch began
    delivered_at TEXT, -- NULL: the program has not taken it yet
    is_there INTEGER NOT NULL, -- whether the query returned it last
    """, ["PRIMARY KEY (job, watch, row_key)"], isWithoutRowid: true)
}
