extension OptionTable {
  /// Every command.
  static let allCommands: [CommandSpec] = [
    run, backfill, status, new, check, attempt, prove, report, sql, search, favorite, media, key,
    reset,
    backup, restore, path, help, version,
  ]

  private static let asking: [OptionName] = [
    .endpoint, .set, .stream, .allowLoopback, .sendKeyTo, .ca,
  ]
  private static let walking: [OptionName] = [
    .maxWait, .maxRequests, .maxTime, .until, .maxWAL, .wait, .images, .dryRun, .retryRejects,
    .refill, .acceptVanish, .acceptEmpty, .moved, .record, .replay, .metricsFile, .keep,
  ]
  private static let told: [OptionName] = [.json, .quiet, .verbose]
  private static let kept: [OptionName] = [.data, .ledger]
  private static let walkExits: [ExitStatus] = [
    .failed, .less, .damaged, .unreachable, .cannotCreate, .paused, .secret, .configuration,
  ]

  private static let run = CommandSpec(
    .run, "reads each list of a job to its end and keeps what it holds",
    details: "Resumes where an earlier run stopped. Several jobs run side by side; the worst "
      + "outcome of them decides the exit code.",
    operands: [OperandSpec("JOB|FILE", .job, 1, nil, "a job's name, or the path of a job file")],
    options: kept + asking + walking + [.ifDue] + told,
    examples: [
      Example("trawl run github --set user=octocat", "one user's profile and lists"),
      Example(
        "trawl run ./my-job.json5 --dry-run", "what a job of your own would ask, and its cost"),
    ], exits: walkExits)

  private static let backfill = CommandSpec(
    .backfill, "fills the holes in a range of time",
    details: "The range is remembered as a goal: without dates the command resumes open "
      + "goals. A range that is already covered costs no request.",
    operands: [OperandSpec("JOB|FILE", .job, 1, 1, "a job's name, or the path of a job file")],
    options: [.from, .to, .again] + kept + asking + walking + told,
    examples: [
      Example("trawl backfill JOB --from 2024 --to 2024-06", "half a year, newest first"),
      Example("trawl backfill JOB --from 2024 --prove", "read again what has no proof"),
      Example(
        "trawl backfill JOB --max-requests 90", "resume open goals, with at most 90 requests"),
    ], exits: walkExits)

  private static let status = CommandSpec(
    .status, "shows all jobs, a line each, worst first; or all that is known of some",
    details: "Of a named job it shows parameters with their defaults, each list with its verdict, "
      + "what is covered, the quotas and the API's terms. --json always says all. \"trawl jobs\" is "
      + "the same command.",
    operands: [OperandSpec("JOB", .job, 0, nil, "these jobs, with all that is known of them")],
    options: kept + [.maxAge, .alert, .json],
    examples: [
      Example("trawl status", "all jobs, also those that have not run yet"),
      Example("trawl status github", "one job: parameters, lists, coverage, quotas, terms"),
      Example("trawl status github --max-age 2h", "for monitoring: 4 when it is late"),
    ], exits: [.found, .damaged, .configuration], also: ["jobs"])

  private static let new = CommandSpec(
    .new, "drafts a job file from the address of a list, a manifest or an OpenAPI description",
    details:
      "From an address: sends ten requests at most, after asking you, one after the other, and says "
      + "what each is for: the list, page 2 in the ways that page 1 suggests, a larger page, the end "
      + "that its total names. Recognises records, key, types, lists within records, images, total, "
      + "paging and the limits in headers, and writes a commented job file that trawl check and trawl "
      + "try accept. A secret goes where -H or the address puts it, as {key} or itself, and never into "
      + "the file. From an OpenAPI 3 description (JSON or YAML): the paths that list, or --path alone; "
      + "that one is probed like an address. With --from: translates an Airbyte manifest, and requests "
      + "nothing; what no job can say, and what a manifest never says, stands in comments, and the exit "
      + "code is 3 where something is left out.",
    operands: [
      OperandSpec(
        "URL|FILE", .file, 0, 1,
        "the address of a list, with a size of its pages if there is one; or an OpenAPI description"
      )
    ],
    options: kept + [.from, .path, .header, .key, .output, .short, .ca, .yes],
    variants: [
      OptionSpec(.from, takes: "FILE", .file, "translates this Airbyte manifest (YAML)")
    ],
    examples: [
      Example("trawl new 'https://api.example/v1/things?limit=5'", "writes things.json5 or so"),
      Example(
        "trawl new https://api.example/v1/things -H \"X-Api-Key:{key}\"",
        "asks for the key, unseen"),
      Example(
        "trawl new 'https://api.example/v1/things?limit=5' --short",
        "ten lines: every member of a record becomes a column"),
      Example("trawl new openapi.yaml --path /things", "one list of a description"),
      Example("trawl new --from manifest.yaml -o shop.json5", "translates a manifest"),
    ], exits: [.failed, .less, .unreachable, .cannotCreate, .paused, .secret])

  private static let check = CommandSpec(
    .check, "checks a job file, its secret and page 1 of each stream; without a job, the machine",
    details: "Asks what a run would ask first, one request for each stream, and says what was read "
      + "and what was not. The requests are counted in the data folder's ledger, where a run has made "
      + "one; nothing is stored. trawl try shows the rows themselves.",
    operands: [OperandSpec("JOB|FILE", .job, 0, nil, "a job's name, or the path of a job file")],
    options: kept + [.endpoint, .set, .sendKeyTo, .ca, .show, .offline, .json],
    examples: [
      Example("trawl check", "SQLite, folders, free space, clock, timers"),
      Example("trawl check ./my-job.json5 --offline", "a file alone, for a build server"),
      Example("trawl check github --print", "the job file as Trawl reads it"),
    ], exits: [.found, .damaged, .unreachable, .secret, .configuration])

  private static let attempt = CommandSpec(
    .attempt, "requests one page and shows the rows as they would be stored; keeps nothing",
    details: "Also shows rejects, and the fields of the answer that no column takes. Its requests "
      + "are counted in the data folder's ledger, where a run has made one.",
    operands: [OperandSpec("FILE", .job, 1, 1, "the path of a job file, or a job's name")],
    options: kept + asking + [.replay, .json],
    examples: [
      Example("trawl try ./my-job.json5", "the first page of each stream"),
      Example("trawl try ./my-job.json5 --stream users", "one stream only"),
    ], exits: [.failed, .less, .unreachable, .paused, .secret, .configuration])

  private static let prove = CommandSpec(
    .prove, "recounts what every verdict claims, and says which ones hold",
    details: "Reads every row and every page again, trusts no stored count, and names each row "
      + "that is not as it was stored. Changes nothing; it is safe beside a run.",
    operands: [OperandSpec("JOB", .job, 0, nil, "only these jobs")],
    options: [.data, .stream, .cite, .json],
    examples: [
      Example("trawl prove github", "4 when a claim does not hold"),
      Example("trawl prove github --cite", "a line to put under a chart, for each list"),
    ], exits: [.found, .damaged, .configuration])

  private static let report = CommandSpec(
    .report, "shows the report of a run",
    operands: [OperandSpec("JOB|RUN", .jobOrRun, 0, 1, "the last run of a job, or one run")],
    options: [.data, .html, .open, .json, .explain, .changes, .since, .limit],
    examples: [
      Example("trawl report github", "the last run as text"),
      Example("trawl report github --explain", "why it did what it did"),
      Example("trawl report github --changes --since 1d", "what came, changed and went since"),
      Example("trawl report --open", "the page of all jobs, in a browser"),
    ], exits: [.found, .damaged])

  private static let sql = CommandSpec(
    .sql, "shows the rows of a query, or of a table; only reads",
    details:
      "On a terminal rows stand in a box that fits it; in a pipe they are CSV with a line of "
      + "names. A name alone is a query for all of that table. What would write, attach a file or "
      + "turn a switch is refused. A blob is written as hexadecimal digits. Memory does not grow "
      + "with the rows.",
    operands: [
      OperandSpec(
        "QUERY", .table, 1, 1, "a SELECT, the name of a table, or - to read it from stdin")
    ],
    options: [.data, .csv, .jsonl, .json, .output],
    examples: [
      Example("trawl sql trawl_trust", "what may be claimed of each list"),
      Example("trawl sql github_users -o users.csv", "a table, into a file"),
    ], exits: [.damaged, .cannotCreate, .paused])

  private static let search = CommandSpec(
    .search, "finds words in the records that are here",
    details: "Looks into the columns that the job files name under search. A word is found "
      + "anywhere in a text, inside other words too; several in quotes are looked for as they "
      + "stand.",
    operands: [OperandSpec("WORD", .word, 1, nil, "all of them must occur")],
    options: [.data, .job, .limit, .json],
    examples: [
      Example("trawl search swift language", "records with both words"),
      Example("trawl search swift --job github --json", "in one job's records, for a script"),
    ], exits: [.damaged])

  private static let favorite = CommandSpec(
    .favorite, "keeps a list of favourites, over every sync",
    details: "An id that is not stored yet is requested by the next run, where the job can ask "
      + "for single records. May be used while a run is at work.",
    actions: [
      ActionSpec(
        name: "add", purpose: "adds records to the favourites", operands: tableAndKeys, options: []),
      ActionSpec(
        name: "remove", purpose: "takes records from the favourites", operands: tableAndKeys,
        options: []),
      ActionSpec(
        name: "list", purpose: "lists the favourites",
        operands: [OperandSpec("JOB|TABLE", .jobOrTable, 0, 1, "only those of this job or table")],
        options: [.json]),
    ],
    options: [.data],
    examples: [
      Example("trawl favorite add github 583231", "by the API's own id"),
      Example("trawl favorite list", "all of them"),
    ], exits: [.damaged, .cannotCreate, .paused, .configuration])

  private static let tableAndKeys = [
    OperandSpec("JOB|TABLE", .jobOrTable, 1, 1, "the job, or one of its tables: github_users"),
    OperandSpec("KEY", .word, 1, nil, "the key of a record; one of several columns is a JSON list"),
  ]

  private static let media = CommandSpec(
    .media, "checks, cleans and finds the images",
    details:
      "verify sets a wrong file aside and downloads it again; it is accepted only with the same "
      + "digest. gc never removes what a live record or a favourite points to.",
    actions: [
      ActionSpec(
        name: "verify", purpose: "reads files again: each must be named by its SHA-256",
        operands: [], options: [.sample, .allowLoopback, .ca, .json]),
      ActionSpec(
        name: "gc", purpose: "removes files that no record points to", operands: [],
        options: [.grace, .dryRun, .json]),
      ActionSpec(
        name: "path", purpose: "prints the paths of a record's images",
        operands: [
          OperandSpec("TABLE", .table, 1, 1, "the table of the record"),
          OperandSpec(
            "KEY", .word, 1, 1, "the key of the record; one of several columns is a JSON list"),
        ], options: [.json]),
    ],
    options: [.data],
    examples: [
      Example("trawl media verify --sample 1/7", "a seventh of the files each day"),
      Example("trawl media path github_users 583231", "the file of one record"),
    ], exits: [.found, .damaged, .cannotCreate, .paused, .configuration])

  private static let key = CommandSpec(
    .key, "reads a job's key from the terminal, keeps it, and says where to get one",
    operands: [OperandSpec("JOB|FILE", .job, 1, 1, "the job that needs it")],
    options: [.endpoint, .data, .sameAccount],
    examples: [
      Example("trawl key github", "typing is hidden"),
      Example("trawl key github < token.txt", "from a file"),
    ], exits: [.cannotCreate, .secret, .configuration])

  private static let reset = CommandSpec(
    .reset, "forgets records, resume points, coverage or waits, after saying what",
    actions: [
      resetting("records", "deletes the records of the job and all that is known of them"),
      resetting("progress", "forgets how far walks got: the next run starts at page 1"),
      resetting("coverage", "forgets verdicts: the ranges count as missing"),
      resetting("waits", "ends the waits that the API asked for: the next run requests again"),
    ],
    options: [.data, .ledger, .stream, .set, .dryRun, .yes],
    examples: [
      Example("trawl reset progress github --dry-run", "what would be forgotten"),
      Example("trawl reset coverage github --stream profile", "of one stream"),
    ], exits: [.damaged, .paused, .configuration])

  private static func resetting(_ name: String, _ purpose: String) -> ActionSpec {
    ActionSpec(
      name: name, purpose: purpose, operands: [OperandSpec("JOB", .job, 1, 1, "the job")],
      options: [])
  }

  private static let backup = CommandSpec(
    .backup, "copies the database and the quotas into one file, and proves the copy",
    details: "Consistent while a run writes. The file gets its name when every row of the copy was "
      + "read again; until then it is FILE.partial, and what had the name stays.",
    operands: [
      OperandSpec("FILE", .file, 1, 1, "the file to write; an earlier backup is replaced")
    ],
    options: kept + [.media, .readers, .json],
    examples: [
      Example("trawl backup /backup/trawl.db --media", "database, quotas and pictures"),
      Example("trawl backup --readers /srv/readers.db", "for Grafana, Metabase, a network disk"),
    ], exits: [.found, .damaged, .cannotCreate, .paused])

  private static let restore = CommandSpec(
    .restore, "puts a backup in the place of the database, or where there is none",
    details:
      "Proves the backup first. Of each quota the higher count of uses wins, so that nothing "
      + "is spent twice.",
    operands: [
      OperandSpec("FILE", .file, 1, 1, "what trawl backup wrote, or another copy of a database")
    ],
    options: kept + [.media, .replace],
    examples: [
      Example("trawl restore /backup/trawl.db --media", "on a new machine"),
      Example("trawl restore /backup/trawl.db --replace", "beside the database that is there"),
    ], exits: [.found, .damaged, .cannotCreate, .paused])

  private static let path = CommandSpec(
    .path, "prints the path of the database",
    options: [.data],
    examples: [
      Example("sqlite3 \"$(trawl path)\"", "query what is here"),
      Example("trawl path --data ./here", "of another folder"),
    ], exits: [.damaged])

  private static let help = CommandSpec(
    .help, "shows the help of the program or of a command",
    operands: [OperandSpec("COMMAND", .command, 0, 1, "the command that it is about")],
    options: [],
    examples: [
      Example("trawl help", "what there is"),
      Example("trawl help run", "the same as trawl run --help"),
    ], exits: [])

  private static let version = CommandSpec(
    .version, "shows the version of Trawl and of the libraries it runs with",
    options: [],
    examples: [Example("trawl version", "the same as trawl --version and trawl -V")], exits: [])
}
