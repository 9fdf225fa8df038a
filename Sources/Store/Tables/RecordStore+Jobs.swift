public import Base

extension RecordStore {
  /// Makes the job's tables as its file asks for, and returns a description of the changes. Refuses
  /// rows from another origin than before, and SQL expressions that do not compile.
  /// - Parameter hasMoved: the user says that it is the same API at another address.
  public func adopt(
    _ job: Job, origin: Origin, hasMoved: Bool = false
  ) throws(StoreError) -> [String] {
    let problems = ExpressionProof.problems(in: job)
    if let first = problems.first {
      let more = problems.count > 1 ? " (and \(problems.count - 1) more)" : ""
      throw StoreError(.job, "job \(job.name)", first + more)
    }
    var design = try JobDesign(job)
    let messages = try remember(design, origin, hasMoved: hasMoved)
    if !messages.isEmpty { try forgetAgain(of: job.name) }
    try noteParents(of: job)
    let removed = try readRemovedAnew(design)
    try guarded {
      try design.noteFound(connection)
      try design.noteKept(connection)
      designs[job.name] = design
      for table in Set(job.streams.map { design.fullName($0.table) }) {
        let log = SeenLog(job: job.name, table: table, connection: connection)
        let isRetained = job.retention(of: table) != nil
        if try log.isKept != isRetained { try connection.transaction { try log.keep(isRetained) } }
      }
      for stream in job.streams {
        let table = design.fullName(stream.table)
        plans[planName(job.name, stream.name)] = try StreamPlan(
          stream, design, connection, fresh: freshKeys(of: table),
          altered: alteredRecords(of: try DesignedStream(stream.name, design).table),
          found: foundColumns(of: table, design))
      }
    }
    return messages + removed
  }

  /// The trust of a list includes that of its parents, also for who has only the database.
  private func noteParents(of job: Job) throws(StoreError) {
    var parents: [String: String] = [:]
    for stream in job.streams { parents[stream.name] = stream.parent?.stream }
    let known: [String: String] = try guarded {
      try connection.dictionary(
        "SELECT stream, fact FROM trawl_facts WHERE kind = 'parent' AND job = ?", [.text(job.name)])
    }
    if known == parents { return }
    try write {
      for name in Set(known.keys).union(parents.keys) {
        let key = FactKey(.parent, job: job.name, stream: name)
        if let parent = parents[name] {
          try connection.note(key, .text(parent))
        } else {
          try connection.forget(key)
        }
      }
    }
  }

  private func remember(
    _ design: JobDesign, _ origin: Origin, hasMoved: Bool
  ) throws(StoreError) -> [String] {
    let job = design.job.name
    let print = Migration.print(of: design, by: settings.program)
    let known = try guarded {
      try connection.row(
        "SELECT origin, design FROM trawl_jobs WHERE job = ?", [.text(job)]
      ) { ($0.text(0) ?? "", $0.text(1)) }
    }
    if let known { try check(origin, against: known.0, job, hasMoved: hasMoved) }
    let former = try former(design.job, origin, isKnown: known != nil)
    let isRenamed = try guarded {
      try design.job.streams.contains {
        try StreamRenaming($0, of: design.job, connection)?.isDue() ?? false
      }
    }
    let isMade = try guarded {
      try known?.1 == print && ViewDesign.lost(of: job, connection).isEmpty
    }
    if isMade, !isRenamed {
      try guarded { try refuseLost(design) }
      return []
    }
    return try guarded {
      try connection.enforceForeignKeys(false)
      defer {
        // Switched back on the same connection outside a transaction: this cannot fail.
        try? connection.enforceForeignKeys(true)
      }
      return try connection.transaction {
        let renamed = try former.map {
          try TableRenaming.ofJob($0, to: job, connection, now: now, settings.faults)
        }
        try connection.insertIfNew(
          Book.jobs,
          [
            ("job", .text(job)), ("origin", .text(origin.description)),
            ("added_at", .text(now.description)),
          ])
        let streams = try design.job.streams.compactMap {
          try StreamRenaming($0, of: design.job, connection)?.run()
        }
        try refuseLost(design)
        let tables = try TableRenaming.ofStreams(
          design, connection, now: now, settings.faults)
        let counts = RowCounts(connection: connection)
        var design = design
        try design.noteFound(connection)
        var migration = Migration(
          connection: connection, design: design, print: print, now: now)
        try migration.run()
        let nested = Set(
          design.job.streams.flatMap(\.children).map { design.fullName($0.table) })
        for table in design.tables {
          // A rebuilt table may rightly have other rows.
          try counts.forget(table.name)
          if !nested.contains(table.name) { try PresentRows.begin(table, connection) }
          // No walk counts nested entries.
          if table.kind == .child { try counts.begin([table.name]) }
          altered[table.name] = nil
          try forgetAnswers(with: table.name)
        }
        return [renamed].compactMap { $0 } + streams + tables + migration.messages
      }
    }
  }

  /// One object for all streams of a table; nil: its columns are declared.
  private func foundColumns(of table: String, _ design: JobDesign) -> FoundColumns? {
    let finders = design.finders(of: table)
    guard !finders.isEmpty, let designed = design.table(table) else {
      found[table] = nil
      return nil
    }
    if let known = found[table], known.columns == designed.found { return known }
    let made = FoundColumns(designed, finders)
    found[table] = made
    return made
  }

  /// A removed table is not silently made again: its lists' certificates are about its rows.
  private func refuseLost(_ design: JobDesign) throws {
    let lost = try FileStructure.lostTables(of: design.job.name, connection)
      .first { design.table($0.table) != nil }
    guard let lost else { return }
    throw StoreError(
      .damaged, folder.databasePath,
      "\(lost.table): \(lost.what), and it was not Trawl that removed it: put it back, from a backup or by "
        + "its old name, or begin anew: trawl reset records \(design.job.name)")
  }

  /// The name that the job has in the file, if its own file says that it was renamed since.
  private func former(
    _ job: Job, _ origin: Origin, isKnown: Bool
  ) throws(StoreError) -> String? {
    guard let was = job.was else { return nil }
    let known = try guarded {
      try connection.text("SELECT origin FROM trawl_jobs WHERE job = ?", [.text(was)])
    }
    guard let known else { return nil }
    if isKnown {
      throw StoreError(
        .job, "job \(job.name)",
        "it says that it was called \(was), and \(folder.path) holds rows of both: they are never "
          + "mixed. Remove \"was\" to keep both, or one of them with `trawl reset records "
          + "\(job.name)` or `trawl reset records \(was)`")
    }
    try check(origin, against: known, was)
    return was
  }

  private func check(
    _ origin: Origin, against known: String, _ job: String, hasMoved: Bool = false
  ) throws(StoreError) {
    if known.utf8.elementsEqual(origin.description.utf8) { return }
    if hasMoved {
      moved[job] = origin
      return
    }
    if try replaceUnused(origin, of: job) { return }
    throw StoreError(
      .otherOrigin, "job \(job)",
      "the rows in \(folder.path) are from \(known), not from \(origin): they are never mixed. "
        + "If it is the same API at another address: --moved, once. Else use another --data for this "
        + "origin, or `trawl reset records \(job)` to begin anew here")
  }

  /// Checks the first page of a list that was read before: at least half of its records must be
  /// stored already, or it is another API. Once one list has shown it, the job's origin is the new
  /// one.
  func settleMove(_ unit: OpenUnit, _ step: Step, _ counts: Counts) throws(any Error) {
    guard let origin = moved[unit.plan.job], step.purpose == .page, step.ordinal == 1,
      unit.unit.window == nil, unit.hasCertificates, !unit.plan.stream.isAskedInBatches
    else { return }
    let known = counts.unchanged + counts.changed
    // An empty page shows nothing, but where no list has rows, there is nothing to mix either.
    if counts.new + known == 0,
      try connection.has("trawl_lists WHERE job = ? AND rows > 0", [.text(unit.plan.job)])
    {
      return
    }
    guard counts.new <= known else {
      throw StoreError(
        .otherOrigin, "job \(unit.plan.job)",
        "of the \(counts.new + known) records of the first page at \(origin) only \(known) are here "
          + "already: it is not the API that the rows are from, and nothing was changed")
    }
    try connection.set(
      Book.jobs, [("origin", .text(origin.description))], where: "job = ? AND origin <> ?1",
      [.text(unit.plan.job)])
  }

  /// Replaces the origin of a job without stored rows, as after a first run with a mistake in `--endpoint`: nothing can
  /// be mixed.
  private func replaceUnused(_ origin: Origin, of job: String) throws(StoreError) -> Bool {
    return try guarded {
      try connection.transaction {
        let units =
          "SELECT window FROM trawl_windows JOIN trawl_lists USING (list_number) WHERE job = ?1"
        let isUsed =
          try connection.has("trawl_pages WHERE window IN (\(units))", [.text(job)])
          || connection.has(
            "trawl_certificates WHERE window IN (\(units)) AND verdict NOT IN ('paused', 'failed')",
            [.text(job)])
        if isUsed { return false }
        try connection.set(
          Book.jobs, [("origin", .text(origin.description))], where: "job = ?", [.text(job)])
        return true
      }
    }
  }

  /// Makes a job known for queries: its tables are designed, and nothing is changed.
  public func know(_ job: Job) throws(StoreError) {
    if plans[planName(job.name, job.streams.first?.name ?? "")] != nil { return }
    designs[job.name] = try JobDesign(job)
  }

  func design(of job: String) throws(StoreError) -> JobDesign {
    guard let design = designs[job] else {
      throw StoreError(.bug, "job \(job)", "it was used before it was adopted")
    }
    return design
  }

  func planName(_ job: String, _ stream: String) -> String { "\(job) \(stream)" }

  func plan(_ job: String, _ stream: String) throws(StoreError) -> StreamPlan {
    guard let plan = plans[planName(job, stream)] else {
      throw StoreError(.bug, "job \(job)", "stream \(stream) was used before the job was adopted")
    }
    return plan
  }

  // MARK: Runs

  /// How many runs of each job are kept in the table.
  static let runsKept = 200

  /// Arguments without secrets: they are stored.
  public func beginRun(
    job: String, command: String, arguments: [String]
  ) throws(StoreError) -> RunID {
    let began = now
    for keys in fresh.values { keys.forget() }
    return try write {
      var name = CivilTime(began).compact
      var twin = 1
      while try connection.has("trawl_runs WHERE job = ? AND name = ?", [.text(job), .text(name)]) {
        twin += 1
        name = "\(CivilTime(began).compact)-\(twin)"
      }
      let number = try connection.insert(
        Book.runs,
        [
          ("name", .text(name)), ("job", .text(job)), ("command", .text(command)),
          ("arguments", .text(arguments.jsonText)), ("began_at", .text(began.description)),
        ])
      try connection.delete(
        Book.runs,
        where: "job = ?1 AND run <= (SELECT run FROM trawl_runs "
          // cut: the older ones are history
          + "WHERE job = ?1 ORDER BY run DESC LIMIT 1 OFFSET \(Self.runsKept))", [.text(job)])
      return RunID(number: number, name: name)
    }
  }

  public func endRun(_ run: RunID, outcome: String, exitCode: Int) throws(StoreError) {
    try writeDurably {
      try connection.set(
        Book.runs,
        [
          ("ended_at", .text(now.description)), ("outcome", .text(outcome)),
          ("exit_code", SQLValue(exitCode)),
        ], where: "run = ?", [.integer(run.number)])
    }
  }
}

/// A job file that is not found by its name: where it was when the job ran last, and a digest of its content.
public struct JobFileNote: Sendable, Equatable {
  public var path: String
  /// A digest of its bytes.
  var print: String
}

extension JobFileNote {
  public init(path: String, text: [UInt8]) {
    self.init(path: path, print: String(Digest64.of(text), radix: 16))
  }
}

extension RecordStore {
  /// Nil: the job is found by its name. Writes only what is new.
  public func note(file: JobFileNote?, of job: String) throws(StoreError) {
    guard try self.file(of: job) != file else { return }
    try write {
      try connection.set(
        Book.jobs, [("file", SQLValue(file?.path)), ("file_print", SQLValue(file?.print))],
        where: "job = ?", [.text(job)])
    }
  }

  public func file(of job: String) throws(StoreError) -> JobFileNote? {
    try guarded {
      let row: (String?, String?)? = try connection.row(
        "SELECT file, file_print FROM trawl_jobs WHERE job = ?", [.text(job)])
      guard let path = row?.0 else { return nil }
      return JobFileNote(path: path, print: row?.1 ?? "")
    }
  }
}
