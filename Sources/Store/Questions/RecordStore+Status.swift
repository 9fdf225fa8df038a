public import Base

/// One execution, as the table keeps it.
public struct StoredRun: Sendable, Equatable, StoredValue {
  public var run: RunID
  public var job: String
  public var command: String
  public var beganAt: Instant
  /// Nil while it runs, and after a kill.
  public var endedAt: Instant?
  public var outcome: String?
  public var exitCode: Int?

  static let columns = "run, name, job, command, began_at, ended_at, outcome, exit_code"

  init(_ row: inout ColumnReader) {
    run = RunID(number: row.next(), name: row.next())
    (job, command, beganAt) = (row.next(), row.next(), row.next())
    (endedAt, outcome, exitCode) = (row.next(), row.next(), row.next())
  }
}

extension RecordStore {
  /// Newest first.
  public func runs(
    job: String? = nil, named name: String? = nil, limit: Int = 20
  ) throws(StoreError) -> [StoredRun] {
    // For one job they are found by their index, however many the others have.
    let ofJob = job == nil ? "?1 IS NULL" : "job = ?1"
    return try guarded {
      try connection.rows(
        "SELECT \(StoredRun.columns) FROM trawl_runs "
          // cut: the newest runs; the index of reports says that it shows no more
          + "WHERE \(ofJob) AND (?3 IS NULL OR name = ?3) ORDER BY run DESC LIMIT ?2",
        [SQLValue(job), SQLValue(limit), SQLValue(name)])
    }
  }

  /// The name of the run that began last, if that was after an instant.
  public func lastRun(of job: String, after limit: Instant) throws(StoreError) -> String? {
    try guarded {
      try connection.text(
        "SELECT name FROM trawl_runs WHERE job = ? AND began_at > ? ORDER BY began_at DESC",
        [.text(job), .text(limit.description)])
    }
  }

  /// Jobs that this folder knows, with the origin of their rows.
  public func jobs() throws(StoreError) -> [(job: String, origin: String)] {
    try guarded {
      try connection.rows(
        "SELECT job, origin FROM trawl_jobs ORDER BY job",
        as: { (job: String, origin: String) in (job, origin) })
    }
  }

  /// Reads `Unit.parameterText` back.
  static func values(_ text: String) -> [ParameterValue] {
    text.split(separator: "&").compactMap { part -> ParameterValue? in
      guard let equals = part.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      let value = part[part.utf8.index(after: equals)...]
      return ParameterValue(
        String(part[..<equals]),
        String(decoding: PercentEncoding.decoded(value), as: UTF8.self))
    }
  }

  /// The largest length of a list of each stream at its last certificate: short streams go first.
  public func lastLengths(of job: String) throws(StoreError) -> [String: Int] {
    try guarded {
      try connection.dictionary(
        "SELECT l.stream, max(c.received) FROM trawl_certificates c JOIN trawl_windows u "
          + "USING (window) JOIN trawl_lists l USING (list_number) WHERE l.job = ? GROUP BY "
          + "l.stream", [.text(job)])
    }
  }

  /// By parameters, the run in which each list was last read without a pause: a list that a limit kept waiting goes
  /// first.
  public func lastTurns(of stream: String, in job: String) throws(StoreError) -> [String: Int] {
    try guarded {
      try connection.dictionary(
        "SELECT l.parameters, max(c.run) FROM trawl_certificates c JOIN trawl_windows u "
          + "USING (window) JOIN trawl_lists l USING (list_number) WHERE l.job = ? AND l.stream = ? "
          + "AND c.verdict <> 'paused' GROUP BY l.list_number", [.text(job), .text(stream)])
    }
  }

  /// Bytes of the write-ahead log: it grows while a reader keeps an old snapshot open.
  public nonisolated var logBytes: Int {
    Int(FilePlace(path: "\(folder.databasePath)-wal")?.size ?? 0)
  }

  /// When the last run of a job began that came to all that was due; nil: none of those that are kept did.
  public func lastWholeRun(
    of job: String, before run: Int64 = .max
  ) throws(StoreError) -> Instant? {
    try guarded {
      try connection.instant(
        "SELECT max(began_at) FROM trawl_runs WHERE job = ? AND exit_code = 0 AND run < ?",
        [.text(job), .integer(run)])
    }
  }
}
