internal import Base
internal import Store

/// `trawl report --changes`: what is new, changed, gone and back since the last run, another run, or a time.
struct ReportChanges: Sendable {
  let context: CommandContext

  /// The start, and what to call it.
  private struct Start {
    var instant: Instant
    var words: String
    var run: RunID?
  }

  func perform(in location: DataLocation) async throws -> ExitStatus {
    let store = try await context.storeThatIsThere(location)
    return try await context.use(store) { try await show(store) }
  }

  private func show(_ store: RecordStore) async throws -> ExitStatus {
    let known = try await store.jobs().map(\.job)
    let (jobs, run) = try chosen(among: known)
    let since = run ?? context.invocation.text(.since)
    let most = context.invocation.count(.limit) ?? 20
    var hasStart = false
    for job in jobs {
      // A run's name belongs to one of the jobs only.
      guard let start = try await start(since, of: job, store) else { continue }
      hasStart = true
      let file = KnownFiles.job(job, try await store.file(of: job), context.environment)
      let tables = try await store.changes(
        of: job, file, since: start.instant, run: start.run, most: most, withMoving: true)
      if context.invocation.has(.json) {
        context.console.printJSON([
          "job": job, "since": start.instant.description, "tables": tables,
        ])
      } else {
        show(tables, of: job, start, most)
      }
    }
    if hasStart { return .complete }
    let only = jobs.count == 1 ? jobs[0] : nil
    let (whose, which) = only.map { (" of \($0)", "its") } ?? ("", "the")
    guard let since, !jobs.isEmpty else {
      throw ExitReport(.usage, "no run\(whose) is stored here yet: trawl run \(only ?? "JOB")")
    }
    let runs = try await store.runs(job: only, limit: 5).map(\.run.name)
    throw ExitReport(
      .usage,
      lines: [
        run == nil
          ? "--since \(since): it is neither a run\(whose) nor a time such as 1d or 2024-03-01"
          : "there is no run \(since)\(whose)"
      ] + (runs.isEmpty ? [] : ["\(which) last runs: \(runs.joined(separator: ", "))"]))
  }

  /// A job, a run, or all known jobs.
  private func chosen(among known: [String]) throws(ExitReport) -> (jobs: [String], run: String?) {
    guard let operand = context.invocation.operands.first else { return (known, nil) }
    let word = try context.reportName(operand)
    if known.contains(word) { return ([word], nil) }
    let parts = word.split(separator: "/").map(String.init)
    if parts.count == 2, known.contains(parts[0]) {
      if context.invocation.has(.since) {
        throw ExitReport(.usage, "\(word) names a run already, and --since another beginning")
      }
      return ([parts[0]], parts[1])
    }
    throw ExitReport(
      .usage, "there is nothing of \"\(word)\" here" + Suggestion.clauseOrList(for: word, in: known)
    )
  }

  /// Nil: the word has no meaning for this job.
  private func start(_ word: String?, of job: String, _ store: RecordStore) async throws -> Start? {
    guard let run = try await store.runs(job: job, named: word, limit: 1).first else {
      guard let stretch = word.flatMap({ DateText.stretch($0, now: context.time.now()) })
      else { return nil }
      return Start(instant: stretch.from, words: context.clock(stretch.from))
    }
    return Start(
      instant: run.beganAt,
      words: (word == nil ? "the last run, of " : "the run of ") + context.clock(run.beganAt)
        + (run.endedAt == nil ? ", which did not come to its end" : ""),
      run: run.run)
  }

  private func show(_ tables: [TableChanges], of job: String, _ start: Start, _ most: Int) {
    let console = context.console
    guard !tables.isEmpty else {
      return console.print(
        "\(job, .bold)  nothing is new, changed, gone or back since \(start.words)")
    }
    console.print("\(job, .bold)  since \(start.words)")
    var most = most
    for table in tables {
      let kinds = RecordChange.Kind.allCases.filter { table.count($0) > 0 }
      var counts = kinds.map { "\(Wording.number(table.count($0))) \(Self.word($0))" }
      if let since = table.knownSince {
        counts.append("what its records held before \(context.clock(since)) is not kept")
      }
      let first = table.isFirst ? ": first run" : ""
      console.print("  \(table.table, .bold): \(counts.joined(separator: ", "))\(first)")
      var rows = AlignedRows(indent: 4, widthMax: 40)
      for record in table.records {
        rows.add([
          ConsoleText(Self.word(record.kind), Self.style(record.kind)), ConsoleText(record.name),
          ConsoleText(Self.what(record)),
        ])
      }
      console.print(rows)
      let rest = kinds.reduce(0) { $0 + table.count($1) } - table.records.count
      if rest > 0 {
        most = max(most, kinds.map(table.count).max() ?? 0)
        console.print("    and \(Wording.number(rest)) more: --limit \(most)")
      }
    }
  }

  private static func word(_ kind: RecordChange.Kind) -> String {
    kind == .moving ? "with other figures" : kind.rawValue
  }

  private static func style(_ kind: RecordChange.Kind) -> ConsoleText.Style {
    switch kind {
    case .new, .back: .green
    case .gone: .yellow
    case .changed, .moving: .plain
    }
  }

  /// `list of octocat`, `views: 100 -> 120`.
  private static func what(_ record: RecordChange) -> String {
    let list = record.list.map { ["list of \($0)"] } ?? []
    let columns = record.columns.map {
      "\($0.name): \(shown($0.old)) -> \(shown($0.new))"
    }
    return (list + columns).joined(separator: ", ")
  }

  private static func shown(_ value: String?) -> String { value?.shortened(to: 60) ?? "NULL" }
}
