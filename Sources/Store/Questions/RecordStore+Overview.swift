public import Base

/// What a data folder holds of one job, for `trawl status`.
public struct JobOverview: Sendable, Equatable {
  public var job: String
  /// Where its rows came from.
  public var origin: String
  public var lists: [ListOverview] = []
  public var lastRun: StoredRun?
  /// Records and values that did not fit and are kept raw.
  public var rejects = 0
  /// Values that were requested and did not come; they are requested again.
  public var misses = 0
  /// Images that wait to be fetched and are due.
  public var imagesPending = 0
  /// Ranges of time that a backfill was asked for and has not reached.
  public var openGoals = 0
  /// When the first of the runs began that have not succeeded since the last success; pauses do not
  /// count.
  public var troubleSince: Instant?
  /// Where its file was, if it is found by no name.
  public var file: JobFileNote?
  /// When its last turn began: a run of all its lists that came to its end.
  public var lastTurn: Instant?

  /// Of a job that the folder does not know.
  public init(neverRan job: String, origin: String) { (self.job, self.origin) = (job, origin) }
}

/// One list: what `trawl_trust` says of it, and what that view does not tell.
public struct ListOverview: Sendable, Equatable {
  /// Identifies the list; its name in words may be another list's too.
  public var number: Int64
  public var stream: String
  /// As in `Unit.parameterText`.
  public var parameters: String
  public var table: String
  public var listName: String
  public var rows: Int
  public var verdict: String
  /// What shows it to be whole; only of a `complete` list.
  public var proof: String?
  /// Why it is `limited` or `incomplete`.
  public var cause: String?
  public var why: String
  public var asOf: Instant?
  /// When it was complete last; of windows, the one that has waited longest.
  public var completeAsOf: Instant?
  /// How often it was read to its end since, without a proof.
  public var readsSince: Int
  public var goesOnAt: Instant?
  /// The last end that was as the job declares, or an answer that the list is not there at all. Of
  /// a list that is read in windows it is how far the newest of them reaches: filling what is old
  /// makes nothing young.
  public var lastGoodEnd: Instant?
  /// How its rows are mapped: more than one where windows were filled at different times.
  public var mappings: Set<UInt64>
}

extension RecordStore {
  /// Every job of the folder, or one, in the order of names.
  public func overview(of job: String? = nil) throws(StoreError) -> [JobOverview] {
    let moment = now
    return try guarded { connection in
      // One moment for all questions: a run may go on beside us.
      try connection.snapshot {
        let jobs = try connection.rows(
          "SELECT job, origin, file, file_print FROM trawl_jobs WHERE ?1 IS NULL OR job = ?1 ORDER BY job",
          [SQLValue(job)]
        ) { row in
          let file = row.text(2).map { JobFileNote(path: $0, print: row.text(3) ?? "") }
          return (row.text(0) ?? "", row.text(1) ?? "", file)
        }
        let lists = try lists(of: job, connection)
        let rejects = try counts("trawl_rejects", "1", of: job, connection)
        let misses = try counts("trawl_due", "missed_run IS NOT NULL", of: job, connection)
        let images = try counts(
          "trawl_media_urls", "next_attempt_at <= \(SQLName.literal(moment.description))", of: job,
          connection)
        let goals = try counts("trawl_goals", "reached_at IS NULL", of: job, connection)
        return try jobs.map { name, origin, file in
          var overview = JobOverview(neverRan: name, origin: origin)
          overview.lists = lists[name] ?? []
          overview.lastRun = try lastRun(of: name, "", connection)
          overview.rejects = rejects[name] ?? 0
          overview.misses = misses[name] ?? 0
          overview.imagesPending = images[name] ?? 0
          overview.openGoals = goals[name] ?? 0
          overview.troubleSince = try connection.text(
            "SELECT min(began_at) FROM trawl_runs WHERE job = ?1 AND exit_code NOT IN (0, 75) "
              + "AND run > ifnull((SELECT max(run) FROM trawl_runs WHERE job = ?1 "
              + "AND exit_code = 0), 0)", [.text(name)]
          ).flatMap { Instant(stored: $0) }
          overview.file = file
          overview.lastTurn = try lastTurn(of: name, connection)
          return overview
        }
      }
    }
  }

  /// The last run of a job that ended with exit code 0.
  public func lastSuccess(of job: String) throws(StoreError) -> StoredRun? {
    try guarded { try lastRun(of: job, "AND exit_code = 0", $0) }
  }

  /// When the last run began that read all that the job names, as well as that went.
  public func lastTurn(of job: String) throws(StoreError) -> Instant? {
    try guarded { try lastTurn(of: job, $0) }
  }

  private func lastTurn(of job: String, _ connection: Connection) throws(SQLiteError) -> Instant? {
    try lastRun(of: job, Self.isTurn, connection)?.beganAt
  }

  private static let isTurn =
    "AND command = 'run' AND exit_code IN (0, 3) AND arguments NOT LIKE '%\"--s%'"

  private func lastRun(
    of job: String, _ condition: String, _ connection: Connection
  ) throws(SQLiteError) -> StoredRun? {
    try connection.row(
      "SELECT \(StoredRun.columns) FROM trawl_runs WHERE job = ? \(condition) "
        + "ORDER BY run DESC LIMIT 1", [.text(job)], StoredRun.init)
  }

  /// By job; of all jobs where none is named: most have none.
  private func counts(
    _ table: String, _ condition: String, of job: String?, _ connection: Connection
  ) throws(SQLiteError) -> [String: Int] {
    let found = try connection.rows(
      "SELECT job, count(*) FROM \(table) WHERE \(condition)\(job == nil ? "" : " AND job = ?") "
        + "GROUP BY job", job.map { [.text($0)] } ?? []
    ) { ($0.text(0) ?? "", $0.int(1)) }
    // In a damaged file two names may be one as text.
    return Dictionary(found, uniquingKeysWith: +)
  }

  /// By job; of all jobs where none is named. `trawl_trust` ranks all lists whichever is asked for, so it is asked
  /// once, and not for each job.
  private func lists(
    of job: String?, _ connection: Connection
  ) throws(SQLiteError) -> [String: [ListOverview]] {
    let newest = "SELECT max(certificate) FROM trawl_certificates x WHERE x.window = u.window"
    let prints = try connection.rows(
      "SELECT l.list_number, c.mapping_print FROM trawl_lists l JOIN trawl_windows u USING "
        + "(list_number) "
        + "JOIN trawl_certificates c ON c.certificate = (\(newest)) WHERE ?1 IS NULL OR l.job = ?1",
      [SQLValue(job)]
    ) { ($0.integer(0), UInt64(bitPattern: $0.integer(1))) }
    let mappings = Dictionary(grouping: prints, by: \.0)
    let good =
      "SELECT max(c.issued_at) FROM trawl_certificates c JOIN trawl_windows u USING (window) "
      + "WHERE u.list_number = l.list_number AND (c.is_as_declared OR c.verdict = 'absent') "
      + "AND c.standing <> 'other request'"
    let since =
      "SELECT c.unproven_reads FROM trawl_certificates c JOIN trawl_windows u USING (window) "
      + "WHERE u.list_number = l.list_number AND u.window_from = '' "
      + "ORDER BY c.certificate DESC LIMIT 1"
    // What another request covered tells nothing of what is asked now.
    let covered =
      "SELECT max(v.covered_to) FROM trawl_coverage v WHERE v.list_number = l.list_number AND "
      + "v.request_print = "
      + "(SELECT c.request_print FROM trawl_certificates c JOIN trawl_windows u USING (window) "
      + "WHERE u.list_number = l.list_number ORDER BY c.certificate DESC LIMIT 1)"
    let lists = try connection.rows(
      "SELECT l.list_number, l.stream, l.table_name, l.list, l.rows, t.verdict, t.why, t.as_of, "
        + "t.resumes_at, ifnull((\(covered)), (\(good))), l.parameters, t.proof, t.cause, "
        + "t.complete_as_of, (\(since)), l.job "
        + "FROM trawl_lists l LEFT JOIN trawl_trust t USING (list_number) "
        + "WHERE ?1 IS NULL OR l.job = ?1 ORDER BY l.list_number", [SQLValue(job)]
    ) { row in
      let list = row.integer(0)
      let overview = ListOverview(
        number: list, stream: row.text(1) ?? "", parameters: row.text(10) ?? "",
        table: row.text(2) ?? "",
        listName: row.text(3) ?? "",
        rows: row.int(4), verdict: row.text(5) ?? "unfinished", proof: row.text(11),
        cause: row.text(12), why: row.text(6) ?? "",
        asOf: row.text(7).flatMap { Instant(stored: $0) },
        completeAsOf: row.text(13).flatMap { Instant(stored: $0) },
        readsSince: row.int(14), goesOnAt: row.text(8).flatMap { Instant(stored: $0) },
        lastGoodEnd: row.text(9).flatMap { Instant(stored: $0) },
        mappings: Set(mappings[list, default: []].map(\.1)))
      return (job: row.text(15) ?? "", overview: overview)
    }
    return Dictionary(grouping: lists, by: \.job).mapValues { $0.map(\.overview) }
  }

  /// The unit that a list's stored parameters name, without a window.
  public static func unit(of list: ListOverview) -> Unit {
    Unit(stream: list.stream, values: values(list.parameters))
  }

}
