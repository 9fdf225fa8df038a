/// Jobs, the tables of their records, and their runs.
extension Book {
  static let jobs = BookTable(
    "trawl_jobs", of: .job, on: [.resetRecords: .deletes],
    """
    job TEXT PRIMARY KEY NOT NULL,
    origin TEXT NOT NULL, -- scheme://host:port that the rows came from; another is refused
    added_at TEXT NOT NULL,
    design TEXT, -- digest of the tables that the job's file asked for last
    file TEXT, -- where the job's file was when it ran last; NULL: it is found by its name
    file_print TEXT, -- digest of that file
    """)

  static let jobTables = BookTable(
    "trawl_tables", of: .job, on: [.resetRecords: .deletes],
    """
    table_name TEXT PRIMARY KEY NOT NULL,
    table_number INTEGER NOT NULL UNIQUE, -- names it in trawl_changes
    job TEXT NOT NULL REFERENCES trawl_jobs,
    kind TEXT NOT NULL CHECK (kind IN ('records', 'list', 'child')),
    key_columns TEXT NOT NULL, -- JSON list
    item_sql TEXT, -- this table's part of the view items
    media_sql TEXT, -- the view <table>_media
    searched TEXT, -- JSON list: columns for `trawl search`; NULL: none
    digests TEXT NOT NULL DEFAULT '{}', -- JSON: what each part of trawl_hash covers, then its seal
    volatile TEXT, -- JSON list: columns whose earlier values <table>_history shows; NULL: none
    forgotten INTEGER, -- its rows of trawl_changes up to this change are not kept; NULL: all are
    forgotten_at INTEGER, -- when that was, in seconds since 1970
    """)

  static let columns = BookTable(
    "trawl_columns", of: .table, on: [.resetRecords: .deletes],
    """
    table_name TEXT NOT NULL REFERENCES trawl_tables ON DELETE CASCADE,
    column_name TEXT NOT NULL,
    type TEXT NOT NULL,
    source TEXT NOT NULL, -- path in the answer, request parameter, ...
    written_by TEXT NOT NULL, -- streams; empty: no longer written
    added_at TEXT, -- NULL: the table was made with it
    way TEXT, -- JSON list: the member of the record, where the job takes all; [] what is left; NULL: declared
    """, key: ["table_name", "column_name"], isWithoutRowid: true)

  static let runs = BookTable(
    "trawl_runs", of: .job,
    """
    run INTEGER PRIMARY KEY, -- the last 200 of a job are kept
    name TEXT NOT NULL, -- as in reports/<job>/<name>.json
    job TEXT NOT NULL,
    command TEXT NOT NULL,
    arguments TEXT NOT NULL, -- JSON list, without secrets
    began_at TEXT NOT NULL,
    ended_at TEXT, -- NULL while it runs, and after a kill
    outcome TEXT,
    exit_code INTEGER,
    first_change INTEGER, -- of the changes that it wrote; NULL: none
    last_change INTEGER,
    counts TEXT, -- JSON: by table the records that came, changed, went and came back; NULL: none
    """, indexed: [("job", "(job, run)")])
}
