extension OptionTable {
  /// Every option once, with the text that all its commands share.
  static let options: [OptionSpec] = program + places + wishes + bounds + telling + keeping

  private static let program = [
    OptionSpec(.help, short: "h", "shows this help"),
    OptionSpec(.version, short: "V", "shows the versions of Trawl and its libraries"),
    OptionSpec(
      .completions, takes: "SHELL", .choice(Shell.allCases.map(\.rawValue)),
      "writes completions for bash, zsh or fish"),
    OptionSpec(
      .system,
      "runs the command as user trawl, with the keys and the sandbox of the systemd unit"),
  ]

  private static let places = [
    OptionSpec(
      .data, takes: "DIR", .folder,
      default: .described(
        "$TRAWL_DATA, else $STATE_DIRECTORY, else $XDG_DATA_HOME/trawl (~/.local/share/trawl)"),
      "the folder of database, images and reports; s3://BUCKET/PATH: one in a bucket, for any machine"
    ),
    OptionSpec(
      .ledger, takes: "FILE", .file,
      default: .described("$TRAWL_LEDGER, else ledger.db in the folder"),
      "the file that counts quotas; folders may share one"),
    OptionSpec(
      .endpoint, takes: "URL", .address, default: .described("the base of the job file"),
      "requests this address instead; on loopback no key is sent"),
    OptionSpec(
      .ca, takes: "FILE", .file,
      default: .described("none; $CURL_CA_BUNDLE, else $SSL_CERT_FILE and $SSL_CERT_DIR"),
      "trusts the issuers in this PEM file as well"),
    OptionSpec(
      .sendKeyTo, takes: "ORIGIN", .address, isRepeatable: true,
      "sends the job's key to this origin as well"),
    OptionSpec(.allowLoopback, "allows images and redirects to this machine"),
  ]

  private static let wishes = [
    OptionSpec(
      .set, takes: "KEY=VALUE", .setting, default: .described("the params of the job file"),
      isRepeatable: true,
      "sets a parameter of the job; repeated, the values form a list"),
    OptionSpec(
      .header, short: "H", takes: "'NAME: VALUE'", .text, isRepeatable: true,
      "sends this header field; asks for {key} unseen; no secret is written to the file"),
    OptionSpec(
      .post, takes: "BODY", .text, default: .described("GET"),
      "asks by POST with this JSON body, as a search or GraphQL wants it"),
    OptionSpec(
      .key, takes: "NAME", .text, default: .described("the job's name and -key"),
      "the name of the key in the job file"),
    OptionSpec(
      .path, takes: "PATH", .text, default: .described("every path that lists"),
      "drafts only this path of an OpenAPI description"),
    OptionSpec(
      .stream, takes: "NAME", .stream, default: .described("all streams of the job"),
      isRepeatable: true,
      "reads only this stream"),
    OptionSpec(
      .from, takes: "DATE", .date,
      "the start of the range: 2024, 2024-03, 2024-03-01, 2024-03-01T12:00:00Z, or 90d (ago)"),
    OptionSpec(
      .to, takes: "DATE", .date, default: .value("now"),
      "the end of the range, including the whole year, month or day"),
    OptionSpec(
      .refill,
      "after an edit of the job file: reads everything again, also pages that have not changed; a backfill reads what an older file filled"
    ),
    OptionSpec(
      .again,
      "also reads windows without a proof again, cut to one answer each where the API allows it"),
    OptionSpec(
      .retryRejects, "maps stored rejects again; sends no request"),
    OptionSpec(
      .moved,
      "the API has moved to another address; keeps the rows if half of a first page is known"
    ),
    OptionSpec(
      .acceptVanish, takes: "N", .count(minimum: 0),
      "marks up to N records as gone despite the limit"),
    OptionSpec(
      .acceptEmpty, takes: "COLUMN", .text, isRepeatable: true,
      "accepts that this column or nested list is empty now"),
    OptionSpec(
      .sameAccount,
      "the new key is of the same account: keeps what was read"),
    OptionSpec(
      .noBrowser,
      "logs in with a browser on another machine: paste the address at which it ends"),
  ]

  private static let bounds = [
    OptionSpec(
      .maxWait, takes: "DUR", .duration, default: .value("5m"),
      "waits for a limit that ends within this time; else pauses"),
    OptionSpec(
      .maxRequests, takes: "N", .count(minimum: 0), "pauses after so many requests of a job"),
    OptionSpec(.maxTime, takes: "DUR", .duration, "pauses after this time"),
    OptionSpec(
      .until, takes: "HH:MM", .clock, "pauses at this time of day"),
    OptionSpec(
      .maxWAL, takes: "SIZE", .bytes, default: .value("1GB"),
      "pauses when a reader has let the database's log grow to this size"),
    OptionSpec(
      .wait, "waits for another run of the job to end"),
    OptionSpec(
      .claimWait, takes: "DUR", .duration, default: .value("5m"),
      "waits so long for another machine that has the folder in the bucket"),
    OptionSpec(
      .ifDue,
      "exits unless the job's \"every\" has passed since the last full run"),
    OptionSpec(
      .images, takes: "WHEN", .choice(["now", "later"]), default: .value("now"),
      "later: ends with the lists and images in flight; leaves others to the next run"),
    OptionSpec(
      .dryRun, "shows requests and their cost; sends nothing"),
    OptionSpec(
      .record, takes: "DIR", .folder,
      "records every exchange there, without keys; requests one after the other"),
    OptionSpec(
      .replay, takes: "DIR", .folder,
      "answers from a recording, without network or waits; needs a --data of its own"),
  ]

  private static let telling = [
    OptionSpec(
      .metricsFile, takes: "FILE", .file, "writes metrics for Prometheus's node_exporter"),
    OptionSpec(
      .keep, takes: "N", .count(minimum: 1), default: .value("100"),
      "keeps the last N reports of a job"),
    OptionSpec(.json, "writes JSON to stdout, one object per line"),
    OptionSpec(.quiet, short: "q", "prints warnings and errors only, no pauses"),
    OptionSpec(.verbose, short: "v", "prints every page, retry and wait"),
    OptionSpec(
      .maxAge, takes: "DUR", .duration,
      default: .described("each list's own limit: 47 h, and three times the job's \"every\""),
      isOptional: true,
      "exits with 4 when a list has not been read well for longer than this"),
    OptionSpec(
      .alert,
      "prints the job's alert, if one is due, and exits with 4: at first, then daily, and once when it "
        + "is over. The shipped units call it"),
    OptionSpec(.show, "prints the job file as it is read; sends no request"),
    OptionSpec(.offline, "checks the file only; sends no request"),
    OptionSpec(.cite, "prints one line to put under a chart"),
    OptionSpec(.html, "prints the path of the HTML page"),
    OptionSpec(
      .open,
      "opens the HTML page in a browser (xdg-open); without a job, the index of all jobs"),
    OptionSpec(.explain, "explains the run's decisions in sentences"),
    OptionSpec(.csv, "writes rows as CSV: NULL is nothing, an empty text is \"\""),
    OptionSpec(.jsonl, "writes rows as JSON, one object per line"),
    OptionSpec(
      .output, short: "o", takes: "FILE", .file,
      "writes to this file, whole or not at all: .csv, .json, .jsonl"),
    OptionSpec(
      .into, takes: "JOB.json5", .file,
      "adds the list to this job file of the same API; what is in it stays as it is"),
    OptionSpec(
      .changes,
      "shows new, changed and gone records, with earlier values where they are stored"),
    OptionSpec(
      .after, takes: "CURSOR", .text, default: .described("all records"),
      "with --changes: what changed behind it; the last row has the next one"),
    OptionSpec(
      .since, takes: "WHEN", .text, default: .described("the last run"),
      "start of --changes: 1d, 2024-03-01, or the name of a run"),
    OptionSpec(
      .job, takes: "JOB", .job, default: .described("all jobs"), "searches only this job's records"
    ),
    OptionSpec(
      .limit, takes: "N", .count(minimum: 1), default: .value("20"),
      "with --changes: shows at most N records of each kind and table"
    ),
  ]

  private static let keeping = [
    OptionSpec(
      .sample, takes: "M/N", .share, default: .value("1/1"),
      "checks this share of the files, another share each day"),
    OptionSpec(
      .grace, takes: "DUR", .duration, default: .value("7d"),
      "keeps files that were needed within this time"),
    OptionSpec(.short, "drafts the shortest form: no comments, every member a column"),
    OptionSpec(.yes, "does not ask"),
    OptionSpec(
      .media,
      "includes images, in a folder media beside the file: hard links if possible, else copies"),
    OptionSpec(
      .readers,
      "writes a copy for other programs instead: records, lists and items, without a log"),
    OptionSpec(.replace, "sets the present database aside, as trawl.db.before-TIME"),
    OptionSpec(.undo, "lets runs store these records again"),
  ]
}
