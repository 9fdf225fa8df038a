/// What `trawl(1)` says besides the option table.
enum ManualText {
  static let jsonLines = """
    With --json, stdout has one object per line. Each begins with schema, the version of its form. sql \
    writes rows only, without schema; its --json writes them as one list. report prints the stored \
    report, described by /usr/share/trawl/jobs/report.schema.json. run and backfill write events as they \
    happen: schema, type (progress), event, at, job, then the members below, in this order. New members \
    and events may be added; none is ever removed. A member without a value is null. Counts are sums of \
    the list so far. list is the name of a list.
    """

  static let files: KeyValuePairs<String, String> = [
    "trawl.db":
      "the database; copy it together with its log (trawl.db-wal, trawl.db-shm) while nothing "
      + "runs, or use trawl backup",
    "FILE.partial, FILE.unproven":
      "a backup that is being made, or was when it was killed; a backup that does not hold",
    "trawl.db.before-TIME": "set aside by trawl restore --replace; remove it when you like",
    "ledger.db": "the quotas; --ledger shares one",
    "media/ab/HASH.EXT": "images, each once, named by their SHA-256",
    "reports/JOB/RUN.html, .json": "the report of each run; reports/index.html shows all jobs",
    "feeds/JOB/WATCH.atom": "new or changed rows of a watched query",
    "~/.config/trawl/jobs, /etc/trawl/jobs": "your own job files, found by name in this order",
    "~/.config/trawl/keys": "keys stored by trawl key, one file each, mode 0600",
    "/var/lib/trawl": "the data folder of the systemd units",
    "/etc/trawl/keys": "the keys of the systemd units, readable by root",
  ]

  static let environment: KeyValuePairs<String, String> = [
    "TRAWL_DATA, STATE_DIRECTORY, XDG_DATA_HOME": "the data folder, see --data",
    "TRAWL_LEDGER": "the ledger, see --ledger",
    "XDG_CONFIG_HOME": "where job files and keys are, instead of ~/.config",
    "CREDENTIALS_DIRECTORY":
      "searched first for keys; then the variable that a job names, then the key folder",
    "CURL_CA_BUNDLE, SSL_CERT_FILE, SSL_CERT_DIR":
      "issuers instead of the machine's; --ca adds to them",
    "http_proxy, https_proxy, all_proxy, no_proxy": "proxies, as for curl",
    "NO_COLOR, TERM, LC_ALL, LC_CTYPE, LANG": "the terminal's colors and characters",
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
