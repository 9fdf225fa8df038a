internal import Base
internal import Jobs
internal import Store

/// Jobs as a command line names them for what is stored of them.
extension CommandContext {
  func jobNames() throws(ExitReport) -> [String] {
    var names: [String] = []
    for word in invocation.operands { names.append(try jobName(word)) }
    return names
  }

  /// A job of one's own may be named by its file.
  func jobName(_ word: String) throws(ExitReport) -> String {
    JobLibrary.isPath(word) ? try JobSelection.load(word, environment).name : word
  }

  /// A slip in a name is no job that has not run yet.
  func refuseUnknown(_ words: [String], beside stored: [String]) throws(ExitReport) {
    let found = environment.library.names
    let known = found + stored.filter { !found.contains($0) }
    for word in words where !JobLibrary.isPath(word) && !known.contains(word) {
      var report = ExitReport(
        .usage, "there is no job \"\(word)\"" + Suggestion.clauseOrList(for: word, in: known))
      // Its value may be left out, and a word behind it that is none counts as a job.
      if invocation.has(.maxAge), invocation.duration(.maxAge) == nil {
        report.lines.append("or a time for --max-age, such as 2h")
      }
      throw report
    }
  }
}

extension RecordStore {
  /// Refuses a job of which nothing is stored here.
  func require(_ job: String) throws {
    let known = try jobs().map(\.job)
    if known.contains(job) { return }
    throw ExitReport(
      .usage,
      "\(folder.databasePath) has nothing of a job \"\(job)\""
        + Suggestion.clauseOrList(for: job, in: known))
  }
}
