internal import Base
internal import Crawl
internal import Store

/// `trawl run JOB…`: runs jobs in parallel; the worst outcome decides.
struct RunCommand: Sendable {
  let context: CommandContext

  private var invocation: Invocation { context.invocation }

  func perform() async throws -> ExitStatus {
    let words = invocation.operands
    if words.count > 1, invocation.has(.endpoint) {
      throw ExitReport(.usage, "--endpoint is for one job: run the jobs one by one")
    }
    if invocation.has(.replay), !invocation.has(.data) {
      throw ExitReport(
        .usage, "--replay writes old answers: choose a folder with --data DIR, not your own")
    }
    // All jobs are checked before any of them sends anything.
    let start = RunStart(context: context)
    var selections: [JobSelection] = []
    for word in words { selections.append(try await start.selection(word)) }
    try Self.refuseTwice(selections)
    if invocation.has(.dryRun) {
      return try await DryRun(context: context).show(selections)
    }
    return try await context.inFolder(for: selections) { [selections] context in
      try await RunCommand(context: context).run(selections)
    }
  }

  private func run(_ selections: [JobSelection]) async throws -> ExitStatus {
    var selections = selections
    let location = try context.locationForWriting()
    try await SystemRuns(context: context).refuse(selections)
    if invocation.has(.ifDue) {
      selections = await DueRuns(context: context, location: location).due(selections)
      if selections.isEmpty { return .complete }
    }
    let sessions = selections.map { PlannedSession(selection: $0, range: nil) }
    return try await RunGroup(context: context, location: location).run(sessions)
  }

  /// Two runs of one job would block each other.
  private static func refuseTwice(_ selections: [JobSelection]) throws(ExitReport) {
    var seen: Set<String> = []
    for selection in selections where !seen.insert(selection.job.name).inserted {
      throw ExitReport(
        .usage,
        "the job \(selection.job.name) is named twice; a file and a job of one name are "
          + "the same job: give one of them another name")
    }
    for job in selections.map(\.job) {
      guard let was = job.was, seen.contains(was) else { continue }
      throw ExitReport(
        .configuration,
        "the job \(job.name) says that it was called \(was), and \(was) is another of the jobs to run: "
          + "remove \"was\" from one of the files, or run only one of them")
    }
  }
}

/// One run of one job, perhaps limited to a range of time.
struct PlannedSession: Sendable {
  var selection: JobSelection
  /// What a backfill should fill.
  var range: TimeWindow?
  /// Open goals of the same command from earlier days.
  var replacedGoals: [Int64] = []

  /// The streams and values of a goal, as stored in its row, for later commands without them.
  /// Empty: every stream with a window.
  var goalStreams = ""
  var goalParameters: String {
    Unit(
      stream: "",
      values: selection.options.values.sorted { $0.key < $1.key }.flatMap { name, values in
        values.map { ParameterValue(name, $0) }
      }
    ).parameterText
  }

  /// With the streams and values of a stored goal.
  func taking(_ goal: RecordStore.Goal) -> PlannedSession {
    var session = self
    session.range = goal.range
    session.selection.options.window = goal.range
    session.goalStreams = goal.stream
    if !goal.stream.isEmpty {
      session.selection.options.streams = goal.stream.split(separator: ",").map(String.init)
    }
    session.selection.options.values = [:]
    for pair in goal.parameters.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = String(decoding: PercentEncoding.decoded(parts.last ?? ""), as: UTF8.self)
      session.selection.options.values[String(parts[0]), default: []].append(value)
    }
    return session
  }
}

/// Runs jobs in parallel under one progress display, and writes their joint reports.
struct RunGroup: Sendable {
  let context: CommandContext
  let location: DataLocation

  func run(_ sessions: [PlannedSession]) async throws -> ExitStatus {
    let metricsFile = try context.fileToWrite(.metricsFile)
    if let metricsFile {
      try ReportFolder.refuseForeign(metricsFile, unless: MetricsText.beginning)
    }
    let progress = Progress(
      console: context.console, detail: detail, isJSON: context.invocation.has(.json),
      isOfSeveral: sessions.count > 1)
    let service = ServiceReporter(context.environment)
    service?.tick(at: context.time.now())
    let ticking = Task { [time = context.time] in
      // Ends with the cancellation below. Display and watchdog use the real clock, whatever clock the run uses.
      while !Task.isCancelled {
        do { try await Timekeeper.live.sleep(.seconds(1)) } catch { return }
        progress.tick(at: time.now())
        service?.tick(at: time.now())
      }
    }
    let hearing = context.interruption.map { interruption in
      Task(executorPreference: CommandThreads.shared) {
        [console = context.console, time = context.time] in
        // Ends with the cancellation below.
        guard await interruption.asked() != nil else { return }
        service?.stopping(at: time.now())
        console.tell("finishing the page in hand; the same signal again leaves at once")
      }
    }
    defer {
      ticking.cancel()
      hearing?.cancel()
    }
    let outcomes = await withTaskGroup(of: RunSession.Outcome.self) { group in
      for session in sessions {
        group.addTask {
          await RunSession(
            session: session, location: location, context: context, progress: progress,
            service: service
          ).run()
        }
      }
      return await group.reduce(into: [RunSession.Outcome]()) { $0.append($1) }
    }
    progress.conclude()
    service?.tick(at: context.time.now())
    var statuses = outcomes.map(\.status)
    if let path = metricsFile {
      do throws(ExitReport) {
        let metrics = outcomes.compactMap(\.metrics)
        let status = ExitStatus.worst(of: statuses)
        // For node_exporter's textfile collector: always a whole file.
        if !metrics.isEmpty {
          try ReportFolder.replace(path, with: Array(MetricsText(metrics).text.utf8))
        } else if status != .complete {
          try MetricsText.note(status, in: path)
        }
      } catch {
        error.tell(on: context.console)
        statuses.append(error.status)
      }
    }
    return ExitStatus.worst(of: statuses)
  }

  /// In a log a success is one line at the end, and a long wait one when it begins; a terminal shows progress.
  private var detail: ProgressBoard.Detail {
    let invocation = context.invocation
    let isLog = !context.console.facts.isDrawn
    return invocation.has(.verbose)
      ? .verbose : invocation.has(.quiet) ? .quiet : isLog ? .log : .normal
  }
}

extension MetricsText {
  private static let bytesMax = 1 << 24

  /// A run that could not begin changes only the exit code in the file, which would go on to say that of the last one.
  static func note(_ status: ExitStatus, in path: String) throws(ExitReport) {
    let bytes = FileBytes.first(bytesMax, of: path) ?? []
    let text = String(decoding: bytes, as: UTF8.self)
    // Of a longer file the rest would be lost.
    guard text.hasPrefix(beginning), bytes.count < bytesMax else { return }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard line.hasPrefix("trawl_run_exit_code{"), let blank = line.lastIndex(of: " ") else {
        return String(line)
      }
      return "\(line[...blank])\(status.code)"
    }
    try ReportFolder.replace(path, with: Array(lines.joined(separator: "\n").utf8))
  }
}
