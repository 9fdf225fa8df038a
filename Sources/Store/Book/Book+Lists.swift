/// Lists, their windows, and what is covered of them.
extension Book {
  static let lists = BookTable(
    "trawl_lists", of: .list,
    on: [.resetRecords: .deletes, .resetCoverage: .sets(["rows"], to: "0", where: "1")],
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
    list_part INTEGER, -- the part of trawl_hash that only this stream fills, from 0: other rows are not its own
    """, ["UNIQUE (job, stream, parameters)"], indexed: [("place", "(list_table, list_where)")])

  static let windows = BookTable(
    "trawl_windows", of: .list,
    on: [
      .resetRecords: .deletes, .resetCoverage: .deletes,
      .resetPlaces: .sets(["is_open"], to: "0", where: "is_open = 1"),
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
    """, key: ["list_number", "covered_from", "request_print", "mapping_print"],
    isWithoutRowid: true)
}
