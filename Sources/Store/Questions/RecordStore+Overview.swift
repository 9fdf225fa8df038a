public import Base

/// What a data folder knows about one job, for `trawl status`.
public struct JobOverview: Sendable, Equatable {
  public var job: String
  /// Where its rows came from.
  public var origin: String
  public var lists: [ListOverview] = []
  /// Rows of all its tables of records, each counted once, however many lists have it.
  public var rows = 0
  public var lastRun: StoredRun?
  /// Records and values that did not fit and are stored raw.
  public var rejects = 0
  /// Values that were requested in vain; they are requested again.
  public var misses = 0
  /// Images that are due to be fetched.
  public var imagesPending = 0
  /// Ranges of time that a backfill was asked for and has not finished.
  public var openGoals = 0
  /// Problems of the job itself or its machine: since when, and when each was last seen.
  public var troubles: [Trouble: ClosedRange<Instant>] = [:]
  /// When a run was last refused before it began, if none has begun since; its troubles have the reason.
  public var refusedAt: Instant?
  /// Where its file was, if it cannot be found by name.
  public var file: JobFileNote?
  /// The beginning of the first run that was cut off since a run last ended.
  public var cutOffSince: Instant?
  /// When its last turn began: a run of all its lists that reached its end.
  public var lastTurn: Instant?

  /// For a job that the folder does not know.
  public init(neverRan job: String, origin: String) { (self.job, self.origin) = (job, origin) }
}

/// One list: what `trawl_trust` says of it, and more.
public struct ListOverview: Sendable, Equatable {
  /// Identifies the list; another list may have the same name in words.
  public var number: Int64
  public var stream: String
  /// As in `Unit.parameterText`.
  public var parameters: String
  /// Without a window.
  public var unit: Unit { Unit(stream: stream, values: RecordStore.values(parameters)) }
  public var table: String
  public var listName: String
  public var rows: Int
  public var verdict: String
  /// Its proof; only of a `complete` list.
  public var proof: String?
  /// Why it is `limited` or `incomplete`.
  public var cause: String?
  /// `complete (ends)`, `limited (ceiling)`
  public var claim: String { verdict + ((proof ?? cause).map { " (\($0))" } ?? "") }
  public var why: String
  public var asOf: Instant?
  /// When it was last complete; for windows, the earliest of these times.
  public var completeAsOf: Instant?
  /// What was read, where only a range of time was.
  public var readFrom: Instant?
  public var readTo: Instant?
  /// How often it was read to its end since then without a proof.
  public var readsSince: Int
  public var goesOnAt: Instant?
  /// Rows that look gone but are too many to be marked, by the last walk that says so.
  public var withheld: Int
  /// These rows were together in the list: later walks decide.
  public var areTogether: Bool
  /// That walk returned no records.
  public var isEmptied: Bool
  /// The rule that ended its last walk as a whole, and the verdict on that.
  public var rule: StopRule?
  public var wholeVerdict: Verdict?
  /// When it was last as good as before; nil: no walk of it has ended.
  public var course: ListCourse?
  /// It is not requested again unless the record that it was requested for returns.
  public var isOrphaned: Bool { verdict == Book.orphaned }
  /// For a list that only a backfill has read, by its windows.
  public var lastGoodEnd: Instant? { course?.ends.last ?? completeAsOf }
  /// How its rows are mapped: several values if windows were filled at different times.
  public var mappings: Set<UInt64>
}

extension RecordStore {
  /// Every job of the folder, or one, ordered by name.
  public func overview(of job: String? = nil) throws(StoreError) -> [JobOverview] {
    let moment = now
    return try snapshot {
      let jobs: [(String, String, String?, String)] = try connection.rows(
        "SELECT job, origin, file, file_print FROM trawl_jobs WHERE ?1 IS NULL OR job = ?1 ORDER BY job",
        [SQLValue(job)])
      let lists = try lists(of: job)
      let rejects = try counts("trawl_rejects", "1", of: job)
      let misses = try counts("trawl_due", "missed_run IS NOT NULL", of: job)
      let images = try counts(
        "trawl_media_urls", "next_attempt_at <= \(SQLName.literal(moment.description))", of: job)
      let goals = try counts("trawl_goals", "reached_at IS NULL", of: job)
      let tables = try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'table'")
      return try jobs.map { name, origin, file, digest in
        var overview = JobOverview(neverRan: name, origin: origin)
        overview.lists = lists[name] ?? []
        // A damaged row may name a table that does not exist: the proof reports it.
        for table in Set(overview.lists.map(\.table)).intersection(tables) {
          overview.rows += try PresentRows.rows(of: table, connection)
        }
        overview.lastRun = try lastRun(of: name, "")
        overview.rejects = rejects[name] ?? 0
        overview.misses = misses[name] ?? 0
        overview.imagesPending = images[name] ?? 0
        overview.openGoals = goals[name] ?? 0
        let refused = try troubles(.refused, of: name)
        overview.refusedAt = refused.values.first?.upperBound
        overview.troubles = try troubles(.trouble, of: name).merging(refused) { known, _ in known }
        overview.file = file.map { JobFileNote(path: $0, print: digest) }
        if overview.lastRun?.endedAt == nil {
          overview.cutOffSince = try connection.instant(
            "SELECT min(began_at) FROM trawl_runs WHERE job = ?1 AND run > ifnull((SELECT max(run) "
              + "FROM trawl_runs WHERE job = ?1 AND ended_at IS NOT NULL), 0)", [.text(name)])
        }
        overview.lastTurn = try lastRun(of: name, Self.isTurn)?.beganAt
        return overview
      }
    }
  }

  /// The number of rows of a list, as `trawl_trust` counts them; nil: the list is not known.
  public func rows(of list: ListName, in job: String) throws(StoreError) -> Int? {
    try guarded {
      try connection.integer(
        "SELECT rows FROM trawl_lists WHERE job = ? AND stream = ? AND parameters = ?",
        [.text(job), .text(list.stream), .text(list.parameters)]
      ).map { Int($0) }
    }
  }

  /// The last run of a job that ended with exit code 0, unless every list that it read failed.
  public func lastSuccess(of job: String) throws(StoreError) -> StoredRun? {
    let failed =
      "SELECT run FROM trawl_certificates GROUP BY run HAVING min(verdict = 'failed') = 1"
    return try guarded { try lastRun(of: job, "AND exit_code = 0 AND run NOT IN (\(failed))") }
  }

  /// Lists whose last walk failed, and when each is requested again. Waits from while the clock was
  /// ahead are over.
  public func retries(of job: String) throws(StoreError) -> [ListName: Instant] {
    let moment = now
    return try guarded {
      let rows: [(String, String, Instant?)] = try connection.rows(
        "SELECT l.stream, l.parameters, max(c.resumes_at) FROM trawl_lists l "
          + "JOIN trawl_windows u USING (list_number) JOIN trawl_certificates c USING (window) "
          + "WHERE l.job = ? AND c.verdict = 'failed' AND c.certificate = "
          + "(SELECT max(certificate) FROM trawl_certificates x WHERE x.window = u.window) "
          + "GROUP BY l.list_number", [.text(job)])
      let waits = rows.map { (ListName(stream: $0.0, parameters: $0.1), $0.2 ?? moment) }
      return Dictionary(waits, uniquingKeysWith: { max($0, $1) })
        .mapValues { $0 - moment > RetryTimes.failedMax ? moment : $0 }
        // A list that is no longer requested would wait for ever.
        .filter { moment - $0.value < .seconds(86_400) }
    }
  }

  /// When the last run began that read everything that the job names, as far as possible.
  public func lastTurn(of job: String) throws(StoreError) -> Instant? {
    try guarded { try lastRun(of: job, Self.isTurn)?.beganAt }
  }

  private static let isTurn =
    "AND command = 'run' AND exit_code IN (0, 1, 3) AND arguments NOT LIKE '%\"--s%' "
    + "AND arguments NOT LIKE '%\"--retry%'"

  private func lastRun(of job: String, _ condition: String) throws(SQLiteError) -> StoredRun? {
    try connection.row(
      "SELECT \(StoredRun.columns) FROM trawl_runs WHERE job = ? \(condition) "
        + "ORDER BY run DESC LIMIT 1", [.text(job)])
  }

  /// By job; for all jobs if none is named.
  private func counts(
    _ table: String, _ condition: String, of job: String?
  ) throws(SQLiteError) -> [String: Int] {
    let found: [(String, Int)] = try connection.rows(
      "SELECT job, count(*) FROM \(table) WHERE \(condition)\(job == nil ? "" : " AND job = ?") "
        + "GROUP BY job", job.map { [.text($0)] } ?? [])
    // In a damaged file two names may be equal as text.
    return Dictionary(found, uniquingKeysWith: +)
  }

  /// By job; for all jobs if none is named. `trawl_trust` ranks all lists whichever is wanted, so
  /// it is queried once, not for each job.
  private func lists(of job: String?) throws(SQLiteError) -> [String: [ListOverview]] {
    let newest = "SELECT max(certificate) FROM trawl_certificates x WHERE x.window = u.window"
    let prints: [(Int64, UInt64)] = try connection.rows(
      "SELECT l.list_number, c.mapping_print FROM trawl_lists l JOIN trawl_windows u USING "
        + "(list_number) "
        + "JOIN trawl_certificates c ON c.certificate = (\(newest)) WHERE ?1 IS NULL OR l.job = ?1",
      [SQLValue(job)])
    let mappings = Dictionary(grouping: prints, by: \.0)
    let courses: [Int64: String] = try connection.dictionary(
      "SELECT list_number, fact FROM trawl_facts WHERE kind = 'course' AND (?1 IS NULL OR job = ?1)",
      [SQLValue(job)])
    func last(_ condition: String = "") -> String {
      "(SELECT max(c.certificate) FROM trawl_windows u CROSS JOIN trawl_certificates c USING (window) "
        + "WHERE u.list_number = l.list_number AND u.window_from = '' \(condition))"
    }
    let lists = try connection.rows(
      "SELECT l.list_number, l.stream, l.table_name, l.list, l.rows, t.verdict, t.why, t.as_of, "
        + "t.resumes_at, newest.rule, l.parameters, t.proof, t.cause, "
        + "t.complete_as_of, newest.unproven_reads, l.job, told.withheld, told.received = 0, "
        + "EXISTS (SELECT 1 FROM trawl_facts f WHERE f.kind = 'absent' AND f.job = l.job "
        + "AND f.stream = l.stream AND f.list_number = l.list_number AND f.subject = 'block'), "
        + "t.read_from, t.read_to, newest.verdict "
        + "FROM trawl_lists l LEFT JOIN trawl_trust t USING (list_number) "
        + "LEFT JOIN trawl_certificates newest ON newest.certificate = \(last()) "
        + "LEFT JOIN trawl_certificates told ON told.certificate = "
        + last("AND c.verdict NOT IN ('paused', 'failed')")
        + " WHERE ?1 IS NULL OR l.job = ?1 ORDER BY l.list_number", [SQLValue(job)]
    ) { row in
      let list = row.integer(0)
      let overview = ListOverview(
        number: list, stream: row.text(1) ?? "", parameters: row.text(10) ?? "",
        table: row.text(2) ?? "", listName: row.text(3) ?? "", rows: row.int(4),
        verdict: row.text(5) ?? "unfinished", proof: row.text(11), cause: row.text(12),
        why: row.text(6) ?? "", asOf: row.instant(7), completeAsOf: row.instant(13),
        readFrom: row.instant(19), readTo: row.instant(20),
        readsSince: row.int(14), goesOnAt: row.instant(8), withheld: row.int(16),
        areTogether: row.boolean(18), isEmptied: row.boolean(17),
        rule: row.text(9).flatMap { StopRule(rawValue: $0) },
        wholeVerdict: row.text(21).flatMap { Verdict(rawValue: $0) },
        course: courses[list].flatMap { ListCourse($0) },
        mappings: Set(mappings[list, default: []].map(\.1)))
      return (job: row.text(15) ?? "", overview: overview)
    }
    return Dictionary(grouping: lists, by: \.job).mapValues { $0.map(\.overview) }
  }

  private func troubles(
    _ kind: FactKind, of job: String
  ) throws(SQLiteError) -> [Trouble: ClosedRange<Instant>] {
    var found: [Trouble: ClosedRange<Instant>] = [:]
    for (subject, fact) in try connection.facts(FactKey(kind, job: job)) {
      let fields = FactFields(fact)
      guard let trouble = Trouble(rawValue: subject), let since = fields.instant("since"),
        let last = fields.instant("last")
      else { continue }
      found[trouble] = min(since, last)...max(since, last)
    }
    return found
  }

  private func note(
    _ trouble: Trouble, _ kind: FactKind, of job: String, at stamp: String
  ) throws(SQLiteError) {
    let key = FactKey(kind, job: job, trouble.rawValue)
    var times = FactFields(try connection.fact(key))
    if times.text("since") == nil { times["since"] = .text(stamp) }
    times["last"] = .text(stamp)
    try connection.note(key, times)
  }

  /// A run was refused before it began, so that it has no row: a trouble of the job until one begins, or is refused for
  /// another reason.
  public func note(refusedFor trouble: Trouble, of job: String) throws(StoreError) {
    let stamp = now.description
    try write {
      guard try connection.has("trawl_jobs WHERE job = ?", [.text(job)]) else { return }
      try connection.delete(
        Book.facts, where: "kind = 'refused' AND job = ? AND subject <> ?",
        [.text(job), .text(trouble.rawValue)])
      try note(trouble, .refused, of: job, at: stamp)
    }
  }

  /// A run begins: what kept others from it is over.
  public func noteBeginning(of job: String) throws(StoreError) {
    let known = try guarded { try connection.facts(FactKey(.refused, job: job)) }
    if known.isEmpty { return }
    try write {
      _ = try connection.delete(Book.facts, where: "kind = 'refused' AND job = ?", [.text(job)])
    }
  }

  /// Problems of the job itself or the machine that a run has found.
  /// - Parameter found: false: it is over. Troubles that a run cannot judge are left out.
  public func note(_ found: [Trouble: Bool], of job: String) throws(StoreError) {
    let stamp = now.description
    let known = try guarded { try troubles(.trouble, of: job) }
    if found.allSatisfy({ !$0.value && known[$0.key] == nil }) { return }
    try write {
      for (trouble, isThere) in found {
        if isThere {
          try note(trouble, .trouble, of: job, at: stamp)
        } else if known[trouble] != nil {
          try connection.forget(FactKey(.trouble, job: job, trouble.rawValue))
        }
      }
    }
  }
}
