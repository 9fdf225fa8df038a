internal import Glibc
internal import Base
internal import Jobs
internal import Store

/// Lets a job that was run by path be named afterwards: the database has the path of its file.
struct KnownFiles: Sendable {
  let context: CommandContext

  /// Commands that need a job file.
  private static let commands: Set<CommandName> = [.run, .backfill, .check, .attempt, .key]

  private var library: JobLibrary { context.environment.library }

  /// The same command line with each such name replaced by its path.
  func resolved() async throws -> CommandContext {
    var context = context
    guard Self.commands.contains(context.invocation.command), !context.invocation.has(.replay)
    else {
      return context
    }
    let unknown = context.invocation.operands.filter {
      !JobLibrary.isPath($0) && !library.has($0)
    }
    guard !unknown.isEmpty, let store = await store() else { return context }
    let notes = try await context.use(store) {
      var notes: [String: JobFileNote] = [:]
      for name in unknown { notes[name] = try await store.file(of: name) }
      return notes
    }
    context.invocation.operands = try context.invocation.operands.map { word in
      guard let note = notes[word] else { return word }
      return try path(note, of: word)
    }
    return context
  }

  /// Nil without a readable database; the command says why.
  private func store() async -> RecordStore? {
    // On failure nothing is known; the command says why.
    let location = try? DataLocation.forReading(
      data: context.invocation.text(.data), ledger: nil, context.environment,
      system: context.systemFolder)
    guard let location else { return nil }
    // A run of the file itself upgrades an older one.
    return try? await context.storeForReading(location)
  }

  private func path(_ note: JobFileNote, of job: String) throws(ExitReport) -> String {
    guard access(note.path, F_OK) == 0 else {
      throw ExitReport(
        .usage, "the job \(job) was run from \(note.path), and that file is gone",
        "put it back, or name the job by the path of its file")
    }
    // A broken file is reported when it is read.
    if let now = try? library.job(note.path), now.name != job, now.was != job {
      throw ExitReport(
        .usage, "the job \(job) was run from \(note.path), which is the file of \(now.name) now",
        "name the job by the path of its file")
    }
    if Self.isChanged(note, library) {
      context.console.tell("\(job): \(note.path) has changed since its last run")
    } else if context.invocation.has(.verbose) {
      context.console.tell("\(job): \(note.path)")
    }
    return note.path
  }

  /// A job by its name or file; nil: there is no such file. Throws, in one line, if the file cannot be used: no run of
  /// it can begin.
  static func job(_ word: String, _ library: JobLibrary) throws(ExitReport) -> Job? {
    do {
      return try library.job(word)
    } catch {
      switch error {
      case .notFound: return nil
      case .unreadable(let sentence): throw ExitReport(.configuration, sentence)
      case .invalid(let found):
        let rest = found.problems.count - 1
        throw ExitReport(
          .configuration,
          found.problems[0].description
            + (rest > 0 ? " (and \(Wording.count(rest, "more problem")))" : ""))
      }
    }
  }

  /// The jobs that ran here, but for those whose file is missing or cannot be used.
  static func jobs(of store: RecordStore, _ environment: Environment) async throws -> [Job] {
    var jobs: [Job?] = []
    for name in try await store.jobs().map(\.job) {
      jobs.append(job(name, try await store.file(of: name), environment))
    }
    return jobs.compactMap(\.self)
  }

  /// A stored job by its current file, found by name or by its last path.
  static func job(_ name: String, _ note: JobFileNote?, _ environment: Environment) -> Job? {
    // `status` reports a missing or broken file.
    try? found(name, note, environment)
  }

  /// The same, but throws if the file cannot be used; nil: it is gone, or another job's now.
  static func found(
    _ name: String, _ note: JobFileNote?, _ environment: Environment
  ) throws(ExitReport) -> Job? {
    let word = environment.library.has(name) ? name : note?.path ?? name
    let found = try job(word, environment.library)
    return found?.name == name ? found : nil
  }

  /// The job file is gone, or is another job's now.
  static func gone(_ path: String?) -> ExitReport {
    guard let path else { return ExitReport(.configuration, "its job file is gone") }
    return ExitReport(
      .configuration,
      isThere(path)
        ? "\(path) is the file of another job now" : "its job file is gone: \(path)")
  }

  static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

  static func isChanged(_ note: JobFileNote, _ library: JobLibrary) -> Bool {
    // An unreadable file is reported when it is read.
    guard let source = try? library.source(note.path) else { return false }
    return JobFileNote(path: note.path, text: source.text) != note
  }

  /// What to store about the file of a running job; nil if its name leads to the same file.
  static func note(_ job: Job, _ environment: Environment) -> JobFileNote? {
    let library = environment.library
    // Read a moment ago; if it is gone there is nothing to store.
    guard JobLibrary.isPath(job.source), (try? library.source(job.name).file) != job.source,
      // On failure nothing is stored.
      let source = try? library.source(job.source),
      let path = FolderNames.resolved(job.source)
    else { return nil }
    return JobFileNote(path: path, text: source.text)
  }
}

/// How a command line names jobs in the database.
extension CommandContext {
  func jobNames() throws(ExitReport) -> [String] {
    var names: [String] = []
    for word in invocation.operands { names.append(try jobName(word)) }
    return names
  }

  /// A user's job may be named by its file.
  func jobName(_ word: String) throws(ExitReport) -> String {
    JobLibrary.isPath(word) ? try JobSelection.load(word, environment).name : word
  }

  /// A misspelt name is not a job that never ran.
  func refuseUnknown(_ words: [String], beside stored: [String]) throws(ExitReport) {
    let found = environment.library.names
    let known = found + stored.filter { !found.contains($0) }
    for word in words where !JobLibrary.isPath(word) && !known.contains(word) {
      var report = ExitReport(
        .usage, "there is no job \"\(word)\"" + Suggestion.clauseOrList(for: word, in: known))
      // Its value is optional, so a malformed one counts as a job.
      if invocation.has(.maxAge), invocation.duration(.maxAge) == nil {
        report.lines.append("or a time for --max-age, such as 2h")
      }
      throw report
    }
  }

  /// A misspelt stream or value is not one that does not exist yet.
  func refuseUnknown(streams: [String], values: [String], of jobs: [JobOverview]) throws(ExitReport)
  {
    if jobs.isEmpty { return }
    let files = jobs.compactMap { KnownFiles.job($0.job, $0.file, environment) }
    let lists = jobs.flatMap(\.lists)
    let known = files.flatMap(\.streams).map(\.name) + lists.map(\.stream)
    let place = jobs.count == 1 ? "the job \(jobs[0].job)" : "the database"
    for name in streams where !known.contains(name) {
      throw ExitReport(
        .usage,
        "\(place) has no stream \"\(name)\""
          + Suggestion.clauseOrList(for: name, in: Array(Set(known)).sorted()))
    }
    let names =
      files.flatMap(\.parameters).map(\.name)
      + lists.flatMap { $0.unit.values.map(\.name) }
    for name in values where !names.contains(name) {
      throw ExitReport(
        .usage,
        "no list of \(place) has a value \"\(name)\""
          + Suggestion.clauseOrList(for: name, in: Array(Set(names)).sorted()))
    }
  }
}

extension RecordStore {
  /// Refuses a job of which nothing is stored.
  func require(_ job: String) throws {
    let known = try jobs().map(\.job)
    if known.contains(job) { return }
    throw ExitReport(
      .usage,
      "\(folder.path) has nothing of a job \"\(job)\""
        + Suggestion.clauseOrList(for: job, in: known))
  }
}
