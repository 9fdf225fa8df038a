/// Images: their files, and the URLs that lead to them.
extension Book {
  static let media = BookTable(
    "trawl_media", of: .nobody,
    """
    digest TEXT PRIMARY KEY NOT NULL, -- SHA-256 of the bytes, hexadecimal
    path TEXT NOT NULL, -- within the data folder
    size INTEGER NOT NULL,
    type TEXT NOT NULL,
    width INTEGER,
    height INTEGER,
    stored_at TEXT NOT NULL,
    unneeded_since TEXT, -- first seen then: no live record and no favorite needs the file
    missing_since TEXT, -- first seen then: the file is not there
    """, indexed: [("missing", "(digest) WHERE missing_since IS NOT NULL")])

  /// It was asked for in vain, and is not asked for again at once.
  static let imageRests = "reason IS NOT NULL AND next_attempt_at > queued_at"

  static let mediaURLs = BookTable(
    "trawl_media_urls", of: .job,
    on: [
      .resetRecords: .deletes,
      .resetWaits: .sets(["next_attempt_at"], to: "queued_at", where: imageRests),
    ],
    """
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
    """,
    indexed: [
      ("due", "(job, next_attempt_at) WHERE next_attempt_at IS NOT NULL"),
      ("digest", "(digest)"),
    ])
}
