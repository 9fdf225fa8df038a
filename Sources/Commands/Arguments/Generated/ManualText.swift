/// What `trawl(1)` says besides the option table.
enum ManualText {
  struct Entry: Sendable {
    let term: String
    let meaning: String
  }

  static let jsonLines = """
    With --json, stdout has one object per line. Each begins with schema, the version of its form. sql \
    writes rows only, without schema; its --json writes them as one list. report prints the stored \
    report, described by /usr/share/trawl/jobs/report.schema.json. run and backfill write events as they \
    happen: schema, type (progress), event, at, job, then the members below, in this order. New members \
    and events may be added; none is ever removed. A member without a value is null. Counts are sums of \
    the list so far. list is the name of a list.
    """

  static let files = [
    Entry(
      term: "trawl.db",
      meaning:
        "the database; copy it together with its log (trawl.db-wal, trawl.db-shm) while nothing "
        + "runs, or use trawl backup"),
    Entry(
      term: "FILE.partial, FILE.unproven",
      meaning: "a backup that is being made, or was when it was killed; a backup that does not hold"
    ),
    Entry(
      term: "trawl.db.before-TIME",
      meaning: "set aside by trawl restore --replace; remove it when you like"),
    Entry(term: "ledger.db", meaning: "the quotas; --ledger shares one"),
    Entry(term: "media/ab/HASH.EXT", meaning: "images, each once, named by their SHA-256"),
    Entry(
      term: "reports/JOB/RUN.html, .json",
      meaning: "the report of each run; reports/index.html shows all jobs"),
    Entry(
      term: "feeds/JOB/WATCH.atom", meaning: "new or changed rows of a watched query"),
    Entry(
      term: "~/.config/trawl/jobs, /etc/trawl/jobs",
      meaning: "your own job files, found by name in this order"),
    Entry(
      term: "~/.config/trawl/keys", meaning: "keys stored by trawl key, one file each, mode 0600"),
    Entry(term: "/var/lib/trawl", meaning: "the data folder of the systemd units"),
    Entry(term: "/etc/trawl/keys", meaning: "the keys of the systemd units, readable by root"),
  ]

  static let environment = [
    Entry(
      term: "TRAWL_DATA, STATE_DIRECTORY, XDG_DATA_HOME", meaning: "the data folder, see --data"),
    Entry(term: "TRAWL_LEDGER", meaning: "the ledger, see --ledger"),
    Entry(term: "XDG_CONFIG_HOME", meaning: "where job files and keys are, instead of ~/.config"),
    Entry(
      term: "CREDENTIALS_DIRECTORY",
      meaning: "searched first for keys; then the variable that a job names, then the key folder"),
    Entry(
      term: "CURL_CA_BUNDLE, SSL_CERT_FILE, SSL_CERT_DIR",
      meaning: "issuers instead of the machine's; --ca adds to them"),
    Entry(
      term: "http_proxy, https_proxy, all_proxy, no_proxy", meaning: "proxies, as for curl"),
    Entry(
      term: "NO_COLOR, TERM, LC_ALL, LC_CTYPE, LANG",
      meaning: "the terminal's colors and characters"),
  ]

  static let notes = [
    """
    A backup is a database that trawl and sqlite3 open as it is; its table trawlbackup holds the quotas. \
    Images are beside it in media (--media): as hard links on the same disk, else as copies. Reports are \
    not included. A restore needs that no job runs and no program has the database open. If it is \
    interrupted, the old or the new database is in place, whole.
    """,
    """
    Ctrl-C and SIGTERM finish the page in hand and exit with that signal; a second one exits at once. \
    After kill -9 the same command resumes at the page that was in flight.
    """,
  ]
}
