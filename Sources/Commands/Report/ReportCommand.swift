internal import Base
internal import Store

/// `trawl report [JOB|RUN]`: a run's report as text, as stored JSON, or in sentences.
struct ReportCommand: Sendable {
  let context: CommandContext

  func perform() async throws -> ExitStatus {
    let location = try context.locationForReading()
    if context.invocation.has(.changes) {
      return try await ReportChanges(context: context).perform(in: location)
    }
    if context.invocation.has(.since) {
      throw ExitReport(.usage, "--since is the beginning of --changes, which is not given")
    }
    let shelf = ReportShelf(folder: "\(location.folder)/reports")
    let word = try context.invocation.operands.first.map { try context.reportName($0) }
    if context.invocation.has(.open) { return try await open(shelf, word, in: location) }
    let newest = try await newestRun(of: word, in: location)
    let found = try shelf.find(word, newest: newest)
    if let newest { tellMissing(newest, instead: found, word) }
    if context.invocation.has(.html) {
      context.console.printExact(Array(try page(of: found).utf8))
      return .complete
    }
    let bytes = try shelf.read(found)
    if context.invocation.has(.json) {
      context.console.printJSON(bytes.last == UInt8(ascii: "\n") ? Array(bytes.dropLast()) : bytes)
      return .complete
    }
    let facts: RunFacts
    do { facts = try RunFacts(report: bytes) } catch {
      throw ExitReport(.damaged, "\(found.path) cannot be shown: \(error)")
    }
    context.console.print(head(facts))
    context.console.print("")
    if context.invocation.has(.explain) { explain(facts) } else { show(facts, at: found.path) }
    return .complete
  }

  /// The path of its page. None is made here: forgetting would not reach what a reader makes.
  private func page(of found: ReportShelf.Found) throws(ExitReport) -> String {
    guard KnownFiles.isThere(found.page) else {
      throw ExitReport(
        .usage,
        "\(found.run) has no page: the run was killed, or the disk was full, before that was written",
        "to see it as text: trawl report \(found.job)/\(found.run)")
    }
    return found.page
  }

  /// The last run of the job, or of all jobs, by the database: a clock may have been wrong, or a backup restored, since
  /// the newest file was written. Nil: the database does not know.
  private func newestRun(of word: String?, in location: DataLocation) async throws -> StoredRun? {
    do {
      guard let store = try await context.storeForReading(location) else { return nil }
      return try await context.use(store) { try await store.runs(job: word, limit: 1).first }
    } catch {
      // The files are there anyway.
      if error is CancellationError { throw error }
      return nil
    }
  }

  private func tellMissing(_ newest: StoredRun, instead found: ReportShelf.Found, _ word: String?) {
    guard word == nil || word == newest.job, found.run != newest.run.name else { return }
    let why =
      newest.endedAt == nil
      ? "it was cut off, or has not ended yet" : newest.outcome ?? "it wrote none"
    context.console.tell(
      "the last run of \(newest.job), \(newest.run.name), has no report (\(why)); this is one of an earlier run",
      .notice)
  }

  /// Without a display or a program that opens pages, prints the path.
  private func open(
    _ shelf: ReportShelf, _ word: String?, in location: DataLocation
  ) async throws -> ExitStatus {
    let last = try shelf.find(word, newest: try await newestRun(of: word, in: location))
    let path = word == nil ? "\(shelf.folder)/index.html" : try page(of: last)
    if context.environment.hasDisplay {
      let child = ChildProcess(program: "xdg-open", arguments: [path], isApart: true)
      if await child.run() == 0 { return .complete }
    }
    context.console.printExact(Array(path.utf8))
    return .complete
  }

  private func show(_ facts: RunFacts, at path: String) {
    let console = context.console
    let text = TextReport(facts)
    var units = AlignedRows(rightAligned: [1])
    for row in text.unitRows { units.add(row.map { ConsoleText(console.advice($0)) }) }
    console.printWhole(units)
    for line in text.lines { console.print(ConsoleText(console.advice(line))) }
    for quota in facts.quotas {
      console.print(
        "quota \(quota.name): \(Wording.number(quota.leftAfter)) of \(Wording.number(quota.allowed)) left, \(Wording.number(quota.leftBefore)) before"
      )
    }
    console.print("report    \(path)")
  }

  private func head(_ facts: RunFacts) -> ConsoleText {
    var text: ConsoleText = "\(facts.job, .bold)  \(facts.command)"
    let rest = facts.arguments.filter { $0 != facts.job }.joined(separator: " ")
    if !rest.isEmpty { text += " \(rest)" }
    text += "  \(facts.origin)  \(context.clock(facts.startedAt))"
    return text
  }

  private func explain(_ facts: RunFacts) {
    let console = context.console
    for sentence in facts.migrations + facts.story { console.print(ConsoleText(sentence)) }
    if facts.story.isEmpty { console.print("There was nothing to decide.") }
    console.print(ConsoleText("The end: \(facts.outcome.sentence)."))
  }
}

extension CommandContext {
  /// A job, a run, or a job file; a run's name has a slash too, but is no file.
  func reportName(_ word: String) throws(ExitReport) -> String {
    word.hasSuffix(".json5") ? try jobName(word) : word
  }
}
