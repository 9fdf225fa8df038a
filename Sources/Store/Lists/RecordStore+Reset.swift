internal import Base

/// What `trawl reset` can delete.
public enum Resetting: String, Sendable, CaseIterable {
  /// The rows of the job and all that is known of them: its tables are dropped.
  case records
  /// Unfinished walks: the next run begins at page 1.
  case progress
  /// Certificates: what they covered counts as missing.
  case coverage
  /// Waits: what did not exist or come is requested again in the next run.
  case waits
}

/// Counts of deleted things, with their names for people; those that are zero are left out.
public struct Forgotten: Sendable, Equatable {
  public struct Line: Sendable, Equatable {
    public var count: Int
    /// `rows of github_users`
    public var what: String
  }

  public private(set) var lines: [Line] = []
  public var isNothing: Bool { lines.isEmpty }

  public mutating func add(_ count: Int, _ one: String, _ many: String) {
    if count > 0 { lines.append(Line(count: count, what: count == 1 ? one : many)) }
  }
}

/// Which lists of a job: those of these streams (none: all) whose parameters have one of the given
/// values for each given name.
public struct ListChoice: Sendable {
  var streams: [String]
  var values: [String: [String]]

  public init(streams: [String] = [], values: [String: [String]] = [:]) {
    self.streams = streams
    self.values = values
  }

  public var isEverything: Bool { streams.isEmpty && values.isEmpty }

  func takes(stream: String) -> Bool { streams.takes(stream) }

  /// Parameters as `Unit.parameterText` writes them.
  func takes(parameters text: String) -> Bool {
    let pairs = Self.parameters(text)
    return values.allSatisfy { name, choices in
      choices.contains { pairs.contains(Self.parameter(name, $0)) }
    }
  }

  /// The parameters of a list, as `parameter` writes each.
  static func parameters(_ text: String) -> Set<[UInt8]> {
    Set(text.split(separator: "&").map { Array($0.utf8) })
  }

  static func parameter(_ name: String, _ value: String) -> [UInt8] {
    Array("\(name)=\(PercentEncoding.encoded(value))".utf8)
  }
}

extension RecordStore {
  /// What a reset would delete; changes nothing.
  public func resetPreview(
    _ what: Resetting, of job: String, _ choice: ListChoice = ListChoice()
  ) throws(StoreError) -> Forgotten {
    try snapshot { try tally(what, bookReset(what, of: job, choice)) }
  }

  /// Deletes it, in one transaction, and returns what was deleted. Favorites, image files, reports
  /// and the ledger stay.
  public func reset(
    _ what: Resetting, of job: String, _ choice: ListChoice = ListChoice()
  ) throws(StoreError) -> Forgotten {
    let forgotten = try guarded {
      // Tables that refer to each other are dropped together.
      try connection.enforceForeignKeys(what != .records)
      try ConnectionSettings.overwrite(true, on: connection)
      try ConnectionSettings.useTemporaryFiles(true, on: connection)
      defer {
        // Switched back on the same connection outside a transaction: this cannot fail.
        try? connection.enforceForeignKeys(true)
        // Nor can this.
        try? ConnectionSettings.overwrite(false, on: connection)
        // Nor this.
        try? ConnectionSettings.useTemporaryFiles(false, on: connection)
      }
      return try connection.transaction {
        let reset = try bookReset(what, of: job, choice)
        let forgotten = try tally(what, reset)
        switch what {
        case .records:
          let counts = RowCounts(connection: connection)
          try SharedImages(besides: job, connection).reassign()
          try ViewDesign.dropAll(connection)
          for table in try tables(of: job) {
            try connection.execute("DROP TABLE \(SQLName.quoted(table))")
            try counts.forget(table)
          }
          try reset.perform(.resetRecords)
          // Rows that the book lacks may be another job's.
          if try !connection.has("trawl_jobs WHERE job <> ?", [.text(job)]) {
            for table in Book.tables { try counts.forget(table.name) }
            try counts.begin(Book.tables.map(\.name))
          }
          try ViewDesign.makeAll(connection)
        case .progress: try reset.perform(.resetPlaces)
        case .coverage: try reset.perform(.resetCoverage)
        case .waits: try reset.perform(.resetWaits)
        }
        return forgotten
      }
    }
    designs[job] = nil
    altered = [:]
    plans = plans.filter { !$0.key.hasPrefix("\(job) ") }
    units = [:]
    judged = [:]
    return forgotten
  }

  /// Once for each run: what was known of a table's lists does not hold where another program has removed rows.
  /// - Returns: sentences that say so.
  func readRemovedAnew(_ design: JobDesign) throws(StoreError) -> [String] {
    var messages: [String] = []
    for table in design.tables {
      let removed = try guarded { try PresentRows.removed(from: table, connection) }
      guard let removed else { continue }
      let job = design.job
      let streams = job.streams.filter { stream in
        ([stream.table] + stream.children.map(\.table)).contains {
          design.fullName($0) == table.name
        }
      }
      try write {
        try connection.add(-removed.rows, to: removed.count)
        try bookReset(.coverage, of: job.name, ListChoice(streams: streams.map(\.name)))
          .perform(.resetCoverage)
      }
      messages.append(
        "another program removed \(Wording.count(removed.rows, "row")) of \(table.name): "
          + streams.map { $0.readAnew(of: job.name) }.joined(separator: "; "))
    }
    return messages
  }

  private func bookReset(
    _ what: Resetting, of job: String, _ choice: ListChoice
  ) throws(SQLiteError) -> BookReset {
    let lists = try connection.rows(
      "SELECT list_number, stream, parameters FROM trawl_lists WHERE job = ?", [.text(job)]
    ) { ($0.integer(0), $0.text(1) ?? "", $0.text(2) ?? "") }
    .filter { choice.takes(stream: $0.1) && choice.takes(parameters: $0.2) }.map { $0.0 }
    // Marks of child streams name no parameter, so those of single lists stay.
    let streams = what == .coverage && !choice.values.isEmpty ? nil : choice.streams
    return BookReset(job: job, lists: lists, streams: streams, connection: connection)
  }

  // MARK: Counting

  private func tally(_ what: Resetting, _ reset: BookReset) throws -> Forgotten {
    var forgotten = Forgotten()
    let (job, isOfLists) = (reset.job, reset.isOfLists)
    func count(_ table: String, _ condition: String) throws -> Int {
      try connection.count(of: "\(table) WHERE \(condition)")
    }
    func countDue(_ condition: String) throws -> Int {
      try reset.condition(Book.due).map { try count("trawl_due", "\(condition) AND \($0)") } ?? 0
    }
    func addWaits() throws {
      let absent = try count(
        "trawl_certificates c JOIN trawl_windows u USING (window)",
        "\(isOfLists) AND c.verdict = 'absent' AND c.resumes_at IS NOT NULL")
      // A parent's own list waits in both tables.
      let missed = try countDue("next_attempt_at IS NOT NULL")
      forgotten.add(
        max(absent, missed), "wait before something missing is requested again",
        "waits before something missing is requested again")
    }
    switch what {
    case .records:
      for table in try tables(of: job) {
        let rows = try count(SQLName.quoted(table), "1")
        forgotten.add(rows, "row of \(table)", "rows of \(table)")
      }
      forgotten.add(
        reset.lists.count, "list with its verdicts and resume point",
        "lists with their verdicts and resume points")
      forgotten.add(
        try count("trawl_rejects", "job = \(SQLName.literal(job))"), "kept reject", "kept rejects")
      forgotten.add(
        try SharedImages(besides: job, connection).othersCount(),
        "image address (the file stays in media/)",
        "image addresses (the files stay in media/)")
    case .progress:
      forgotten.add(
        try count("trawl_windows", "\(isOfLists) AND is_open = 1"), "unfinished walk",
        "unfinished walks")
      forgotten.add(
        try count(
          "trawl_pages p JOIN trawl_windows u USING (window)",
          "\(isOfLists) AND u.is_open = 1 AND p.traversal = u.traversal"),
        "page of an unfinished walk, which will be requested again",
        "pages of unfinished walks, which will be requested again")
      try addWaits()
    case .waits:
      try addWaits()
      if let isOfJob = reset.condition(Book.mediaURLs) {
        forgotten.add(
          try count("trawl_media_urls", "\(Book.imageRests) AND \(isOfJob)"),
          "wait before an image is requested again", "waits before images are requested again")
      }
    case .coverage:
      forgotten.add(
        try count("trawl_certificates JOIN trawl_windows USING (window)", isOfLists), "verdict",
        "verdicts")
      forgotten.add(
        try count("trawl_windows", "\(isOfLists) AND is_open = 1"), "unfinished walk",
        "unfinished walks")
      forgotten.add(
        try countDue("asked_run IS NOT NULL"), "mark of what a child stream has requested",
        "marks of what child streams have requested")
    }
    return forgotten
  }

  private func tables(of job: String) throws(SQLiteError) -> [String] {
    try connection.texts(
      "SELECT table_name FROM trawl_tables WHERE job = ? AND table_name IN "
        + "(SELECT name FROM sqlite_schema WHERE type = 'table') ORDER BY table_name", [.text(job)])
  }

  /// Makes each parent of a child stream due again.
  public func askAgain(_ stream: String, of job: String) throws(StoreError) {
    try write {
      try BookReset(job: job, lists: [], streams: [stream], connection: connection)
        .perform(.refill)
    }
  }
}
