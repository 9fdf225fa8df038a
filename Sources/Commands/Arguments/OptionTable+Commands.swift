extension OptionTable {
  static let commands: [CommandSpec] = [
    run, backfill, status, report, sql, search, why, mcp, path, check, prove, new, attempt, key,
    favorite, media, backup, restore, forget, reset, help, version,
  ]

  private static let asking: [OptionName] = [
    .endpoint, .set, .stream, .allowLoopback, .sendKeyTo, .ca,
  ]
  private static let walking: [OptionName] = [
    .maxWait, .maxRequests, .maxTime, .until, .maxWAL, .wait, .claimWait, .images, .dryRun,
    .retryRejects,
    .refill, .acceptVanish, .acceptEmpty, .moved, .record, .replay, .metricsFile, .keep,
  ]
  private static let told: [OptionName] = [.json, .quiet, .verbose]
  private static let kept: [OptionName] = [.data, .ledger]
  private static let walkExits: [ExitStatus] = [
    .failed, .less, .damaged, .unreachable, .cannotCreate, .paused, .secret, .configuration,
  ]

  private static let run = CommandSpec(
    name: .run, purpose: "reads the lists of a job to their end and stores them",
    details:
      "Resumes where an earlier run stopped. Several jobs run in parallel; the worst outcome "
      + "is the exit code.",
    operands: [OperandSpec("JOB|FILE", .job, 1, nil, "a job's name, or the path of a job file")],
    options: kept + asking + walking + [.ifDue] + told,
    examples: [
      ("trawl run github --set user=octocat", "one user's profile and lists"),
      ("trawl run ./my-job.json5 --dry-run", "what a job of your own would request, and its cost"),
    ], exits: walkExits)

  private static let backfill = CommandSpec(
    name: .backfill, purpose: "reads a range of time, newest first",
    details: "The range is stored as a goal. Without dates the command resumes open goals. What is "
      + "covered already costs no request.",
    operands: [OperandSpec("JOB|FILE", .job, 1, 1, "a job's name, or the path of a job file")],
    options: [.from, .to, .again] + kept + asking + walking + told,
    examples: [
      ("trawl backfill JOB --from 2024 --to 2024-06", "half a year, newest first"),
      ("trawl backfill JOB --from 2024 --prove", "also read again what has no proof"),
      ("trawl backfill JOB --max-requests 90", "resume open goals, with at most 90 requests"),
    ], exits: walkExits)

  private static let status = CommandSpec(
    name: .status, purpose: "shows all jobs, worst first, or all about some of them",
    details:
      "For a job it shows parameters and defaults, each list with its verdict, coverage, quotas "
      + "and the API's terms. --json always has everything. \"trawl jobs\" is the same command.",
    operands: [OperandSpec("JOB", .job, 0, nil, "shows all about these jobs")],
    options: kept + [.maxAge, .alert, .json],
    examples: [
      ("trawl status", "all jobs, also those that have not run yet"),
      ("trawl status github", "one job: parameters, lists, coverage, quotas, terms"),
      ("trawl status github --max-age 2h", "for monitoring: exits with 4 when it is late"),
    ], exits: [.found, .damaged, .configuration], also: ["jobs"])

  private static let new = CommandSpec(
    name: .new, purpose: "drafts a job file from the URL of a list, or an API description",
    details:
      "From a URL: sends ten requests at most, asks first, and says what each is for. Finds records, "
      + "key, types, nested lists, images, total, paging and limits, and writes a commented job file, whose "
      + "own first two requests it sends and compares; exits with 3 where they differ, or the list may be longer than "
      + "page 1 and no way to page 2 was found. A "
      + "secret goes to -H or the URL, as {key} or itself, never into the file. From an OpenAPI 3 "
      + "description in JSON: drafts the paths that list, or --path alone; exits with 3 if something is "
      + "left out. What is YAML, and Airbyte manifests, is for trawl-translate(1).",
    operands: [
      OperandSpec(
        "URL|FILE", .file, 1, 1,
        "the URL of a list, with a page size if it takes one; or an OpenAPI description"
      )
    ],
    options: kept + [.path, .header, .post, .key, .output, .into, .short, .ca, .yes],
    variants: [
      OptionSpec(.output, short: "o", takes: "FILE", .file, "writes the draft to this file")
    ],
    examples: [
      ("trawl new 'https://api.example/v1/things?limit=5'", "writes things.json5 or so"),
      (
        "trawl new https://api.example/v1/things -H \"X-Api-Key:{key}\"",
        "asks for the key, unseen"
      ),
      (
        "trawl new 'https://api.example/v1/things?limit=5' --short",
        "ten lines: every member of a record becomes a column"
      ),
      (
        "trawl new https://api.example/v1/query --post '{}'",
        "a list that is asked by POST"
      ),
      ("trawl new openapi.json --path /things", "one list of a description"),
    ], exits: [.failed, .less, .unreachable, .cannotCreate, .paused, .secret])

  private static let check = CommandSpec(
    name: .check, purpose: "checks a job file and page 1 of each stream, or the machine",
    details:
      "Sends the first request of each stream, and one for a window, and shows what the job reads of "
      + "the answer and what it leaves. The requests count in the data folder's ledger, if there is one. Nothing is stored. "
      + "trawl try shows the rows.",
    operands: [OperandSpec("JOB|FILE", .job, 0, nil, "a job's name, or the path of a job file")],
    options: kept + [.endpoint, .set, .sendKeyTo, .ca, .show, .offline, .json],
    examples: [
      ("trawl check", "the machine: SQLite, folders, free space, clock, timers"),
      ("trawl check ./my-job.json5 --offline", "without requests, for a build server"),
      ("trawl check github --print", "the job file as Trawl reads it"),
    ], exits: [.found, .damaged, .unreachable, .secret, .configuration])

  private static let attempt = CommandSpec(
    name: .attempt, purpose: "shows one page as it would be stored; stores nothing",
    details:
      "Also shows rejects, and fields of the answer that no column reads. The requests count in "
      + "the data folder's ledger, if there is one.",
    operands: [OperandSpec("FILE", .job, 1, 1, "the path of a job file, or a job's name")],
    options: kept + asking + [.replay, .json],
    examples: [
      ("trawl try ./my-job.json5", "the first page of each stream"),
      ("trawl try ./my-job.json5 --stream users", "one stream only"),
    ], exits: [.failed, .less, .unreachable, .paused, .secret, .configuration])

  private static let prove = CommandSpec(
    name: .prove, purpose: "derives every verdict again from the stored answers",
    details: "Reads every row and every page, trusts no stored count, and names each row that has "
      + "changed since it was stored. Changes nothing; safe during a run.",
    operands: [OperandSpec("JOB", .job, 0, nil, "only these jobs")],
    options: [.data, .stream, .cite, .json],
    examples: [
      ("trawl prove github", "exits with 4 when a claim does not hold"),
      ("trawl prove github --cite", "for each list a line to put under a chart"),
    ], exits: [.found, .damaged, .configuration])

  private static let report = CommandSpec(
    name: .report, purpose: "shows the report of a run",
    operands: [OperandSpec("JOB|RUN", .jobOrRun, 0, 1, "the last run of a job, or one run")],
    options: [.data, .html, .open, .json, .explain, .changes, .since, .limit],
    examples: [
      ("trawl report github", "the last run as text"),
      ("trawl report github --explain", "why it did what it did"),
      ("trawl report github --changes --since 1d", "what is new, changed and gone since"),
      ("trawl report --open", "the page of all jobs, in a browser"),
    ], exits: [.damaged])

  private static let sql = CommandSpec(
    name: .sql, purpose: "shows the rows of a query or a table; read-only",
    details:
      "Prints a box on a terminal, CSV in a pipe. A table's name alone shows the whole table. "
      + "Statements that write, attach a file or set a pragma are refused. A blob is printed as "
      + "hexadecimal digits. --changes TABLE is for programs that keep a copy: each record that "
      + "came, changed, went or came back behind a cursor, once. trawl_op says put or gone; all in "
      + "the first row means that all records follow, for a new copy (exit code 4 where a cursor "
      + "was named); end in the last row means that none is missing, with the next cursor in "
      + "trawl_cursor.",
    operands: [
      OperandSpec(
        "QUERY", .table, 0, 1,
        "a SELECT, the name of a table, or - to read it from stdin; without it the tables are listed"
      )
    ],
    options: [.data, .csv, .jsonl, .json, .output, .changes, .after],
    variants: [
      OptionSpec(.json, "writes all rows as one JSON list"),
      OptionSpec(.changes, "shows what became of the records of a table, for programs"),
    ],
    examples: [
      ("trawl sql trawl_trust", "what may be claimed of each list"),
      ("trawl sql github_users -o users.csv", "a table, into a file"),
      ("trawl sql --changes github_users --jsonl", "all records, and a cursor"),
    ], exits: [.found, .damaged, .cannotCreate, .paused])

  private static let search = CommandSpec(
    name: .search, purpose: "finds words in stored records",
    details:
      "Searches the columns that job files name under search. A word is also found inside other "
      + "words; a phrase in quotes is found as it is.",
    operands: [OperandSpec("WORD", .word, 1, nil, "words that must all occur")],
    options: [.data, .job, .limit, .json],
    variants: [
      OptionSpec(
        .limit, takes: "N", .count(minimum: 1), default: .value("20"), "shows at most N records")
    ],
    examples: [
      ("trawl search swift language", "records with both words"),
      ("trawl search swift --job github --json", "in one job's records, for a script"),
    ], exits: [.damaged])

  private static let why = CommandSpec(
    name: .why, purpose: "shows what a row rests on, or why it is not there",
    details:
      "Names the run, the request and the place that gave each value, since when it is so, what it was "
      + "before, and the verdict of each list that has the record. Of a record that is not there: which rule "
      + "dropped or rejected it, or which complete list did not have it (exit code 4).",
    operands: [
      OperandSpec("TABLE", .table, 1, 1, "the table of the record"),
      OperandSpec("KEY", .word, 1, 1, "its key; one of several columns is a JSON list"),
      OperandSpec("COLUMN", .word, 0, 1, "only this value"),
    ],
    options: [.data, .json],
    examples: [
      ("trawl why github_users 583231", "a record, and all its values"),
      ("trawl why github_users 583231 login --json", "one value, for a program"),
    ], exits: [.found, .damaged])

  private static let mcp = CommandSpec(
    name: .mcp, purpose: "answers an agent over stdin and stdout (Model Context Protocol)",
    details:
      "For programs that ask in a person's place: an MCP client starts it. Reads only, requests nothing from an "
      + "API, and gives each answer with the verdicts of the lists that it rests on. Tools: lists, describe, query, "
      + "search, changes, why, status.",
    options: kept,
    examples: [
      ("trawl mcp", "what a client runs: command trawl, argument mcp"),
      ("trawl mcp --data /var/lib/trawl", "over the system's database"),
    ], exits: [.damaged, .configuration])

  private static let favorite = CommandSpec(
    name: .favorite, purpose: "keeps a list of favorites across syncs",
    details: "The next run requests an id that is not stored yet, if the job can request single "
      + "records. Safe during a run.",
    actions: [
      ActionSpec(
        name: "add", purpose: "adds records to the favorites", operands: tableAndKeys, options: []),
      ActionSpec(
        name: "remove", purpose: "removes records from the favorites", operands: tableAndKeys,
        options: []),
      ActionSpec(
        name: "list", purpose: "lists the favorites",
        operands: [OperandSpec("JOB|TABLE", .jobOrTable, 0, 1, "only those of this job or table")],
        options: [.json]),
    ],
    options: [.data],
    examples: [
      ("trawl favorite add github 583231", "by the API's own id"),
      ("trawl favorite list", "all of them"),
    ], exits: [.damaged, .cannotCreate, .paused, .configuration])

  private static let tableAndKeys = [
    OperandSpec("JOB|TABLE", .jobOrTable, 1, 1, "the job, or one of its tables: github_users"),
    OperandSpec("KEY", .word, 1, nil, "the key of a record; one of several columns is a JSON list"),
  ]

  private static let media = CommandSpec(
    name: .media, purpose: "checks, cleans and finds images",
    details:
      "verify sets a wrong file aside and downloads it again; only the same digest is accepted. gc "
      + "never removes an image of a live record or a favorite.",
    actions: [
      ActionSpec(
        name: "verify", purpose: "reads files again; each name must be its SHA-256",
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
    variants: [OptionSpec(.dryRun, "shows what would be removed; removes nothing")],
    examples: [
      ("trawl media verify --sample 1/7", "a seventh of the files each day"),
      ("trawl media path github_users 583231", "the file of one record"),
    ], exits: [.found, .damaged, .cannotCreate, .paused, .configuration])

  private static let key = CommandSpec(
    name: .key, purpose: "stores a job's key, typed unseen, or logs in to its API",
    details:
      "Says where to get a key. A job with a login (token.login) sends a person to a page: with a code to be "
      + "entered there, or a browser that comes back to 127.0.0.1. What comes of it is stored once all is there.",
    operands: [OperandSpec("JOB|FILE", .job, 1, 1, "the job that needs it")],
    options: [.endpoint, .data, .sameAccount, .noBrowser, .ca],
    examples: [
      ("trawl key github", "typing is hidden"),
      ("trawl key github < token.txt", "from a file"),
      ("trawl key ./shop.json5 --no-browser", "logs in, over ssh"),
    ], exits: [.unreachable, .cannotCreate, .paused, .secret, .configuration])

  private static let forget = CommandSpec(
    name: .forget, purpose: "forgets single records, so that no byte of them is left",
    details:
      "Takes a record with its history, places in lists, rejects, favorites and pictures that no other record shows out "
      + "of database, reports and feeds, in one transaction, and writes the database anew. What is left is a digest "
      + "of its key: proofs hold, and no run brings it back. Copies that hold it are named and not touched. Safe "
      + "during a run. Without words it ends what an earlier one had to leave, while something read the database.",
    operands: [
      OperandSpec("JOB|TABLE", .jobOrTable, 0, 1, "the job, or one of its tables: github_users"),
      OperandSpec(
        "KEY", .word, 0, nil, "the key of a record; one of several columns is a JSON list"),
    ],
    options: [.data, .dryRun, .undo],
    variants: [OptionSpec(.dryRun, "shows what would be forgotten; changes nothing")],
    examples: [
      ("trawl forget github_users 583231 --dry-run", "what would go, and which copies hold it"),
      ("trawl forget github_users 583231", "one record, for good"),
      ("trawl forget --undo github_users 583231", "lets the next run store it again"),
    ], exits: [.found, .damaged, .cannotWrite, .paused, .configuration])

  private static let reset = CommandSpec(
    name: .reset, purpose: "forgets records, progress, coverage or waits; says what first",
    actions: [
      resetting("records", "deletes the records of the job and their history"),
      resetting("progress", "forgets where lists stopped: the next run starts at page 1"),
      resetting("coverage", "forgets verdicts: all ranges count as missing"),
      resetting(
        "waits", "ends the waits of the API and of images: the next run sends requests"),
    ],
    options: [.data, .ledger, .stream, .set, .dryRun, .yes],
    variants: [
      OptionSpec(.stream, takes: "NAME", .stream, isRepeatable: true, "only of this stream"),
      OptionSpec(
        .set, takes: "KEY=VALUE", .setting, isRepeatable: true, "only of lists with this value"),
      OptionSpec(.dryRun, "shows what would be forgotten; changes nothing"),
    ],
    examples: [
      ("trawl reset progress github --dry-run", "what would be forgotten"),
      ("trawl reset coverage github --stream profile", "of one stream"),
    ], exits: [.damaged, .paused, .configuration])

  private static func resetting(_ name: String, _ purpose: String) -> ActionSpec {
    ActionSpec(
      name: name, purpose: purpose, operands: [OperandSpec("JOB", .job, 1, 1, "the job")],
      options: [])
  }

  private static let backup = CommandSpec(
    name: .backup, purpose: "copies database and quotas into one file and proves the copy",
    details:
      "Consistent while a run writes. The copy is FILE.partial until every row was read again; "
      + "only then it replaces FILE.",
    operands: [
      OperandSpec("FILE", .file, 1, 1, "the file to write; an earlier backup is replaced")
    ],
    options: kept + [.media, .readers, .json],
    examples: [
      ("trawl backup /backup/trawl.db --media", "database, quotas and pictures"),
      ("trawl backup --readers /srv/readers.db", "for Metabase, Datasette, a network disk"),
    ], exits: [.found, .damaged, .cannotCreate, .paused])

  private static let restore = CommandSpec(
    name: .restore, purpose: "puts a backup in the place of the database",
    details:
      "Proves the backup first. For each quota the larger count of uses is kept.",
    operands: [
      OperandSpec("FILE", .file, 1, 1, "a file of trawl backup, or another copy of a database")
    ],
    options: kept + [.media, .replace],
    examples: [
      ("trawl restore /backup/trawl.db --media", "on a new machine"),
      ("trawl restore /backup/trawl.db --replace", "sets the present database aside"),
    ], exits: [.found, .damaged, .cannotCreate, .paused])

  private static let path = CommandSpec(
    name: .path, purpose: "prints the path of the database",
    options: [.data],
    examples: [
      ("sqlite3 \"$(trawl path)\"", "query the database"),
      ("trawl path --data ./here", "of another folder"),
    ], exits: [.damaged])

  private static let help = CommandSpec(
    name: .help, purpose: "shows the help of the program, of a command, or of job files",
    operands: [
      OperandSpec(
        "COMMAND|job", .command, 0, 1,
        "the command that it is about; job: how a job file is written")
    ],
    options: [],
    examples: [
      ("trawl help", "all commands"),
      ("trawl help run", "the same as trawl run --help"),
      ("trawl help job", "the language of job files, on two pages"),
    ], exits: [])

  private static let version = CommandSpec(
    name: .version, purpose: "shows the versions of Trawl and its libraries",
    options: [],
    examples: [("trawl version", "the same as trawl --version and trawl -V")], exits: [])
}
