internal import Base

/// Pages, the certificates that rest on them, and what did not fit.
extension Book {
  private static let counts = """
    received INTEGER NOT NULL,
    new INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    unchanged INTEGER NOT NULL,
    repeated INTEGER NOT NULL, -- key seen before in this walk
    dropped INTEGER NOT NULL, -- by the job's keep
    rejected INTEGER NOT NULL,
    """

  private static let sum =
    "CHECK (received = new + changed + unchanged + repeated + dropped + rejected)"

  static let pages = BookTable(
    "trawl_pages", of: .window,
    on: [
      .resetRecords: .deletes, .resetCoverage: .deletes,
      .resetPlaces: .deletesWhere(
        "(window, traversal) IN (SELECT window, traversal FROM trawl_windows WHERE is_open = 1)"),
    ],
    """
    page INTEGER PRIMARY KEY, -- gone when a later walk of the window is certified
    window INTEGER NOT NULL REFERENCES trawl_windows ON DELETE CASCADE,
    traversal INTEGER NOT NULL,
    ordinal INTEGER NOT NULL, -- from 1, in the order of the walk
    purpose TEXT NOT NULL CHECK (purpose IN
      ('page', 'seam', 'closingCheck', 'repair', 'lastPage', 'signOfMore', 'lastRecord',
       'pageBefore')),
    cursor TEXT NOT NULL, -- what this page was requested with
    next_cursor TEXT, -- what the answer named
    last_cursor TEXT, -- the last page, as the answer named it
    address TEXT NOT NULL, -- without the credential
    address_digest INTEGER NOT NULL,
    status INTEGER NOT NULL,
    trouble TEXT, -- what came in the place of a page: unreadable, absent, ended, cap, refused, denied,
                  -- nothing, restart, gap
    cause TEXT, -- why, of one that could not be read
    etag TEXT,
    last_modified TEXT,
    answer_print INTEGER, -- of the answer and of all else that made its rows; NULL: it is always read
    total INTEGER, -- as the answer stated it
    more INTEGER, -- the answer's flag
    signs TEXT, -- what else it says of more of the list: JSON
    \(counts)
    zero_dates INTEGER NOT NULL, -- stored as NULL
    field_rejects INTEGER NOT NULL, -- stored as NULL, kept in trawl_rejects
    reject_reason TEXT, -- why the first rejected record did not fit
    ambiguous INTEGER NOT NULL DEFAULT 0, -- records with the key of another one of this page, or that two
      -- lists give other values in turn
    altered INTEGER NOT NULL DEFAULT 0, -- that an earlier page of the walk, or another list, had with other
      -- values
    ambiguous_key TEXT, -- the key of the first of either
    keys BLOB NOT NULL, -- digests of all keys of the page, 8 bytes each
    is_not_modified INTEGER NOT NULL DEFAULT 0, -- the server said 304
    oldest TEXT, -- time of the last record kept
    newest TEXT,
    is_newest_first INTEGER NOT NULL DEFAULT 0,
    sort_span TEXT, -- JSON: its first and last record by the order that the job declares
    request_print INTEGER NOT NULL,
    mapping_print INTEGER NOT NULL,
    handed TEXT, -- JSON: what the walk was handed where it begins, or is resumed, with this answer
    run INTEGER NOT NULL,
    committed_at TEXT NOT NULL,
    change INTEGER NOT NULL DEFAULT 0, -- the last change of records when it was stored
    """, [sum],
    indexed: [
      ("window", "(window, traversal, ordinal)"), ("address", "(window, address_digest)"),
    ])

  static let certificates = BookTable(
    "trawl_certificates", of: .window,
    on: [
      .resetRecords: .deletes, .resetCoverage: .deletes,
      .resetPlaces: .sets(["resumes_at"], to: "NULL", where: "verdict IN ('absent', 'paused')"),
      .resetWaits: .sets(["resumes_at"], to: "NULL", where: "verdict IN ('absent', 'paused')"),
    ],
    """
    certificate INTEGER PRIMARY KEY,
    window INTEGER NOT NULL REFERENCES trawl_windows ON DELETE CASCADE,
    traversal INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    cause TEXT, -- why it is limited or incomplete
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
    proof TEXT, -- what shows that the list is whole; only a complete one has it
    proofs TEXT, -- all that show it, the strongest first
    rests_on INTEGER, -- of twice and joined: the certificate of the walk before
    pattern INTEGER, -- over the keys of the walk, in order and page by page
    pattern_walks INTEGER NOT NULL, -- so many walks in a row had it
    pattern_since TEXT, -- when the first of them began
    rules INTEGER, -- what the walk went by: the digest of a fact of the kind rules
    handed TEXT, -- JSON: what its pages do not show, and the verdict was weighed with
    oldest TEXT,
    newest TEXT, -- the newest time of a record, where the list is declared newest first
    vanished INTEGER NOT NULL, -- rows marked as gone
    withheld INTEGER NOT NULL, -- rows that look gone, too many to be plausible
    standing TEXT NOT NULL CHECK (standing IN ('valid', 'older mapping', 'other request')),
    request_print INTEGER NOT NULL,
    mapping_print INTEGER NOT NULL,
    run INTEGER NOT NULL,
    began_at TEXT NOT NULL,
    issued_at TEXT NOT NULL,
    whole_at TEXT NOT NULL, -- when the list was last read without stopping at what was known
    covers_to TEXT, -- of a window: it is covered up to here, where the API's clock was not further
    resumes_at TEXT, -- paused: when; absent: when it is requested again
    tries INTEGER NOT NULL DEFAULT 0, -- absences in a row, or walks in a row that found it empty
    empty_since TEXT, -- the first of those walks
    unproven_reads INTEGER NOT NULL DEFAULT 0, -- walks to the list's end since it was complete last
    proving_at TEXT, -- when it was complete last, or was read twice in one run to prove it
    """, [sum], indexed: [("window", "(window, certificate)")],
    // A certificate is a claim: marking it as outdated must not validate a change made by others. The next walk issues
    // another one.
    keepsDoubt: true)

  static let rejects = BookTable(
    "trawl_rejects", of: .stream, on: [.resetRecords: .deletes],
    """
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
    request TEXT NOT NULL, -- JSON: the parameters that the record was requested with
    window INTEGER NOT NULL,
    run INTEGER NOT NULL, -- the first that met it
    first_seen_at TEXT NOT NULL,
    """, ["UNIQUE (job, stream, key_digest, column_name)"])
}

extension Counts: StoredValue {
  /// In the order of `columns`, from `new` on.
  init(_ row: inout ColumnReader) {
    self.init()
    (new, changed, unchanged) = (row.next(), row.next(), row.next())
    (repeated, dropped, rejected) = (row.next(), row.next(), row.next())
  }

  /// The values, as pages and certificates store them.
  var columns: Connection.Values {
    [
      ("received", SQLValue(received)), ("new", SQLValue(new)), ("changed", SQLValue(changed)),
      ("unchanged", SQLValue(unchanged)), ("repeated", SQLValue(repeated)),
      ("dropped", SQLValue(dropped)), ("rejected", SQLValue(rejected)),
    ]
  }
}
