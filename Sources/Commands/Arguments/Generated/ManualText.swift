/// What `trawl(1)` says beside the option table.
enum ManualText {
  struct Entry: Sendable {
    let term: String
    let meaning: String
  }

  static let jsonLines = """
    With --json, stdout holds one object a line, and each begins with schema, the version of its form. \
    status, check, prove, search and the others write what they would show; sql writes rows and \
    nothing else, without schema, --json as one list of them. report prints the stored \
    report, which /usr/share/trawl/jobs/report.schema.json describes. run and backfill write what \
    happens as it happens: schema, type (progress), event, at, job, then by event the members below, \
    in this order. New members and events may be added; none is ever removed. A member without a \
    value is null; counts are sums of the list so far; list is a list's name in words.
    """

  static let files = [
    Entry(
      term: "trawl.db",
      meaning: "the database; its log (trawl.db-wal, trawl.db-shm) belongs to it: copy them "
        + "together and while nothing runs, or use trawl backup"),
    Entry(
      term: "FILE.partial, FILE.unproven",
      meaning:
        "a backup that is being made, or was when it was killed: the next one uses the name again; "
        + "and one that does not hold"),
    Entry(
      term: "trawl.db.before-TIME",
      meaning:
        "a database that trawl restore --replace has set aside: remove it when it is needed no more"
    ),
    Entry(term: "ledger.db", meaning: "the quotas that are counted; --ledger shares one"),
    Entry(
      term: "media/ab/HASH.EXT", meaning: "images, each once, named by the SHA-256 of their bytes"),
    Entry(
      term: "reports/JOB/RUN.html, .json",
      meaning: "what each run did; reports/index.html shows all jobs, and who needs a person"),
    Entry(
      term: "feeds/JOB/WATCH.atom",
      meaning: "rows of a watched query of the settings that are new or changed"),
    Entry(term: "alerts/told", meaning: "what status --alert told, of all jobs"),
    Entry(
      term: "~/.config/trawl/jobs, /etc/trawl/jobs",
      meaning: "job files of your own, found by their names in this order"),
    Entry(
      term: "~/.config/trawl/keys", meaning: "keys that trawl key keeps, one file each, mode 0600"),
    Entry(term: "/var/lib/trawl", meaning: "the data folder of the systemd units"),
    Entry(term: "/etc/trawl/keys", meaning: "the keys of the systemd units, for root alone"),
  ]

  static let environment = [
    Entry(
      term: "TRAWL_DATA, STATE_DIRECTORY, XDG_DATA_HOME", meaning: "the data folder, see --data"),
    Entry(term: "TRAWL_LEDGER", meaning: "the ledger, see --ledger"),
    Entry(term: "XDG_CONFIG_HOME", meaning: "where job files and keys lie, instead of ~/.config"),
    Entry(
      term: "CREDENTIALS_DIRECTORY",
      meaning:
        "looked in first for keys; then the variable that a job names (GITHUB_TOKEN), then the key folder"
    ),
    Entry(
      term: "CURL_CA_BUNDLE, SSL_CERT_FILE, SSL_CERT_DIR",
      meaning: "trusted issuers of certificates in place of the machine's; --ca FILE adds to them"),
    Entry(
      term: "http_proxy, https_proxy, all_proxy, no_proxy",
      meaning: "the proxies to use, as for curl"),
    Entry(
      term: "NO_COLOR, TERM, LC_ALL, LC_CTYPE, LANG", meaning: "how the terminal is written to"),
  ]

  static let notes = [
    """
    A backup is a database: trawl, sqlite3 and others open it as it is. Its table trawlbackup holds the \
    ledger. Beside it, in media, lie the pictures (--media); a folder with both is a data folder. Hard links \
    cost no room, and are no second copy: on another disk pictures are copied. Reports are not in it. Restoring \
    needs that no job runs and no other program has the database open; what stops it leaves the old database \
    or the new one, whole. A quota that the backup knows more uses of takes these over; no other changes.
    """,
    """
    A copy for readers (backup --readers, or publish in a job file) is replaced whole: whoever has it open goes \
    on with the old one. NAME.metadata.json beside NAME.db is for Datasette: datasette r.db -m r.metadata.json.
    """,
    """
    A query that stays open (a shell left in a transaction, a dashboard) keeps the database's log from \
    being emptied, and the log grows with each page. No row is at risk, so the run continues; at 64 MB \
    it names the process that reads, and at --max-wal it pauses with 75. The same command resumes when \
    the reader has ended.
    """,
    """
    A run that finds its database, the log beside it, the ledger, the image folder, its lock or the \
    whole folder moved, removed or replaced stops with 74 and says which, instead of storing into a \
    file that has no name any more.
    """,
    """
    Ctrl-C and SIGTERM finish the page in hand, commit, and exit with that signal; a second one exits \
    at once. After kill -9 the same command resumes at the page that was in flight.
    """,
  ]
}
