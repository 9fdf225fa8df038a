internal import Base
internal import Store

/// The watched queries of the user's settings, after a run: new rows go to the report, an Atom file and a program. No
/// verdict depends on them.
struct WatchRun: Sendable {
  let context: CommandContext
  let folder: DataFolder
  let job: Job
  let store: RecordStore

  /// - Returns: what each watch reported, and the names of those with a problem not yet reported.
  func perform() async throws -> (facts: [WatchFacts], inNewTrouble: Set<String>) {
    var all: [WatchFacts] = []
    var inNewTrouble: Set<String> = []
    var isAway = false
    for watch in job.hooks.watches {
      var facts = WatchFacts(name: watch.name)
      do {
        try await look(watch, &facts, &isAway)
      } catch let problem as QueryProblem {
        facts.problem = "its query cannot be carried out: \(problem.sentence)"
      } catch is CancellationError {
        facts.problem = "its query took longer than \(Wording.span(watch.timeMax))"
      } catch let problem as ExitReport {
        facts.problem = problem.lines.first
      }
      let isNew = try await store.note(problem: facts.problem, of: watch.name, job: job.name)
      if isNew { inNewTrouble.insert(watch.name) }
      all.append(facts)
    }
    return (all, inNewTrouble)
  }

  /// - Parameter isAway: the bucket's store did not answer an earlier watch of this run.
  private func look(
    _ watch: Watch, _ facts: inout WatchFacts, _ isAway: inout Bool
  ) async throws {
    let (rows, isWhole) = try Self.rows(of: watch, folder, context.storeSettings)
    let news = try await store.note(
      watched: rows, of: watch.name, job: job.name, isWhole: isWhole)
    (facts.new, facts.changed) = (news.new, news.changed)
    facts.rows = news.due.prefix(Watch.shownMax).map(\.content)
    var notes: [String] = []
    if news.isFirst {
      notes.append("\(Wording.count(rows.count, "row is", "rows are")) taken as known from now on")
    }
    if news.hasMore { notes.append("more are due: the next run hands them over") }
    try await writeFeed(watch)
    if watch.send.isEmpty {
      try await store.delivered(news.due, of: watch.name, job: job.name)
    } else if !news.due.isEmpty, await !isKept(&isAway) {
      notes.append("the bucket does not keep the rows yet: the next run hands them over")
    } else if !news.due.isEmpty {
      let ended = await BoundedProgram(
        words: watch.send, variables: ["TRAWL_JOB": job.name, "TRAWL_WATCH": watch.name],
        input: news.due.flatMap { line($0, watch) }, timeMax: watch.timeMax
      ).run()
      facts.output = ended.output
      if let problem = ended.problem {
        facts.problem = "\(problem); the rows come again with the next run"
      } else {
        try await store.delivered(news.due, of: watch.name, job: job.name)
        notes.append("\(Wording.count(news.due.count, "row")) handed to \(watch.send[0])")
      }
    }
    facts.note = notes.joined(separator: "; ")
    // The newest rows may be among those left out.
    if !isWhole, facts.problem == nil {
      facts.problem =
        "its query returns more than \(Wording.number(Watch.rowsMax)) rows, and the rest is not watched: narrow it "
        + "with WHERE, or with ORDER BY … DESC LIMIT"
    }
  }

  /// Another machine would hand over again what the bucket does not keep. A failure that lasts ends the run, and is no
  /// problem of the watch.
  private func isKept(_ isAway: inout Bool) async -> Bool {
    if isAway { return false }
    do { try await context.bucket?.keep() } catch { isAway = true }
    return !isAway
  }

  /// `{"id": ..., "changed_at": ..., "row": {...}}`: the id stays if a line is repeated, and differs after any change
  /// of the row, even back to a former state.
  private func line(_ row: WatchedRow, _ watch: Watch) -> [UInt8] {
    var digest = Digest64()
    digest.addField(row.content)
    digest.addField(row.changedAt?.description ?? "")
    let line: JSONObject = [
      "id": "\(job.name)/\(watch.name)/\(row.key)@\(String(digest.value, radix: 16))",
      "job": job.name, "watch": watch.name, "changed_at": row.changedAt?.description,
      "row": JSONValue(text: row.content),
    ]
    return line.bytes + [UInt8(ascii: "\n")]
  }

  private func writeFeed(_ watch: Watch) async throws {
    let feed = AtomFeed(
      job: job.name, watch: watch.name, writtenAt: context.time.now(),
      rows: try await store.feed(of: watch.name, job: job.name))
    do {
      _ = try folder.folder("feeds")
      _ = try folder.folder("feeds/\(job.name)")
    } catch {
      throw ExitReport(.cannotCreate, "its feed cannot be written: \(error)")
    }
    try ReportFolder.replace(
      "\(folder.path)/feeds/\(job.name)/\(watch.name).atom", with: Array(feed.text.utf8))
  }

  // MARK: rows

  /// Stays on one thread for all rows; a command may block it.
  private static func rows(
    of watch: Watch, _ folder: DataFolder, _ settings: RecordStore.Settings
  ) throws -> (rows: [WatchedRow], isWhole: Bool) {
    let end = Timekeeper.live.elapsed() + watch.timeMax
    let query = try ReadingQuery(folder, settings) { Timekeeper.live.elapsed() > end }
    var names: [String] = []
    var rows: [WatchedRow] = []
    var keys: Set<ExactText> = []
    var isWhole = true
    try query.run(watch.sql) {
      names = RowText.distinct($0)
    } take: { values in
      if rows.count >= Watch.rowsMax {
        isWhole = false
        return false
      }
      let row = try row(values, names, watch)
      guard keys.insert(ExactText(row.key)).inserted else {
        throw ExitReport(
          .configuration,
          "its query returns two rows with the key \(row.key.shortened(to: 60)): its `key` has to name the "
            + "columns that identify rows")
      }
      rows.append(row)
      return true
    }
    return (rows, isWhole)
  }

  private static func row(
    _ values: [SQLValue], _ names: [String], _ watch: Watch
  ) throws -> WatchedRow {
    let key = watch.key.isEmpty ? Array(names.prefix(1)) : watch.key
    let parts = try key.map { name throws(ExitReport) in
      guard let at = names.firstIndex(where: { $0.utf8.elementsEqual(name.utf8) }) else {
        throw ExitReport(
          .configuration, "its query returns no column \"\(name)\", which is its key")
      }
      return values[at]
    }
    return WatchedRow(
      key: parts.jsonText, content: JSONObject(zip(names, values).map { ($0, $1) }).jsonText)
  }
}

extension RunOutcome {
  /// Not if the user stopped the run, or the database or disk is in doubt.
  var mayBeWatched: Bool {
    kinds.isDisjoint(with: [
      .interrupted, .damaged, .cannotWrite, .cannotCreate, .bug, .configuration,
    ])
  }
}
