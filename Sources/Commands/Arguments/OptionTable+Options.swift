extension OptionTable {
  /// Every option once, with the words that all its readers share.
  static let allOptions: [OptionSpec] = program + places + wishes + bounds + telling + keeping

  private static let program = [
    OptionSpec(.help, short: "h", "shows this help"),
    OptionSpec(
      .version, short: "V", "shows the version of Trawl and of the libraries it runs with"),
    OptionSpec(
      .completions, takes: "SHELL", .choice(Shell.allCases.map(\.rawValue)),
      "writes a completion script for the shell: bash, zsh or fish"),
    OptionSpec(
      .system,
      "runs the command as user trawl, with the keys and the sandbox of the systemd unit"),
  ]

  private static let places = [
    OptionSpec(
      .data, takes: "DIR", .folder,
      default: .described(
        "$TRAWL_DATA, else $STATE_DIRECTORY, else $XDG_DATA_HOME/trawl (~/.local/share/trawl)"),
      "the folder of database, images and reports"),
    OptionSpec(
      .ledger, takes: "FILE", .file,
      default: .described("$TRAWL_LEDGER, else ledger.db in the folder"),
      "the file that counts quotas; several folders may share one"),
    OptionSpec(
      .endpoint, takes: "URL", .address, default: .described("the base of the job file"),
      "requests this address instead; on loopback no secret is read"),
    OptionSpec(
      .ca, takes: "FILE", .file,
      default: .described("none; $CURL_CA_BUNDLE, else $SSL_CERT_FILE and $SSL_CERT_DIR"),
      "trusts the issuers in this PEM file as well; the variables take the place of the machine's"),
    OptionSpec(
      .sendKeyTo, takes: "ORIGIN", .address, isRepeatable: true,
      "lets this origin see the job's secret as well"),
    OptionSpec(.allowLoopback, "lets images and redirects lead to this machine"),
  ]

  private static let wishes = [
    OptionSpec(
      .set, takes: "KEY=VALUE", .setting, default: .described("the params of the job file"),
      isRepeatable: true,
      "sets a parameter of the job; repeated, the values make a list; a comma is text"),
    OptionSpec(
      .header, short: "H", takes: "'NAME: VALUE'", .text, isRepeatable: true,
      "sends this header field; what looks like a secret is written to no file; {key} is asked for"),
    OptionSpec(
      .key, takes: "NAME", .text, default: .described("the job's name and -key"),
      "what the job file calls the secret"),
    OptionSpec(
      .path, takes: "PATH", .text, default: .described("every path that lists"),
      "drafts this path of an OpenAPI description alone"),
    OptionSpec(
      .stream, takes: "NAME", .stream, default: .described("all streams of the job"),
      isRepeatable: true,
      "reads only this stream"),
    OptionSpec(
      .from, takes: "DATE", .date,
      "the beginning of the range: 2024, 2024-03, 2024-03-01, 2024-03-01T12:00:00Z, or 90d for "
        + "so long ago"),
    OptionSpec(
      .to, takes: "DATE", .date, default: .value("now"),
      "the end of the range; a year, month or day is included whole"),
    OptionSpec(
      .refill,
      "reads pages again that an older mapping of the job file has filled, or whose rows somebody removed"
    ),
    OptionSpec(
      .again,
      "reads windows again that have no proof, cut to one answer each where the API allows it"),
    OptionSpec(
      .retryRejects, "maps the kept rejects again, without a request"),
    OptionSpec(
      .moved,
      "says that the API has another address now: its rows are those that are here, if half of a first page is"
    ),
    OptionSpec(
      .acceptVanish, takes: "N", .count(minimum: 0),
      "marks up to N records as vanished where the bound of the job would withhold it"),
    OptionSpec(
      .acceptEmpty, takes: "COLUMN", .text, isRepeatable: true,
      "believes that a column is empty now that nearly all rows had filled"),
    OptionSpec(
      .sameAccount,
      "says that the key is of the account which asked before: what was read stays read"),
  ]

  private static let bounds = [
    OptionSpec(
      .maxWait, takes: "DUR", .duration, default: .value("5m"),
      "waits out a limit that ends within this time; a longer one pauses"),
    OptionSpec(.maxRequests, takes: "N", .count(minimum: 0), "pauses after so many requests"),
    OptionSpec(.maxTime, takes: "DUR", .duration, "pauses after this time"),
    OptionSpec(
      .until, takes: "HH:MM", .clock, "pauses at this time of day"),
    OptionSpec(
      .maxWAL, takes: "SIZE", .bytes, default: .value("1GB"),
      "pauses when a program that reads on and on has let the database's log grow to this size"),
    OptionSpec(
      .wait, "waits for another run of the same job instead of stopping with 75"),
    OptionSpec(
      .ifDue,
      "does nothing before the job's \"every\" is over since the last run that read all it could"),
    OptionSpec(
      .images, takes: "WHEN", .choice(["now", "later"]), default: .value("now"),
      "later: ends with the walk and leaves the images that are not fetched yet to the next run"),
    OptionSpec(
      .dryRun, "shows what would be done and what it costs; does nothing"),
    OptionSpec(
      .record, takes: "DIR", .folder,
      "writes every request and answer there, bodies and images too, and the instants; no key"),
    OptionSpec(
      .replay, takes: "DIR", .folder,
      "answers from such a recording, without network or waiting; needs a --data of its own"),
  ]

  private static let telling = [
    OptionSpec(
      .metricsFile, takes: "FILE", .file, "writes metrics for Prometheus's node_exporter"),
    OptionSpec(
      .keep, takes: "N", .count(minimum: 1), default: .value("100"),
      "keeps the last N reports of a job"),
    OptionSpec(.json, "writes results to stdout as JSON, one object a line"),
    OptionSpec(.quiet, short: "q", "prints only warnings and errors; a pause is neither"),
    OptionSpec(.verbose, short: "v", "prints every page, retry and wait"),
    OptionSpec(
      .maxAge, takes: "DUR", .duration,
      default: .described("each list's own limit: 47 h, and three times the job's \"every\""),
      isOptional: true,
      "ends with 4 when a list was last as good as it had been longer ago than this"),
    OptionSpec(
      .alert,
      "prints what somebody has to be told of the one job, and ends with 4: the first time, then once "
        + "a day, and once when it is over; else nothing. The shipped units call it"),
    OptionSpec(.show, "prints the job file as it is read, and requests nothing"),
    OptionSpec(.offline, "sends no request: the file, its tables and its values alone"),
    OptionSpec(.cite, "prints one line to put under a chart"),
    OptionSpec(.html, "prints the path of the HTML page"),
    OptionSpec(
      .open,
      "shows the HTML page in a browser (xdg-open), else prints its path; without a job the "
        + "index of all jobs"),
    OptionSpec(.explain, "explains the run's decisions in sentences"),
    OptionSpec(.csv, "writes rows as CSV: NULL is nothing at all, an empty text is \"\""),
    OptionSpec(.jsonl, "writes rows as JSON, one object a line"),
    OptionSpec(
      .output, short: "o", takes: "FILE", .file,
      "writes to this file, whole or not at all; rows in the form that its name ends with"),
    OptionSpec(
      .changes,
      "shows what is new, changed and gone: record by record, with what an earlier value was "
        + "where it is kept"),
    OptionSpec(
      .since, takes: "WHEN", .text, default: .described("the last run"),
      "the beginning of --changes: 1d, 2024-03-01, or the name of a run"),
    OptionSpec(
      .job, takes: "JOB", .job, default: .described("all jobs"), "looks only at this job's records"
    ),
    OptionSpec(
      .limit, takes: "N", .count(minimum: 1), default: .value("20"),
      "shows at most so many records (with --changes of each kind and table)"
    ),
  ]

  private static let keeping = [
    OptionSpec(
      .sample, takes: "M/N", .share, default: .value("1/1"),
      "checks this share of the files, another on each day"),
    OptionSpec(
      .grace, takes: "DUR", .duration, default: .value("7d"),
      "keeps files that were wanted within this time"),
    OptionSpec(
      .short, "drafts the shortest form: without comments, and with every member as a column"),
    OptionSpec(.yes, "does not ask"),
    OptionSpec(
      .media,
      "with the pictures, in a folder media beside the file: linked where that works, "
        + "else copied"),
    OptionSpec(
      .readers,
      "a copy for other programs: records, lists and items alone, without a log"),
    OptionSpec(.replace, "sets the database that is there aside, as trawl.db.before-TIME"),
  ]
}
