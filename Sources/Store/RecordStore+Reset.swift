internal import Model
internal import SQLite

/// What `trawl reset` may forget.
public enum Forgetting: String, Sendable, CaseIterable {
  /// The rows of the job and all that is known of them: its tables go.
  case records
  /// Where walks stand: the next run begins at page 1.
  case progress
  /// Certificates: what they covered counts as missing.
  case coverage
}

/// Things that are forgotten, by what a person calls them; those of which there are none are left
/// out.
public struct Forgotten: Sendable, Equatable {
  public struct Line: Sendable, Equatable {
    public var count: Int
    /// `rows of github_users`
    public var what: String
  }

  public private(set) var lines: [Line] = []
  public var isNothing: Bool { lines.isEmpty }

  mutating func add(_ count: Int, _ one: String, _ many: String) {
    if count > 0 { lines.append(Line(count: count, what: count == 1 ? one : many)) }
  }
}

/// Which lists of a job: those of these streams (none: all) whose parameters have one of the given
/// values for each given name.
public struct ListChoice: Sendable {
  public var streams: [String]
  public var values: [String: [String]]

  public init(streams: [String] = [], values: [String: [String]] = [:]) {
    self.streams = streams
    self.values = values
  }

  public var isEverything: Bool { streams.isEmpty && values.isEmpty }

  func takes(stream: String) -> Bool {
    streams.isEmpty || streams.contains { $0.utf8.elementsEqual(stream.utf8) }
  }

  /// Parameters as `Unit.parameterText` writes them.
  func takes(parameters text: String) -> Bool {
    let pairs = Set(text.split(separator: "&").map { Array($0.utf8) })
    return values.allSatisfy { name, choices in
      choices.contains { pairs.contains(Array("\(name)=\(PercentEncoding.encoded($0))".utf8)) }
    }
  }
}

extension RecordStore {
  /// Whether the folder knows the job.
  public func knows(_ job: String) throws(StoreError) -> Bool {
    try guarded {
      try $0.integer("SELECT 1 FROM trawl_jobs WHERE job = ?", [.text(job)]) != nil
    }
  }

  /// What forgetting would take away; changes nothing.
  public func resetPreview(
    _ what: Forgetting, of job: String, _ choice: ListChoice = ListChoice()
  ) throws(StoreError) -> Forgotten {
    try guarded { connection in
      try connection.snapshot { try tally(what, job, choice, connection) }
    }
  }

  /// Forgets it, in one transaction, and tells what went. Favourites, image files, reports and the
  /// ledger stay.
  public func forget(
    _ what: Forgetting, of job: String, _ choice: ListChoice = ListChoice()
  ) throws(StoreError) -> Forgotten {
    let told = try guarded { connection in
      // Tables that refer to each other go together.
      try connection.enforceForeignKeys(what != .records)
      defer {
        // Switched back on the same connection outside a transaction: this cannot fail.
        try? connection.enforceForeignKeys(true)
      }
      return try connection.transaction {
        let told = try tally(what, job, choice, connection)
        let lists = try lists(of: job, choice, connection)
        switch what {
        case .records:
          try SharedImages(besides: job, connection).reassign(connection)
          try dropAll(job, connection)
        case .progress:
          for list in lists { try forgetPlace(list, connection) }
          try connection.run(
            "UPDATE trawl_misses SET next_attempt_at = NULL WHERE next_attempt_at IS NOT NULL "
              + "AND \(Self.streamsCondition(choice))", [.text(job)])
        case .coverage:
          for list in lists { try forgetClaims(list, connection) }
          if choice.values.isEmpty { try forgetFeeds(job, choice, connection) }
        }
        return told
      }
    }
    designs[job] = nil
    plans = plans.filter { !$0.key.hasPrefix("\(job) ") }
    units = [:]
    judged = [:]
    return told
  }

  // MARK: Counting

  private func lists(
    of job: String, _ choice: ListChoice, _ connection: Connection
  ) throws(SQLiteError) -> [Int64] {
    try connection.rows(
      "SELECT list, stream, parameters FROM trawl_lists WHERE job = ?", [.text(job)]
    ) { ($0.integer(0), $0.text(1) ?? "", $0.text(2) ?? "") }
    .filter { choice.takes(stream: $0.1) && choice.takes(parameters: $0.2) }.map { $0.0 }
  }

  private func tally(
    _ what: Forgetting, _ job: String, _ choice: ListChoice, _ connection: Connection
  ) throws -> Forgotten {
    var told = Forgotten()
    let lists = try lists(of: job, choice, connection)
    func sum(_ sql: String) throws -> Int {
      try lists.reduce(0) { $0 + Int(try connection.integer(sql, [.integer($1)]) ?? 0) }
    }
    func ofJob(_ table: String) throws -> Int {
      Int(try connection.integer("SELECT count(*) FROM \(table)", [.text(job)]) ?? 0)
    }
    switch what {
    case .records:
      for table in try tables(of: job, connection) {
        let rows = try connection.integer("SELECT count(*) FROM \(SQLName.quoted(table))")
        told.add(Int(rows ?? 0), "row of \(table)", "rows of \(table)")
      }
      told.add(
        lists.count, "list with its certificates and resume point",
        "lists with their certificates and resume points")
      told.add(try ofJob("trawl_rejects WHERE job = ?"), "kept reject", "kept rejects")
      told.add(
        try SharedImages(besides: job, connection).othersCount(connection),
        "image address (the file stays in media/)",
        "image addresses (the files stay in media/)")
    case .progress:
      told.add(
        try sum("SELECT count(*) FROM trawl_units WHERE list = ? AND is_open = 1"),
        "walk that stands in the middle", "walks that stand in the middle")
      told.add(
        try sum(
          "SELECT count(*) FROM trawl_pages p JOIN trawl_units u USING (unit) "
            + "WHERE u.list = ? AND u.is_open = 1 AND p.traversal = u.traversal"),
        "page that would not have been asked again", "pages that would not have been asked again")
      let absent = try sum(
        "SELECT count(*) FROM trawl_certificates c JOIN trawl_units u USING (unit) WHERE "
          + "u.list = ? AND c.verdict = 'absent' AND c.goes_on_at IS NOT NULL")
      // A list of its own for each parent waits in both.
      let missed =
        try Bookkeeping.has("trawl_misses", connection)
        ? ofJob(
          "trawl_misses WHERE next_attempt_at IS NOT NULL AND \(Self.streamsCondition(choice))")
        : 0
      told.add(
        max(absent, missed),
        "wait before something that was not there is asked again",
        "waits before something that was not there is asked again")
    case .coverage:
      told.add(
        try sum(
          "SELECT count(*) FROM trawl_certificates JOIN trawl_units USING (unit) WHERE list = ?"),
        "certificate", "certificates")
      told.add(
        try sum(
          "SELECT count(*) FROM trawl_units WHERE list = ? AND is_open = 1"),
        "walk that stands in the middle", "walks that stand in the middle")
      if choice.values.isEmpty {
        told.add(
          try ofJob("trawl_asked WHERE \(Self.streamsCondition(choice))"),
          "mark of what a child stream has asked", "marks of what child streams have asked")
      }
    }
    return told
  }

  private func tables(of job: String, _ connection: Connection) throws(SQLiteError) -> [String] {
    try connection.rows(
      "SELECT table_name FROM trawl_tables WHERE job = ? AND table_name IN "
        + "(SELECT name FROM sqlite_schema WHERE type = 'table') ORDER BY table_name", [.text(job)]
    ) { $0.text(0) ?? "" }
  }

  private static func streamsCondition(_ choice: ListChoice) -> String {
    let names = choice.streams.map { SQLName.literal($0) }.joined(separator: ", ")
    return "job = ?" + (choice.streams.isEmpty ? "" : " AND stream IN (\(names))")
  }

  // MARK: Forgetting

  private func forgetPlace(_ list: Int64, _ connection: Connection) throws(SQLiteError) {
    try connection.run(
      "DELETE FROM trawl_pages WHERE page IN (SELECT p.page FROM trawl_pages p "
        + "JOIN trawl_units u USING (unit) WHERE u.list = ? AND u.is_open = 1 "
        + "AND p.traversal = u.traversal)", [.integer(list)])
    try connection.run(
      "UPDATE trawl_units SET is_open = 0 WHERE list = ? AND is_open = 1", [.integer(list)])
    try connection.run(
      "UPDATE trawl_certificates SET goes_on_at = NULL WHERE verdict IN ('absent', 'paused') "
        + "AND unit IN (SELECT unit FROM trawl_units WHERE list = ?)", [.integer(list)])
  }

  /// Pages and certificates go with their units.
  private func forgetClaims(_ list: Int64, _ connection: Connection) throws(SQLiteError) {
    try connection.run("DELETE FROM trawl_coverage WHERE list = ?", [.integer(list)])
    try connection.run("DELETE FROM trawl_units WHERE list = ?", [.integer(list)])
    try connection.run("DELETE FROM trawl_lists WHERE list = ?", [.integer(list)])
  }

  private func forgetFeeds(
    _ job: String, _ choice: ListChoice, _ connection: Connection
  ) throws(SQLiteError) {
    for table in ["trawl_asked", "trawl_misses", "trawl_rounds"] {
      try connection.run(
        "DELETE FROM \(table) WHERE \(Self.streamsCondition(choice))", [.text(job)])
    }
    // A goal of all streams is open again when one of them is.
    let names = ([""] + choice.streams).map { SQLName.literal($0) }.joined(separator: ", ")
    let which = choice.streams.isEmpty ? "" : " AND stream IN (\(names))"
    try connection.run(
      "UPDATE trawl_goals SET reached_at = NULL WHERE job = ?\(which)", [.text(job)])
  }

  private func dropAll(_ job: String, _ connection: Connection) throws {
    try ViewDesign.dropAll(connection)
    for table in try tables(of: job, connection) {
      try SearchIndex.drop(table, connection)
      try connection.execute("DROP TABLE \(SQLName.quoted(table))")
    }
    let units = "SELECT unit FROM trawl_units JOIN trawl_lists USING (list) WHERE job = ?"
    let lists = "SELECT list FROM trawl_lists WHERE job = ?"
    let names = "SELECT table_name FROM trawl_tables WHERE job = ?"
    for statement in [
      "DELETE FROM trawl_pages WHERE unit IN (\(units))",
      "DELETE FROM trawl_certificates WHERE unit IN (\(units))",
      "DELETE FROM trawl_coverage WHERE list IN (\(lists))",
      "DELETE FROM trawl_fills WHERE list IN (\(lists))",
      "DELETE FROM trawl_densities WHERE list IN (\(lists))",
      "DELETE FROM trawl_units WHERE list IN (\(lists))",
      "DELETE FROM trawl_lists WHERE job = ?", "DELETE FROM trawl_rejects WHERE job = ?",
      "DELETE FROM trawl_asked WHERE job = ?", "DELETE FROM trawl_misses WHERE job = ?",
      "DELETE FROM trawl_rounds WHERE job = ?", "DELETE FROM trawl_media_urls WHERE job = ?",
      "UPDATE trawl_goals SET reached_at = NULL WHERE job = ?",
      "DELETE FROM trawl_columns WHERE table_name IN (\(names))",
      "DELETE FROM trawl_hashes WHERE table_name IN (\(names))",
      "DELETE FROM trawl_tables WHERE job = ?", "DELETE FROM trawl_jobs WHERE job = ?",
    ] {
      try connection.run(statement, [.text(job)])
    }
    try ViewDesign.makeAll(connection)
  }
}
