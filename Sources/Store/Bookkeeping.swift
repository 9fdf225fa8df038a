/// The tables beside the records. Their names all begin with `trawl_`; each column says what it
/// holds, so that `.schema` is the documentation. Instants are UTC text.
enum Bookkeeping {
  static let schema =
    jobs + tables + runs + lists + pages + coverage + certificates + rejects + feeds + misses
    + fills + media + unneeded + trust

  private static let jobs = """
    CREATE TABLE trawl_jobs (
      job TEXT PRIMARY KEY NOT NULL,
      origin TEXT NOT NULL, -- scheme://host:port that the rows came from; another is refused
      added_at TEXT NOT NULL,
      design TEXT, -- digest of the tables that the job's file asked for last
      \(BookkeepingSeal.columnSQL)
    ) STRICT;

    """

  private static let tables = """
    CREATE TABLE trawl_tables (
      table_name TEXT PRIMARY KEY NOT NULL,
      job TEXT NOT NULL REFERENCES trawl_jobs,
      kind TEXT NOT NULL CHECK (kind IN ('records', 'list', 'child', 'history')),
      key_columns TEXT NOT NULL, -- JSON list
      item_sql TEXT, -- this table's part of the view items
      media_sql TEXT, -- the view <table>_media
      \(BookkeepingSeal.columnSQL)
    ) STRICT;
    CREATE TABLE trawl_columns (
      table_name TEXT NOT NULL REFERENCES trawl_tables ON DELETE CASCADE,
      column_name TEXT NOT NULL,
      type TEXT NOT NULL,
      source TEXT NOT NULL, -- path in the answer, request parameter, ...
      written_by TEXT NOT NULL, -- streams; empty: no longer written
      \(BookkeepingSeal.columnSQL),
      PRIMARY KEY (table_name, column_name)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE trawl_hashes (
      table_name TEXT NOT NULL REFERENCES trawl_tables ON DELETE CASCADE,
      hash_column TEXT NOT NULL,
      columns TEXT NOT NULL, -- JSON list: what the hash is taken over, in order
      \(BookkeepingSeal.columnSQL),
      PRIMARY KEY (table_name, hash_column)
    ) STRICT, WITHOUT ROWID;

    """

  private static let runs = """
    CREATE TABLE trawl_runs (
      run INTEGER PRIMARY KEY, -- the last 200 of a job are kept
      name TEXT NOT NULL, -- as in reports/<job>/<name>.json
      job TEXT NOT NULL,
      command TEXT NOT NULL,
      arguments TEXT NOT NULL, -- JSON list, without secrets
      began_at TEXT NOT NULL,
      ended_at TEXT, -- NULL while it runs, and after a kill
      outcome TEXT,
      exit_code INTEGER,
      \(BookkeepingSeal.columnSQL)
    ) STRICT;
    CREATE INDEX trawl_runs_by_job ON trawl_runs (job, run);

    """

  private static let lists = """
    CREATE TABLE trawl_lists (
      list INTEGER PRIMARY KEY,
      job TEXT NOT NULL,
      stream TEXT NOT NULL,
      parameters TEXT NOT NULL, -- name=value, percent-encoded, joined by &
      table_name TEXT NOT NULL,
      found_by TEXT NOT NULL, -- the list in words
      rows INTEGER NOT NULL DEFAULT 0, -- present at the last certificate
      list_table TEXT NOT NULL, -- the table whose rows are the list
      list_key TEXT NOT NULL, -- JSON list: which of its columns name the record
      list_where TEXT NOT NULL, -- JSON object: values of the columns that tell it from other lists
      list_digest TEXT, -- a digest that this stream alone fills: rows without it are not its own
      \(BookkeepingSeal.columnSQL),
      UNIQUE (job, stream, parameters)
    ) STRICT;
    CREATE TABLE trawl_units (
      unit INTEGER PRIMARY KEY,
      list INTEGER NOT NULL REFERENCES trawl_lists,
      window_from TEXT NOT NULL DEFAULT '', -- empty: the whole list
      window_to TEXT NOT NULL DEFAULT '',
      traversal INTEGER NOT NULL DEFAULT 0, -- counts the walks; the last one may be open
      is_open INTEGER NOT NULL DEFAULT 0, -- 1: a walk stands in the middle and may go on
      request_print INTEGER NOT NULL, -- fingerprint of what is asked
      mapping_print INTEGER NOT NULL, -- fingerprint of how it is mapped
      \(BookkeepingSeal.columnSQL),
      UNIQUE (list, window_from, window_to)
    ) STRICT;

    """

  private static let counts = """
      received INTEGER NOT NULL,
      new INTEGER NOT NULL,
      changed INTEGER NOT NULL,
      unchanged INTEGER NOT NULL,
      repeated INTEGER NOT NULL, -- key seen before in this unit
      dropped INTEGER NOT NULL, -- by the job's keep
      rejected INTEGER NOT NULL,
    """

  private static let sum =
    "CHECK (received = new + changed + unchanged + repeated + dropped + rejected)"

  private static let pages = """
    CREATE TABLE trawl_pages (
      page INTEGER PRIMARY KEY, -- gone when a later walk of the unit is certified
      unit INTEGER NOT NULL REFERENCES trawl_units ON DELETE CASCADE,
      traversal INTEGER NOT NULL,
      ordinal INTEGER NOT NULL, -- from 1, in the order of the walk
      purpose TEXT NOT NULL CHECK (purpose IN ('page', 'seam', 'closingCheck', 'repair')),
      cursor TEXT NOT NULL, -- what this page was asked with
      next_cursor TEXT, -- what the answer named
      address TEXT NOT NULL, -- without the credential
      address_digest INTEGER NOT NULL,
      status INTEGER NOT NULL,
      cause TEXT, -- why it could not be read
      etag TEXT,
      last_modified TEXT,
      total INTEGER, -- as the answer told it
      more INTEGER, -- the answer's flag
    \(counts)
      unseen INTEGER NOT NULL, -- distinct keys not seen before in this unit
      leading_repeats INTEGER NOT NULL,
      zero_dates INTEGER NOT NULL, -- stored as NULL
      field_rejects INTEGER NOT NULL, -- stored as NULL, kept in trawl_rejects
      keys BLOB NOT NULL, -- digests of all keys of the page, 8 bytes each
      keys_digest INTEGER NOT NULL,
      is_not_modified INTEGER NOT NULL DEFAULT 0, -- the server said 304
      is_unreadable INTEGER NOT NULL DEFAULT 0,
      oldest TEXT, -- time of the last record kept
      newest TEXT,
      is_newest_first INTEGER NOT NULL DEFAULT 0,
      request_print INTEGER NOT NULL,
      mapping_print INTEGER NOT NULL,
      run INTEGER NOT NULL,
      committed_at TEXT NOT NULL,
      \(BookkeepingSeal.columnSQL),
      \(sum)
    ) STRICT;
    CREATE INDEX trawl_pages_by_unit ON trawl_pages (unit, traversal, ordinal);
    CREATE INDEX trawl_pages_by_address ON trawl_pages (unit, address_digest);
    CREATE INDEX trawl_pages_by_run ON trawl_pages (run);

    """

  private static let coverage = """
    CREATE TABLE trawl_coverage (
      list INTEGER NOT NULL REFERENCES trawl_lists,
      covered_from TEXT NOT NULL, -- windows that touch and are as declared become one
      covered_to TEXT NOT NULL,
      request_print INTEGER NOT NULL,
      mapping_print INTEGER NOT NULL,
      as_of TEXT NOT NULL, -- when the oldest of them was certified
      \(BookkeepingSeal.columnSQL),
      PRIMARY KEY (list, covered_from, request_print, mapping_print)
    ) STRICT, WITHOUT ROWID;

    """

  private static let certificates = """
    CREATE TABLE trawl_certificates (
      certificate INTEGER PRIMARY KEY,
      unit INTEGER NOT NULL REFERENCES trawl_units ON DELETE CASCADE,
      traversal INTEGER NOT NULL,
      verdict TEXT NOT NULL,
      rule TEXT NOT NULL, -- the stop rule that fired
      why TEXT NOT NULL,
      pages INTEGER NOT NULL,
    \(counts)
      distinct_keys INTEGER NOT NULL,
      keys_count INTEGER NOT NULL, -- distinct keys in the pages of the walk
      keys_digest INTEGER NOT NULL, -- over them, sorted
      first_total INTEGER,
      last_total INTEGER,
      trust TEXT,
      has_moved INTEGER NOT NULL,
      is_as_declared INTEGER NOT NULL,
      oldest TEXT,
      newest TEXT, -- the newest time of a record, where the list is declared newest first
      vanished INTEGER NOT NULL, -- rows marked as gone
      withheld INTEGER NOT NULL, -- rows that look gone, too many to believe it
      standing TEXT NOT NULL CHECK (standing IN ('valid', 'older mapping', 'other request')),
      request_print INTEGER NOT NULL,
      mapping_print INTEGER NOT NULL,
      run INTEGER NOT NULL,
      began_at TEXT NOT NULL,
      issued_at TEXT NOT NULL,
      goes_on_at TEXT, -- paused: when; absent: when it is asked again
      tries INTEGER NOT NULL DEFAULT 0, -- absences in a row
      \(BookkeepingSeal.columnSQL),
      \(sum)
    ) STRICT;
    CREATE INDEX trawl_certificates_by_unit ON trawl_certificates (unit, certificate);

    """

  private static let rejects = """
    CREATE TABLE trawl_rejects (
      reject INTEGER PRIMARY KEY,
      job TEXT NOT NULL,
      stream TEXT NOT NULL,
      table_name TEXT NOT NULL,
      key_digest INTEGER NOT NULL,
      record_key TEXT, -- JSON list; NULL when the key itself does not fit
      column_name TEXT NOT NULL, -- empty: the whole record was rejected
      path TEXT NOT NULL,
      reason TEXT NOT NULL,
      raw TEXT NOT NULL, -- JSON of the record or of the value
      request TEXT NOT NULL, -- JSON: the parameters that the record was asked with
      unit INTEGER NOT NULL,
      run INTEGER NOT NULL, -- that met it first
      first_seen_at TEXT NOT NULL,
      \(BookkeepingSeal.columnSQL),
      UNIQUE (job, stream, key_digest, column_name)
    ) STRICT;

    """

  private static let feeds = """
    CREATE TABLE trawl_asked (
      job TEXT NOT NULL,
      stream TEXT NOT NULL, -- the child stream
      value TEXT NOT NULL, -- of the parent's column
      asked_at TEXT NOT NULL,
      run INTEGER NOT NULL, -- that asked last
      is_due INTEGER NOT NULL DEFAULT 0, -- the parent changed since
      \(BookkeepingSeal.columnSQL),
      PRIMARY KEY (job, stream, value)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE trawl_rounds (
      job TEXT NOT NULL,
      stream TEXT NOT NULL, -- a child stream that asks every parent
      run INTEGER NOT NULL, -- in which the round began; a pause does not begin it anew
      \(BookkeepingSeal.columnSQL),
      PRIMARY KEY (job, stream)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE trawl_goals (
      goal INTEGER PRIMARY KEY,
      job TEXT NOT NULL,
      stream TEXT NOT NULL, -- empty: all streams with a window
      parameters TEXT NOT NULL,
      goal_from TEXT NOT NULL,
      goal_to TEXT NOT NULL,
      added_at TEXT NOT NULL,
      reached_at TEXT,
      \(BookkeepingSeal.columnSQL),
      UNIQUE (job, stream, parameters, goal_from, goal_to)
    ) STRICT;
    CREATE TABLE trawl_favorites (
      table_name TEXT NOT NULL,
      record_key TEXT NOT NULL, -- the key as text; of several columns a JSON list
      added_at TEXT NOT NULL,
      \(BookkeepingSeal.columnSQL),
      PRIMARY KEY (table_name, record_key)
    ) STRICT, WITHOUT ROWID;

    """

  private static let media = """
    CREATE TABLE trawl_media (
      digest TEXT PRIMARY KEY NOT NULL, -- SHA-256 of the bytes, hexadecimal
      path TEXT NOT NULL, -- within the data folder
      size INTEGER NOT NULL,
      type TEXT NOT NULL,
      width INTEGER,
      height INTEGER,
      stored_at TEXT NOT NULL,
      \(BookkeepingSeal.columnSQL)
    ) STRICT;
    CREATE TABLE trawl_media_urls (
      identity TEXT PRIMARY KEY NOT NULL, -- the URL itself, or what the job says identifies it
      url TEXT NOT NULL,
      job TEXT NOT NULL,
      table_name TEXT NOT NULL,
      role TEXT NOT NULL,
      record_key TEXT NOT NULL, -- of the record that brought it first
      digest TEXT REFERENCES trawl_media,
      etag TEXT,
      last_modified TEXT,
      status INTEGER, -- of the last answer
      reason TEXT, -- why it is not stored
      attempts INTEGER NOT NULL DEFAULT 0,
      next_attempt_at TEXT, -- NULL: not before the URL changes
      queued_at TEXT NOT NULL,
      fetched_at TEXT,
      \(BookkeepingSeal.columnSQL)
    ) STRICT;
    CREATE INDEX trawl_media_urls_due ON trawl_media_urls (job, next_attempt_at)
      WHERE next_attempt_at IS NOT NULL;
    CREATE INDEX trawl_media_urls_by_digest ON trawl_media_urls (digest);

    """

  private static let trust = """
    CREATE VIEW trawl_trust (table_name, found_by, rows, verdict, why, as_of, goes_on_at) AS
      SELECT table_name, found_by, rows, claim, why, as_of, goes_on_at FROM (
      \(claims));

    """

  /// One row a list: what its last certificates claim. Of several windows the worst decides.
  static let claims = """
      WITH latest AS (
        SELECT u.list, u.window_from, u.is_open, c.*,
          CASE WHEN c.certificate IS NULL THEN 'unfinished'
            WHEN c.standing = 'other request' THEN 'void' ELSE c.verdict END AS claim
        FROM trawl_units u LEFT JOIN trawl_certificates c ON c.certificate =
          (SELECT max(certificate) FROM trawl_certificates x WHERE x.unit = u.unit)
      ), ranked AS (
        SELECT *, count(*) OVER (PARTITION BY list) AS windows, row_number() OVER (
          PARTITION BY list ORDER BY CASE claim WHEN 'failed' THEN 0 WHEN 'void' THEN 1
            WHEN 'unfinished' THEN 2 WHEN 'paused' THEN 3 WHEN 'short' THEN 4
            WHEN 'drifted' THEN 5 WHEN 'absent' THEN 6 WHEN 'capped' THEN 7
            WHEN 'gap' THEN 8 ELSE 9 END, issued_at DESC) AS place
        FROM latest
      )
      SELECT l.list, l.table_name, l.found_by, l.rows, r.claim,
        CASE WHEN r.certificate IS NULL THEN 'the first walk has not come to its end'
          WHEN r.standing = 'other request' THEN 'the job asks for something else now; '
            || 'the next run reads it again'
          WHEN r.standing = 'older mapping' THEN 'older mapping: ' || r.why ELSE r.why END
          || CASE WHEN r.windows > 1 THEN ' (the worst of ' || r.windows || ' windows)' ELSE '' END
          AS why, r.issued_at AS as_of, r.goes_on_at
      FROM ranked r JOIN trawl_lists l USING (list) WHERE r.place = 1

    """
}
