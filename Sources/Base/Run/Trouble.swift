/// What can be wrong with a job or one of its lists. The table below alone says whether it heals by itself, when it is
/// reported, and what ends it; the table in systemd/README.md is generated from it.
public enum Trouble: String, Sendable, CaseIterable {
  case bug, service, damaged, folder, key, noAuth, address, jobFile, clock, noRoom, atLimit, noFiles
  case watch, hook, withheld, misfit, emptied
  case host, pause, failed, absent, count, together, moved, empty, shorter, rejects, unread
  case ambiguous, cap, pictures, cutOff, silent

  struct Row: Sendable {
    /// The description in the operator's table.
    var what: String
    /// Reported at once, since it needs a person; otherwise when the list is too old.
    var isUrgent = false
    /// Only an edit of the job file ends it, and that can wait.
    var isOfJobFile = false
    /// It concerns the data folder or the machine: one alert for all jobs.
    var isOfAll = false
    /// The sentence until it is old. `{lists}`, `{it}`, `{was}`, `{has}`, `{when}`, `{job}`, `{rows}` are filled in.
    var soon: String?
    /// What to do; a command follows.
    var late: String
    /// `{job}`, `{run}`, `{rows}` are filled in.
    var command: String?
  }

  /// Reported at once, then once a day until it is fixed.
  var isUrgent: Bool { row.isUrgent }
  public var isOfAll: Bool { row.isOfAll }
  public var isOfJobFile: Bool { row.isOfJobFile }

  /// What is here is right, but less or older than it should be.
  public var isOfLessList: Bool {
    switch self {
    case .withheld, .emptied, .count, .together, .moved, .empty, .shorter, .rejects, .unread,
      .ambiguous, .cap, .pictures, .silent:
      true
    case .bug, .service, .damaged, .folder, .key, .noAuth, .address, .jobFile, .clock, .noRoom,
      .atLimit, .noFiles, .watch, .hook, .misfit, .host, .pause, .failed, .absent, .cutOff:
      false
    }
  }

  var row: Row {
    switch self {
    case .bug:
      Row(
        what: "a bug", isUrgent: true,
        late: "This is a bug in Trawl; please report it, with",
        command: "trawl report {job} --json")
    case .service:
      Row(
        what:
          "a service that cannot start (its options, the keys folder, the user, the program), or that crashed",
        isUrgent: true,
        late:
          "Its service cannot start a run (its options, the keys folder, the user, the program), or the run "
          + "crashed; to see which", command: "systemctl status trawl@{job}")
    case .damaged:
      Row(
        what: "a database or ledger that cannot be used", isUrgent: true, isOfAll: true,
        late:
          "The database or the ledger cannot be used (a damaged ledger.db has to be moved away, and a new "
          + "one is begun); to see what still holds in the database",
        command: "trawl prove {job}")
    case .folder:
      Row(
        what: "a disk or folder that is full, or not ours to write", isUrgent: true, isOfAll: true,
        late: "A file could not be written or read; when there is room and permission to do so",
        command: "trawl {run} {job}")
    case .key:
      Row(
        what: "a key that is missing, refused or expired", isUrgent: true,
        late: "A key is missing or refused; to store another one", command: "trawl key {job}")
    case .noAuth:
      Row(
        what: "an API that wants a key which the job file does not declare", isUrgent: true,
        late:
          "The API wants a key, and the job file does not say how one is sent (auth); to see what it answers",
        command: "trawl check {job}")
    case .address:
      Row(
        what: "a job file whose API is at another address than its rows are from", isUrgent: true,
        late:
          "The job file has another address than its rows are from; if it is the same API, once",
        command: "trawl run {job} --moved")
    case .jobFile:
      Row(
        what: "a job file, a setting or the API's address that cannot be used", isUrgent: true,
        late: "The job file or a setting is wrong; to see the place", command: "trawl check {job}")
    case .clock:
      Row(
        what: "a clock that is wrong in two runs an hour apart", isUrgent: true, isOfAll: true,
        late: "Set this machine's clock; the same command resumes then",
        command: "trawl {run} {job}")
    case .noRoom:
      Row(
        what: "no room for pictures", isUrgent: true, isOfAll: true,
        late:
          "Pictures are left out until there is room on the disk; to remove those that no record needs",
        command: "trawl media gc")
    case .atLimit:
      Row(
        what: "a job's limit for all pictures of the folder reached (`media.limit`)",
        isUrgent: true,
        late:
          "All pictures of the folder together, those of other jobs too, reach the limit of this job, and no more are "
          + "fetched: raise media.limit in the job file, or remove those that no record needs",
        command: "trawl media gc")
    case .noFiles:
      Row(
        what: "most of the picture files missing", isUrgent: true, isOfAll: true,
        late:
          "Most picture files are missing, and none is fetched: is the disk of media mounted? If they are "
          + "gone, this downloads them again", command: "trawl media verify")
    case .watch:
      Row(
        what: "a watched query, or the program that gets its rows, that fails", isUrgent: true,
        late: "A watch of the settings needs mending; to see what is wrong",
        command: "trawl report {job}")
    case .hook:
      Row(
        what: "a program that runs after each run (`after`) and fails", isUrgent: true,
        late: "The program that your settings run after each run (`after`) failed; once it works",
        command: "trawl {run} {job}")
    case .withheld:
      Row(
        what: "so many that leave at once that none is marked", isUrgent: true,
        late: "{lists}: {rows} rows look gone, too many to be marked by themselves; if they are",
        command: "trawl run {job} --accept-vanish {rows}")
    case .misfit:
      Row(
        what: "three pages without a record that has the key of the job file", isUrgent: true,
        late: "{lists}: no record fits the job file; to mend the key and the columns",
        command: "trawl check {job}")
    case .emptied:
      Row(
        what: "columns that were filled and came empty", isUrgent: true,
        late:
          "{lists}: columns that were filled came empty, and keep what they hold (if they are empty: "
          + "trawl run {job} --accept-empty COLUMN); to see what comes in their place",
        command: "trawl try {job}")
    case .host:
      Row(
        what: "the host is down",
        soon: "The same command resumes where this one stopped, when the host is back.",
        late:
          "The API does not answer, or not every request; if it has moved, change \"base\" in the job file; "
          + "to see what it answers", command: "trawl check {job}")
    case .pause:
      Row(
        what: "a limit, a spent quota (429)",
        soon: "The same command resumes where this one stopped.",
        late: "{lists} {was} paused before the end, and {has} not come through since; to see why",
        command: "trawl report {job} --explain")
    case .failed:
      Row(
        what:
          "answers that fail or cannot be read (400, 403, 5xx, HTML, an expired cursor), of one list or "
          + "some details", soon: "{lists} failed: asked again {when}.",
        late: "{lists} failed; to see why, and what page 1 answers now",
        command: "trawl check {job}")
    case .absent:
      Row(
        what: "a list that was there and is not found (404)",
        soon: "{lists} {was} not found: requested again {when}.",
        late:
          "{lists} {was} there once and cannot be found; where it was renamed, the job file or --set "
          + "names it; to see what is requested", command: "trawl check {job}")
    case .count:
      Row(
        what: "a list whose number of records differs from the API's count",
        soon:
          "{lists} had a different number of records than the API counts: the next run reads {it} again.",
        late:
          "{lists} had a different number of records than the API counts each time. If records are missing, look at "
          + "pages; a total that counts otherwise is no proof (none); to see both",
        command: "trawl try {job}")
    case .together:
      Row(
        what: "records that were together and did not come",
        soon: "{lists}: records that were together did not come ({rows}); the next walks decide.",
        late: "{lists}: records that were together have not come since ({rows}); if they are gone",
        command: "trawl run {job} --accept-vanish {rows}")
    case .moved:
      Row(
        what: "a list that changes or is reordered in each walk, or whose pages share records",
        soon:
          "{lists} changed during the walk, or pages share records: the next run reads {it} again. If that goes on, "
          + "the job file may page {it} in another way than the API does (pages).",
        late:
          "{lists} changed or {was} reordered in each walk, or pages share records. An order that holds proves "
          + "a list that changes, unless its pages are numbered (order); to see what came",
        command: "trawl report {job} --explain")
    case .empty:
      Row(
        what: "nothing where records were",
        soon:
          "{lists} came empty, with no content, or far shorter than the parent's column says (expect), which "
          + "is not believed at once: the next run reads {it} again.",
        late:
          "{lists} came empty, with no content, or far shorter each time than the parent's column says: where "
          + "that counts otherwise, take expect away; if nothing is left",
        command: "trawl run {job} --accept-vanish {rows}")
    case .shorter:
      Row(
        what:
          "a list that is cut, or has lost what proved it (a total, its last page, the size of its pages)",
        soon:
          "{lists} {was} read to the end, shorter or with less to prove {it} than before: the next run "
          + "reads {it} again.",
        late:
          "{lists} came shorter, or with less to prove {it} (a total, the last page, the size of pages), "
          + "than before; to see what the API answers now", command: "trawl try {job}")
    case .rejects:
      Row(
        what: "records that do not fit the job file", isOfJobFile: true,
        soon: "{lists} {was} not read whole: records did not fit the job file.",
        late:
          "{lists}: records did not fit and are kept (SELECT * FROM trawl_rejects); after mending the "
          + "job file", command: "trawl run {job} --retry-rejects")
    case .unread:
      Row(
        what:
          "the same page for each number, or answers that say more than the job reads or report an error",
        isOfJobFile: true,
        soon:
          "{lists}: the API ignores what is sent, or its answers say more than the job file reads, or report an error, "
          + "which may pass. Only a sign that says nothing of the list belongs in unread: [\"…\"]; to see which: trawl "
          + "check {job}",
        late:
          "{lists}: the API still ignores what is sent, or its answers say more than the job file reads, or report an "
          + "error; only a sign that says nothing of the list belongs in unread: [\"…\"]; to see which",
        command: "trawl check {job}")
    case .ambiguous:
      Row(
        what: "one key for different records", isOfJobFile: true,
        soon:
          "{lists}: one key is that of different records, or the API ignores what is sent and gives the same ones "
          + "each time; to see which: trawl check {job}",
        late:
          "{lists}: one key is that of different records, or the API ignores what is sent and gives the same ones "
          + "each time; to see which",
        command: "trawl check {job}")
    case .cap:
      Row(
        what: "an end where the API cuts, and the job does not say so (cap)", isOfJobFile: true,
        soon:
          "{lists}: the API returns no more of one list; narrower values of --set, or a range of time, "
          + "return the rest.",
        late:
          "{lists}: the API returns no more of one list; narrower values of --set or a range of time "
          + "return the rest, and cap: \"N expected: WHY\" in the job file says that it is known; to see it",
        command: "trawl check {job}")
    case .pictures:
      Row(
        what: "pictures that do not come", soon: "Pictures that did not come are asked for again.",
        late: "Most pictures, or all new ones, have not come for nights; to see why",
        command: "trawl status {job}")
    case .cutOff:
      Row(
        what: "a run that hung, was killed or ran out of time or memory",
        soon: "The same command resumes where this one stopped.",
        late: "The last run was cut off, and none has come through since; to see what it did",
        command: "trawl report {job} --explain")
    case .silent:
      Row(
        what: "no run that comes to its end: its timer may be off",
        soon: "{lists} {has} not been read for longer than usual.",
        late: "{lists} {has} not come through for longer than usual; to see what the last run did",
        command: "trawl report {job} --explain")
    }
  }

  /// A text with its placeholders filled in; those without a value stay.
  static func filled(_ text: String, _ value: (String) -> String?) -> String {
    let parts = text.split(separator: "{", omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(String(parts.first ?? "")) { filled, part in
      let halves = part.split(separator: "}", maxSplits: 1, omittingEmptySubsequences: false)
      guard halves.count == 2, let value = value(String(halves[0])) else {
        return filled + "{" + part
      }
      return filled + value + halves[1]
    }
  }

  /// The operator's table, in Markdown.
  public static var table: String {
    let rows = allCases.map { trouble in
      let row = trouble.row
      let end = row.command.map { command in
        "`" + filled(command) { ["job": "JOB", "run": "run", "rows": "N"][$0] } + "`"
      }
      let reported =
        row.isUrgent ? "at once, then once a day" : "when the list's age passes its limit"
      let heals = row.isUrgent || row.isOfJobFile ? "no" : "yes"
      return "| \(row.what) | \(heals) | \(reported) | \(end ?? "") |"
    }
    return
      ([
        "| what | heals by itself | reported | where to look, or what ends it |",
        "|---|---|---|---|",
      ]
      + rows).joined(separator: "\n") + "\n"
  }
}
