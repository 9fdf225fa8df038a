internal import Base
internal import Crawl
internal import Store

/// `trawl backfill JOB`: walks a range of time of every stream with a window, and keeps the range as a goal until it is
/// reached.
struct BackfillCommand: Sendable {
  let context: CommandContext

  /// The share of each quota that is left for timed runs.
  static let reserve = 0.2

  private var invocation: Invocation { context.invocation }

  func perform() async throws -> ExitStatus {
    var selection = try JobSelection(invocation.operands[0], context)
    try Self.chooseWindowed(&selection)
    selection.options.reserve = Self.reserve
    if invocation.has(.dryRun) { return try await fill(selection) }
    return try await context.inFolder(for: [selection]) { [selection] context in
      try await BackfillCommand(context: context).fill(selection)
    }
  }

  private func fill(_ selection: JobSelection) async throws -> ExitStatus {
    let location = try context.locationForWriting()
    let sessions = try await sessions(selection, location)
    // Before any message on goals: those in the system's database are not visible here.
    if !invocation.has(.dryRun) {
      try await SystemRuns(context: context).refuse(jobs: [selection.job.name])
    }
    guard !sessions.isEmpty else {
      // Timers call it like this: nothing left to do is a success.
      let job = selection.job
      context.console.tell("\(job.name): no range of time is waiting to be filled")
      context.console.tell(
        "to fill one: trawl backfill \(job.word) --from 2024-01-01 --to 2024-06-30", .debug)
      return .complete
    }
    if invocation.has(.dryRun) {
      return try await DryRun(context: context).show(sessions.map(\.selection))
    }
    var statuses: [ExitStatus] = []
    let group = RunGroup(context: context, location: location)
    // One after another: they share a job, whose lock one run holds.
    for session in sessions {
      let status = try await group.run([session])
      statuses.append(status)
      // A range that the API refuses says nothing of the others; a host, a key or a quota does.
      if ![.complete, .less, .failed].contains(status) { break }
    }
    return ExitStatus.worst(of: statuses)
  }

  /// Only streams with a window can be read by range.
  static func chooseWindowed(_ selection: inout JobSelection) throws(ExitReport) {
    let job = selection.job
    let windowed = job.streams.filter { $0.window != nil }.map(\.name)
    guard !windowed.isEmpty else {
      throw ExitReport(
        .usage,
        "no stream of \(job.name) can be requested for a range of time: its job file declares "
          + "no window", "what there is, is read by: trawl run \(job.word)")
    }
    for name in selection.options.streams where !windowed.contains(name) {
      throw ExitReport(
        .usage,
        "the stream \(name) of \(job.name) has no window: it cannot be requested for a range "
          + "of time", "streams with one: \(windowed.joined(separator: ", "))")
    }
    if selection.options.streams.isEmpty { selection.options.streams = windowed }
  }

  /// Up to when the API lists its records by now: some appear late.
  private func lastListed(_ selection: JobSelection) -> Instant {
    let delays = selection.job.streams.filter { selection.options.streams.contains($0.name) }
      .compactMap { $0.window?.delay }
    return Instant(seconds: (context.time.now() - (delays.max() ?? .zero)).seconds)
  }

  /// The range of `--from` and `--to`, else the open goals.
  private func sessions(
    _ selection: JobSelection, _ location: DataLocation
  ) async throws -> [PlannedSession] {
    let job = selection.job.name
    var session = PlannedSession(selection: selection, range: nil)
    if let from = invocation.stretch(.from)?.from {
      guard from <= context.time.now() else {
        throw ExitReport(
          .usage,
          "--from \(Instant(seconds: from.seconds)) lies in the future: nothing is listed there")
      }
      let end = invocation.has(.to) ? invocation.stretch(.to)?.to : nil
      let range = TimeWindow(
        from: Instant(seconds: from.seconds),
        to: end.map { Instant(seconds: $0.seconds) } ?? lastListed(selection))
      guard range.from < range.to else {
        let what = invocation.has(.to) ? "--to \(range.to)" : "\(range.to), the youngest listed"
        throw ExitReport(.usage, "--from \(range.from) is not before \(what): the range is empty")
      }
      session.range = range
      session.selection.options.window = range
      session.goalStreams = invocation.texts(.stream).joined(separator: ",")
      let older = try await goals(job, location).filter { isOlder($0, session) }
      // Only the older goal resumes a walk that it began.
      let begun = older.filter(\.isBegun).map(session.taking)
      session.replacedGoals = older.filter { !$0.isBegun }.map(\.number)
      return begun + [session]
    }
    guard !invocation.has(.to) else {
      throw ExitReport(.usage, "--to needs a beginning: add --from DATE")
    }
    for name in [OptionName.set, .stream] where invocation.has(name) {
      throw ExitReport(
        .usage, "\(name.spelling) goes with a range: add --from DATE",
        "without it, goals keep the values they were set with")
    }
    return try await goals(job, location).map(session.taking)
  }

  private func goals(
    _ job: String, _ location: DataLocation
  ) async throws -> [RecordStore.Goal] {
    guard let store = try await context.storeForReading(location) else { return [] }
    return try await context.use(store) {
      try await store.goals(of: job).filter { $0.range.from < $0.range.to }
    }
  }

  /// Whether this is an open goal of the same command from an earlier day: without `--to` its range has since moved as
  /// a whole (`90d`) or at its end (a date), and takes its place.
  private func isOlder(_ goal: RecordStore.Goal, _ session: PlannedSession) -> Bool {
    guard !invocation.has(.to), let range = session.range, goal.range.to < range.to,
      goal.stream == session.goalStreams, goal.parameters == session.goalParameters
    else { return false }
    let longer = (range.to - range.from) - (goal.range.to - goal.range.from)
    return goal.range.from == range.from || .seconds(-1) ... .seconds(1) ~= longer
  }
}
