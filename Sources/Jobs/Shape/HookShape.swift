/// The keys of programs and of what follows a run: only with `use`, since whole jobs may be passed on.
enum HookShape {
  private static let command = Shape.list(.scalar(.line(mayBeEmpty: true)), count: 1...50)

  static let keys = [
    KeyShape(
      "secrets", .map(key: .secretName, command, count: 0...20),
      without: "files and variables have them",
      "programs with their words that print a secret of the job, by its name: `{ \"shop\": [\"pass\", \"show\", \"shop\"] }`"
    ),
    KeyShape(
      "ping", .either([.text(.page), command]), without: "no ping",
      "requested after each run with exit code 0 or 75, so that another machine notices when it falls"
        + " silent: an address that is requested, or a program with its words"),
    KeyShape(
      "after", command, without: "no program",
      "a program with its words, run behind each run; `TRAWL_JOB`, `TRAWL_RUN`, `TRAWL_EXIT_CODE`,"
        + " `TRAWL_OUTCOME`, `TRAWL_VERDICTS`, `TRAWL_NEEDS_PERSON`, `TRAWL_REPORT` and"
        + " `TRAWL_REPORT_JSON` tell it of the run"),
    KeyShape(
      "watch", .map(key: .jobName, .object(watch), count: 0...20),
      "queries whose new and changed rows are reported after each run: in the report, in the Atom file"
        + " `feeds/JOB/NAME.atom` of the data folder, and to a program"),
  ]

  private static let watch = ObjectShape(
    "Watch",
    "A query whose new and changed rows are reported. The first run only learns what is there.",
    [
      KeyShape("sql", .text(.line(mayBeEmpty: false)), isRequired: true, "a query that only reads"),
      KeyShape(
        "key", .oneOrList(.text(.line(mayBeEmpty: false)), count: 1...8),
        without: "the first column",
        "the columns that identify a row; another value in the others makes it changed"),
      KeyShape(
        "send", command, without: "no program",
        "a program with its words that gets the rows as JSON lines; what it did not take comes again"
          + " with the next run"),
      KeyShape("within", .text(.duration), without: "30s", "how long query and program may take"),
    ])
}
